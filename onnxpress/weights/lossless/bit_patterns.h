// Elements as bit patterns, for encodings that compare bits regardless of their meaning.
#pragma once

#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// Calls `look` with the elements as Elements<std::uint8_t>, ..., Elements<std::uint64_t>. The tensor's elements have 8
// to 64 bits: see Statistics::count, which is 0 for others.
template <typename Look>
auto with_words(const Candidate& tensor, Look&& look) {
  switch (bits_of(tensor.type())) {
    case 8:
      return look(tensor.elements<std::uint8_t>());
    case 16:
      return look(tensor.elements<std::uint16_t>());
    case 32:
      return look(tensor.elements<std::uint32_t>());
    default:
      return look(tensor.elements<std::uint64_t>());
  }
}

}  // namespace onnxpress::weights
