// Sums of mixed words, which do not depend on their order, and hashes of words relative to the sign and exponent of the
// first.
#include "onnxpress/weights/lossless/content_hashes.h"

#include <cstring>

namespace onnxpress::weights {

namespace {

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 32)) * 0x9e3779b97f4a7c15U;
  return word ^ (word >> 29);
}

template <typename Word>
std::uint64_t sum_of(std::string_view bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += mixed(word);
  }
  return sum;
}

}  // namespace

std::uint64_t hash_of_elements(std::string_view bytes, std::size_t width) {
  switch (width) {
    case 1:
      return sum_of<std::uint8_t>(bytes);
    case 2:
      return sum_of<std::uint16_t>(bytes);
    case 4:
      return sum_of<std::uint32_t>(bytes);
    default:
      return sum_of<std::uint64_t>(bytes);
  }
}

std::uint64_t hash_up_to_scale(std::string_view bytes, ElementType type) {
  if (type != ElementType::kFloat) return 0;
  constexpr std::uint32_t kExponent = 0x7f800000U, kOne = 0x3f800000U;
  std::uint32_t sign = 0, shift = 0;
  bool begun = false;
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    const std::uint32_t exponent = word & kExponent;
    if (word == 0) {
      hash = mixed(hash + 1);
      continue;
    }
    if (exponent == 0 || exponent == kExponent) return 0;
    if (!begun) {
      sign = word & 0x80000000U;
      shift = exponent - kOne;
      begun = true;
    }
    hash = mixed(hash ^ ((word ^ sign) - shift));
  }
  return begun ? hash | 1 : 0;
}

}  // namespace onnxpress::weights
