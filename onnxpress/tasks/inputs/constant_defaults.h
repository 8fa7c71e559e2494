// Treats inputs with a default value as constants, for tasks that look at a run which does not override them.
#pragma once

#include <optional>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/inputs/bindings.h"

namespace onnxpress::tasks {

// A copy in which initializers that are inputs, too, are constants, except for those that `bindings` gives a shape or a
// value. Old files declare all weights that way. Nullopt when there are none, so that the model itself serves.
std::optional<Model> with_constant_defaults(const Model& model, const BindingOptions& bindings);

}  // namespace onnxpress::tasks
