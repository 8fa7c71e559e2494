// Matrices that are constant along their diagonals: causal masks, identity matrices, relative distances.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "onnxpress/weights/chain/chain.h"

namespace onnxpress::weights {

struct Diagonals {
  std::int64_t rows = 0, columns = 0;
  // The element of each diagonal, from the one through the lower left corner to the one through the upper right.
  std::string elements;
  std::size_t width = 0;  // bytes of an element
  std::size_t count() const { return elements.size() / width; }
  std::string_view at(std::size_t i) const { return std::string_view(elements).substr(i * width, width); }
};
// Of the last two axes; all others must have size 1.
std::optional<Diagonals> diagonals_of(const Candidate& tensor);

// For each element the number of its diagonal, int64, with the tensor's rank.
Chain::Ref diagonal_numbers(ChainBuilder& chain, const Candidate& tensor, const Diagonals& diagonals);
// `yes` where the condition holds, and `no` elsewhere.
Chain::Ref choose(ChainBuilder& chain, const Candidate& tensor, std::string_view no, std::string_view yes,
                  Chain::Ref condition);

}  // namespace onnxpress::weights
