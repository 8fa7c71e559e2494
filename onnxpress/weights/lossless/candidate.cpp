// Reads the content of a candidate.
#include "onnxpress/weights/lossless/candidate.h"

#include <algorithm>

#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/shared/wire_size.h"

namespace onnxpress::weights {

Candidate::Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target)
    : model_(&model), tensor_(&tensor), name_(name), target_(target), opset_(model.opset("")), bytes_(tensor.bytes()) {
  StatisticsBuilder builder(tensor.type);
  for_each_part(model.files, tensor, bytes_, [&builder](std::string_view part) { builder.add(part); });
  statistics_ = builder.finish();
}

Candidate::Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target,
                     Statistics statistics)
    : Candidate(model, tensor, name, target, std::move(statistics), model.opset("")) {}

Candidate::Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target,
                     Statistics statistics, std::optional<std::int64_t> opset)
    : model_(&model),
      tensor_(&tensor),
      name_(name),
      target_(target),
      opset_(opset),
      bytes_(tensor.bytes()),
      statistics_(std::move(statistics)) {}

bool Candidate::has_op(std::string_view op_type, ElementType type) const {
  const ops::Op* op = opset_ ? ops::find_op("", op_type, *opset_) : nullptr;
  if (!op || !runs(target_, *op, type)) return false;
  // The first version of Cast takes the type as a string; we do not write that one.
  return op_type != "Cast" || op->schema->attribute("to")->type == AttributeType::kInt;
}

std::uint64_t Candidate::plain_bytes() const {
  std::uint64_t content = bytes_.size();
  if (statistics_.varint_bytes > 0) content = std::min(content, statistics_.varint_bytes);
  return passes::initializer_bytes(tensor_->type, tensor_->dims, content, name_.size());
}

}  // namespace onnxpress::weights
