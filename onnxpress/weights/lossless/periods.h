// How a tensor repeats along its axes, for encodings that store only one period.
#pragma once

#include <cstdint>
#include <vector>

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// For each axis the length of the part that repeats: its whole length if nothing does, 1 if all slices are equal.
struct Periods {
  std::vector<std::uint32_t> lengths;
  bool any = false;        // some axis repeats
  bool all_single = true;  // every axis that repeats has period 1
};
Periods periods_of(const Candidate& tensor);

// The slices 0 ... length - 1 of each axis that repeats, as SubTensor takes them.
std::vector<std::vector<std::uint32_t>> one_period(const Candidate& tensor, const Periods& periods);

}  // namespace onnxpress::weights
