// Turns Constant nodes into initializers, which take fewer bytes.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Covers the main graph and its bodies, but not constants that are outputs of a body, not functions (which have no
// initializers), and not models whose format version requires every initializer to be an input. Returns how many.
std::uint64_t constants_to_initializers(Model& model);

}  // namespace onnxpress::passes
