// Two hashes of a weight's content, which show how it may be derived from another weight.
#pragma once

#include <cstdint>
#include <string_view>

#include "onnxpress/ir/element_type.h"

namespace onnxpress::weights {

// The same for any order of the elements.
std::uint64_t hash_of_elements(std::string_view bytes, std::size_t width);
// The same for float32 contents that differ only by a factor that is a power of two or its negative; 0 if that cannot
// be said (other types, subnormal numbers, infinities, nothing but zeros).
std::uint64_t hash_up_to_scale(std::string_view bytes, ElementType type);

}  // namespace onnxpress::weights
