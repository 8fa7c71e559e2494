// Turns Constant nodes into initializers, which take fewer bytes.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// In the main graph and its bodies; not where a body puts the constant out, not in functions (which have no
// initializers), and not in models older than initializers that are no inputs. How many.
std::uint64_t constants_to_initializers(Model& model);

}  // namespace onnxpress::passes
