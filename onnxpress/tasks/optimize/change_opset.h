// Converts a model to another opset: `optimize --opset`.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Says in one line what was done; empty when the model has this opset already. Throws Error that names the nodes that
// cannot be converted; then the model must not be used.
std::string change_opset(Model& model, std::int64_t wanted);

}  // namespace onnxpress
