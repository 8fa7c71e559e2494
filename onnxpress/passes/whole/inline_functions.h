// Inlines model-local functions: replaces calls by the nodes of the function.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct Inlined {
  std::uint64_t calls = 0;
  std::vector<std::string> kept;  // requested functions that could not be inlined, with the reason
};

// Inlines calls in the main graph and its bodies, and calls inside inlined functions. A function that calls itself
// stays, and so does one whose ops have another meaning in the model's opsets. Throws Error when inlining would add
// more than a million nodes.
Inlined inline_functions(Model& model, const std::function<bool(const Function& function)>& wanted);

// Functions that exactly one node of the model calls: inlining them does not make the model larger.
std::vector<const Function*> functions_called_once(const Model& model);

}  // namespace onnxpress::passes
