// Removes initializers from the list of inputs.
#include "onnxpress/passes/whole/freeze_inputs.h"

namespace onnxpress::passes {

std::vector<Value*> overridable_initializers(const Model& model) {
  std::vector<Value*> found;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->initializer() || input->value->sparse_initializer()) found.push_back(input->value);
  }
  return found;
}

std::uint64_t overridable_bytes(const Model& model) {
  std::uint64_t bytes = 0;
  for (const Value* value : overridable_initializers(model)) {
    if (const Tensor* tensor = value->initializer()) bytes += tensor->expected_bytes().value_or(0);
  }
  return bytes;
}

std::uint64_t freeze_inputs(Model& model) {
  constexpr std::int64_t kPlainInitializers = 4;
  const std::vector<Value*> overridable = overridable_initializers(model);
  model.graph().remove_inputs(overridable);
  if (!overridable.empty() && model.ir_version && *model.ir_version < kPlainInitializers) {
    model.ir_version = kPlainInitializers;
    model.mark_changed();
  }
  return overridable.size();
}

}  // namespace onnxpress::passes
