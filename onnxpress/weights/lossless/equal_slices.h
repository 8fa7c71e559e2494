// Which slices of a tensor along an axis are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// Numbers the different slices along the axes `axis` ... `end` - 1, taken as one axis, in order of appearance, and
// returns the number of each slice: 0 1 0 2. Empty if all differ, or if there are too many to compare. Slices are
// compared by hashes, so the caller must check what it derives from this.
std::vector<std::uint32_t> equal_slices(const Candidate& tensor, std::size_t axis, std::size_t end);

// The smallest period of `n` slices with these numbers: n if there is none, 1 if all are the same.
std::uint32_t period_of(const std::vector<std::uint32_t>& slices, std::size_t n);

}  // namespace onnxpress::weights
