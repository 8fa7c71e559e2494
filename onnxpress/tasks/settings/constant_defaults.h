// Treats inputs with a default value as constants, for tasks that look at a run which does not override them.
#pragma once

#include <optional>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

// A copy in which initializers that are also inputs are constants, except for those that get a shape or a value from
// `bindings`. Old files declare all weights that way. nullopt if there are none: then the model itself can be used.
std::optional<Model> with_constant_defaults(const Model& model, const BindingOptions& bindings);

}  // namespace onnxpress
