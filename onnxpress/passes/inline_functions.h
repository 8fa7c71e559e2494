// Puts the body of a model-local function in the place of its calls.
#pragma once

#include <cstddef>
#include <functional>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Inlines the calls of those functions that `wanted` chooses, given how often each is called, calls inside them first,
// and removes the functions that nothing calls then. A call stays where the function means another version of an op
// than its caller, or calls itself. Returns how many calls are gone.
std::size_t inline_functions(Model& model, const std::function<bool(const Function&, std::size_t calls)>& wanted);
// Those that are called once: nothing is written twice.
std::size_t inline_functions_called_once(Model& model);

}  // namespace onnxpress::passes
