// Turns initializers that callers could override into constants.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Initializers of the main graph are no longer inputs. Before version 4 of the format every initializer had to be an
// input, so an older model becomes one of version 4. Returns how many inputs were removed.
std::uint64_t freeze_inputs(Model& model);

}  // namespace onnxpress::passes
