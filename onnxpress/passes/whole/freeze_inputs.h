// Turns initializers that callers could override into constants.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Initializers of the main graph are no longer inputs. Before version 4 of the format every initializer had to be an
// input, so an older model becomes one of version 4. Returns how many inputs were removed.
std::uint64_t freeze_inputs(Model& model);

// Initializers of the main graph that are also inputs, and their bytes.
std::vector<Value*> overridable_initializers(const Model& model);
std::uint64_t overridable_bytes(const Model& model);

}  // namespace onnxpress::passes
