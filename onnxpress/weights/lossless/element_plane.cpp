// Generates the bits piece by piece, like the codes of a palette.
#include "onnxpress/weights/lossless/element_plane.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "onnxpress/weights/chain/chain_parts.h"

namespace onnxpress::weights {

namespace {

constexpr std::uint64_t kPlanePiece = std::uint64_t{64} << 10;

}  // namespace

ElementPlane::ElementPlane(const Candidate& from, int bits, Part part)
    : files_(from.model().files),
      from_(from.tensor()),
      bits_(bits),
      part_(std::move(part)),
      count_(from.count()),
      size_(bits < 8 ? packed_bytes(from.count(), bits) : from.count() * static_cast<std::uint64_t>(bits / 8)) {}

void ElementPlane::produce(const std::function<void(std::string_view piece)>& take) const {
  const Bytes bytes = from_.bytes();
  const auto width = static_cast<std::size_t>(bits_of(from_.type)) / 8;
  const auto part_of = [&](std::uint64_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.view().data() + i * width, width);
    return part_(word);
  };
  std::string piece;
  for (std::uint64_t begin = 0; begin < size_; begin += kPlanePiece) {
    const std::uint64_t end = std::min(size_, begin + kPlanePiece);
    piece.assign(end - begin, '\0');
    if (bits_ == 16) {
      for (std::uint64_t i = begin; i < end; i += 2) {
        const auto part = static_cast<std::uint16_t>(part_of(i / 2));
        std::memcpy(piece.data() + (i - begin), &part, sizeof part);
      }
    } else {
      for (int shift = 0; shift < 8; shift += bits_) {
        const std::uint64_t plane = static_cast<std::uint64_t>(shift / bits_) * size_;
        for (std::uint64_t i = begin; i < end && plane + i < count_; ++i) {
          const unsigned part = part_of(plane + i) << shift;
          piece[i - begin] = static_cast<char>(static_cast<unsigned char>(piece[i - begin]) | part);
        }
      }
    }
    take(piece);
  }
}

}  // namespace onnxpress::weights
