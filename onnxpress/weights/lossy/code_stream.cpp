// Writes the codes of a weight, packed as they are stored, and the floats that they decode to.
#include "onnxpress/weights/lossy/code_stream.h"

#include <algorithm>
#include <cstring>

#include "onnxpress/base/small_float.h"
#include "onnxpress/weights/chain/chain_parts.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kPiece = std::size_t{16} << 10;
constexpr std::size_t kForgotten = 64;  // pieces that are released from memory together

// `values` in the tensor's own type.
void append(std::string& out, std::span<const float> values, ElementType type) {
  const std::size_t begin = out.size(), width = static_cast<std::size_t>(bits_of(type)) / 8;
  out.resize(begin + values.size() * width);
  char* to = out.data() + begin;
  if (type == ElementType::kFloat) {
    std::memcpy(to, values.data(), values.size_bytes());
    return;
  }
  for (const float value : values) {
    if (type == ElementType::kDouble) {
      const double wide = value;
      std::memcpy(to, &wide, sizeof wide);
    } else {
      const std::uint16_t bits = type == ElementType::kFloat16 ? float16_bits(value) : bfloat16_bits(value);
      std::memcpy(to, &bits, sizeof bits);
    }
    to += width;
  }
}

}  // namespace

CodeStream::CodeStream(std::shared_ptr<const Quantized> quantized, CodePart part)
    : quantized_(std::move(quantized)),
      part_(part),
      count_(part.padded ? quantized_->grid.padded_count() : quantized_->grid.count()),
      size_(packed_bytes(count_, part.bits)) {}

void CodeStream::produce(const std::function<void(std::string_view piece)>& take) const {
  if (part_.order == CodePart::Order::kPlanar)
    produce_planar(take);
  else
    produce_sequential(take);
}

void CodeStream::produce_planar(const std::function<void(std::string_view piece)>& take) const {
  const auto per_byte = static_cast<std::uint64_t>(8 / part_.bits);
  BitField field{.shift = part_.shift, .mask = static_cast<std::uint16_t>((1U << part_.bits) - 1)};
  if (part_.is_signed) field.flip = static_cast<std::uint16_t>(1U << (part_.bits - 1));
  std::vector<std::uint8_t> piece(kPiece);
  std::vector<std::uint16_t> codes(kPiece);
  for (std::uint64_t begin = 0; begin < size_; begin += kPiece) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size_ - begin, kPiece));
    std::fill_n(piece.begin(), bytes, std::uint8_t{0});
    for (std::uint64_t plane = 0; plane < per_byte; ++plane) {
      const std::uint64_t first = plane * size_ + begin;
      if (first >= count_) break;
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, count_ - first));
      quantized_->encode(first, count, codes.data(), part_.padded);
      field.place = static_cast<int>(plane) * part_.bits;
      add_bits(codes.data(), count, field, piece.data());
      if (begin / kPiece % kForgotten == kForgotten - 1)
        quantized_->release(first - (kForgotten - 1) * kPiece, kForgotten * kPiece);
    }
    take({reinterpret_cast<const char*>(piece.data()), bytes});
  }
  quantized_->release(0, count_);
}

void CodeStream::produce_sequential(const std::function<void(std::string_view piece)>& take) const {
  const auto per_byte = static_cast<std::uint64_t>(8 / part_.bits);
  const unsigned mask = (1U << part_.bits) - 1, flip = part_.is_signed ? 1U << (part_.bits - 1) : 0;
  std::string piece;
  std::vector<std::uint16_t> codes(kPiece * per_byte);
  for (std::uint64_t begin = 0; begin < size_; begin += kPiece) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size_ - begin, kPiece));
    piece.assign(bytes, '\0');
    const std::uint64_t first = begin * per_byte;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes * per_byte, count_ - first));
    quantized_->encode(first, count, codes.data(), part_.padded);
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(part_.bits);
      const unsigned bits = (((static_cast<unsigned>(codes[i]) >> part_.shift) & mask) ^ flip) << place;
      char& byte = piece[i / per_byte];
      byte = static_cast<char>(static_cast<unsigned char>(byte) | bits);
    }
    take(piece);
  }
  quantized_->release(0, count_);
}

void RoundedStream::produce(const std::function<void(std::string_view piece)>& take) const {
  std::vector<float> values(kPiece);
  std::string piece;
  const std::uint64_t count = quantized_->grid.count();
  for (std::uint64_t first = 0; first < count; first += kPiece) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, count - first));
    quantized_->decode(first, part, values.data());
    piece.clear();
    append(piece, std::span(values).first(part), quantized_->source->tensor().type);
    take(piece);
  }
}

float narrowed(float value, ElementType narrow) {
  return narrow == ElementType::kFloat16 ? float16_value(float16_bits(value)) : bfloat16_value(bfloat16_bits(value));
}

void NarrowedStream::produce(const std::function<void(std::string_view piece)>& take) const {
  std::vector<float> values(kPiece);
  std::string piece;
  for (std::uint64_t first = 0; first < source_->count(); first += kPiece) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, source_->count() - first));
    source_->read(first, part, values.data());
    for (float& value : std::span(values).first(part)) value = narrowed(value, narrow_);
    piece.clear();
    append(piece, std::span(values).first(part), source_->tensor().type);
    take(piece);
  }
}

passes::WeightCodes channel_codes(const std::shared_ptr<const Quantized>& quantized, bool is_signed) {
  const CodePart part{.bits = 8, .is_signed = is_signed, .padded = false};
  return {std::make_shared<CodeStream>(quantized, part), quantized->scales.floats()};
}

}  // namespace onnxpress::weights
