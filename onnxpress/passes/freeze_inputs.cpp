// Removes initializers from the list of inputs.
#include "onnxpress/passes/freeze_inputs.h"

#include <vector>

namespace onnxpress::passes {

std::uint64_t freeze_inputs(Model& model) {
  constexpr std::int64_t kPlainInitializers = 4;
  std::vector<Value*> overridable;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->initializer() || input->value->sparse_initializer()) overridable.push_back(input->value);
  }
  model.graph().remove_inputs(overridable);
  if (!overridable.empty() && model.ir_version && *model.ir_version < kPlainInitializers) {
    model.ir_version = kPlainInitializers;
    model.mark_changed();
  }
  return overridable.size();
}

}  // namespace onnxpress::passes
