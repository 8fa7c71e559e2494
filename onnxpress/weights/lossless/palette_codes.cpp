// A small hash table that maps bit patterns to codes.
#include "onnxpress/weights/lossless/palette_codes.h"

#include <algorithm>

#include "onnxpress/weights/chain/chain_parts.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kSlots = 1024;

std::size_t slot_of(std::uint64_t word) { return (word * 0x9e3779b97f4a7c15U) >> 54; }

}  // namespace

PaletteCodes::PaletteCodes(const Candidate& from, std::span<const std::uint64_t> palette, int bits)
    : files_(from.model().files),
      from_(from.tensor()),
      palette_(palette.begin(), palette.end()),
      slots_(kSlots, 0),
      bits_(bits),
      count_(from.count()),
      size_(packed_bytes(from.count(), bits)) {
  for (std::size_t i = 0; i < palette_.size(); ++i) {
    std::size_t at = slot_of(palette_[i]);
    while (slots_[at] != 0) at = (at + 1) % kSlots;
    slots_[at] = static_cast<std::uint16_t>(i + 1);
  }
}

std::uint8_t PaletteCodes::code_of(std::uint64_t word) const {
  for (std::size_t at = slot_of(word); slots_[at] != 0; at = (at + 1) % kSlots) {
    if (palette_[slots_[at] - 1U] == word) return static_cast<std::uint8_t>(slots_[at] - 1U);
  }
  return 0;  // not in the palette: the caller will find that the chain is not exact
}

template <typename Word>
void PaletteCodes::produce_words(std::string_view bytes,
                                 const std::function<void(std::string_view piece)>& take) const {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  const Elements<Word> words(bytes);
  std::string piece;
  for (std::uint64_t begin = 0; begin < size_; begin += kPiece) {
    const std::uint64_t end = std::min<std::uint64_t>(size_, begin + kPiece);
    piece.assign(end - begin, '\0');
    for (int shift = 0; shift < 8; shift += bits_) {
      const std::uint64_t plane = static_cast<std::uint64_t>(shift / bits_) * size_;
      for (std::uint64_t i = begin; i < end && plane + i < count_; ++i) {
        const int code = code_of(words[plane + i]) << shift;
        piece[i - begin] = static_cast<char>(static_cast<unsigned char>(piece[i - begin]) | code);
      }
    }
    take(piece);
  }
}

void PaletteCodes::produce(const std::function<void(std::string_view piece)>& take) const {
  const Bytes bytes = from_.bytes();
  switch (bits_of(from_.type)) {
    case 8:
      return produce_words<std::uint8_t>(bytes.view(), take);
    case 16:
      return produce_words<std::uint16_t>(bytes.view(), take);
    case 32:
      return produce_words<std::uint32_t>(bytes.view(), take);
    default:
      return produce_words<std::uint64_t>(bytes.view(), take);
  }
}

}  // namespace onnxpress::weights
