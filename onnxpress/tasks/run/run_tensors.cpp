// Converts the caller's tensors to arrays of the evaluator, and back.
#include <fmt/format.h>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/arena.h"
#include "onnxpress/base/error.h"
#include "onnxpress/run.h"

namespace onnxpress {

namespace {

ops::Array array_of(const NamedTensor& input) {
  Tensor tensor;
  tensor.type = input.type;
  tensor.dims = input.dims;
  std::vector<std::string_view> texts(input.strings.begin(), input.strings.end());
  if (input.type == ElementType::kString) {
    tensor.storage = Storage::kStrings;
    tensor.content = std::span<const std::string_view>(texts);
  } else {
    tensor.storage = Storage::kRaw;
    tensor.content = input.content;
  }
  try {
    return ops::Array::from(tensor);
  } catch (Error& error) {
    error.add_outer_place(fmt::format("input {}", quote_name(input.name)));
    throw;
  }
}

NamedTensor named(std::string_view name, const ops::Array& array) {
  NamedTensor output{std::string(name), array.type(), array.sizes(), {}, {}};
  Arena arena;
  const Tensor* tensor = array.to_tensor(arena, name);
  if (array.is_string()) {
    const auto texts = tensor->strings();
    output.strings.assign(texts.begin(), texts.end());
  } else {
    output.content = Bytes::owned(std::string(tensor->bytes().view()));
  }
  return output;
}

}  // namespace

std::vector<NamedTensor> run(const Model& model, const std::vector<NamedTensor>& inputs) {
  analysis::Evaluator::Inputs given;
  for (const NamedTensor& input : inputs) given[input.name] = array_of(input);
  analysis::Evaluator evaluator(model);
  const auto results = evaluator.run(given);
  if (!results) throw Error("", evaluator.why());
  std::vector<NamedTensor> outputs;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const std::string_view name = model.graph().outputs()[i]->value->name();
    const ops::Array* array = (*results)[i].array();
    if (!array) throw Error(fmt::format("output {}", quote_name(name)), "is not a tensor");
    outputs.push_back(named(name, *array));
  }
  return outputs;
}

}  // namespace onnxpress
