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
  std::vector<std::string> kept;  // functions that were wanted and could not be, with the reason
};

// In the main graph and its bodies, calls inside of inlined functions included. A function that calls itself stays, and
// so does one whose ops mean something else under the opsets of the model. Throws Error when the model would have more
// than a million nodes.
Inlined inline_functions(Model& model, const std::function<bool(const Function& function)>& wanted);

// Functions that one node of the model calls, and no more: inlining them does not make the model larger.
std::vector<const Function*> functions_called_once(const Model& model);

}  // namespace onnxpress::passes
