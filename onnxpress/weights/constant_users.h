// What the users of a constant need it to be, also where it is handed to a function of the model.
#pragma once

#include "onnxpress/analysis/model_ops.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::weights {

// The value that a function's body has for operand `slot` of a call; null when there is none.
const Value* parameter_of(const Function& function, std::size_t slot);

// Whether all users are known, and take any value there, not only a plain initializer.
bool takes_any_value(const Value& value, const analysis::ModelOps& ops);

}  // namespace onnxpress::weights
