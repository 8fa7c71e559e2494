// Candidate: a tensor that may be stored in another way, and the questions that encodings ask about it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/weights/lossless/statistics.h"
#include "onnxpress/weights/target.h"

namespace onnxpress::weights {

class Candidate {
 public:
  // Reads the tensor once, page by page. Throws Error when it cannot be read.
  Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target);
  // The same with statistics that are known already, so that nothing is read. `opset` is that of the tensor's function.
  Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target, Statistics statistics);
  Candidate(const Model& model, const Tensor& tensor, std::string_view name, Target target, Statistics statistics,
            std::optional<std::int64_t> opset);

  const Model& model() const { return *model_; }
  const Tensor& tensor() const { return *tensor_; }
  ElementType type() const { return tensor_->type; }
  std::span<const std::int64_t> dims() const { return tensor_->dims; }
  std::vector<std::int64_t> dims_vector() const { return {dims().begin(), dims().end()}; }
  std::uint64_t count() const { return statistics_.count; }
  std::string_view name() const { return name_; }
  Target target() const { return target_; }
  std::optional<std::int64_t> opset() const { return opset_; }  // of the standard domain

  // The content, without a copy if the file has it as raw data; a typed field is decoded once.
  const Bytes& bytes() const { return bytes_; }
  template <typename T>
  Elements<T> elements() const {
    return Elements<T>(bytes_.view());
  }
  const Statistics& statistics() const { return statistics_; }

  // Is there such an op of the standard domain in that opset, with a kernel for this type in the target?
  bool has_op(std::string_view op_type, ElementType type) const;
  // Its bytes as a plain initializer, in the smaller of its two storage forms.
  std::uint64_t plain_bytes() const;

 private:
  const Model* model_;
  const Tensor* tensor_;
  std::string_view name_;
  Target target_;
  std::optional<std::int64_t> opset_;
  Bytes bytes_;
  Statistics statistics_;
};

}  // namespace onnxpress::weights
