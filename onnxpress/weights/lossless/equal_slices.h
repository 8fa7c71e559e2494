// Which slices of a tensor along an axis are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// For each slice along the axes `axis` ... `end` - 1, taken as one, the number of the first one that equals it, counted
// in order of appearance: 0 1 0 2. Empty when all differ, or when there are too many to ask. Found by hashes: the
// caller proves what it makes of it.
std::vector<std::uint32_t> equal_slices(const Candidate& tensor, std::size_t axis, std::size_t end);

// The smallest period of the slices along `axis`: n when there is none, 1 when all are the same.
std::uint32_t period_of(const std::vector<std::uint32_t>& slices, std::size_t n);

}  // namespace onnxpress::weights
