// Encodes varints.
#include "onnxpress/format/packed_integers.h"

#include <cstring>
#include <type_traits>

#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace {

// Calls `take` with each element as the 64 bits that a typed field stores: negative numbers are sign-extended.
template <typename T, typename Take>
void each(std::string_view raw, Take&& take) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  for (std::size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, raw.data() + at, sizeof(T));
    take(static_cast<std::uint64_t>(static_cast<Wide>(value)));
  }
}

template <typename Take>
void each_integer(ElementType type, std::string_view raw, Take&& take) {
  switch (type) {
    case ElementType::kInt16:
      return each<std::int16_t>(raw, take);
    case ElementType::kUint16:
      return each<std::uint16_t>(raw, take);
    case ElementType::kInt32:
      return each<std::int32_t>(raw, take);
    case ElementType::kUint32:
      return each<std::uint32_t>(raw, take);
    case ElementType::kInt64:
      return each<std::int64_t>(raw, take);
    case ElementType::kUint64:
      return each<std::uint64_t>(raw, take);
    default:
      return;
  }
}

}  // namespace

bool has_varint_form(ElementType type) { return is_integer(type) && bits_of(type) >= 16; }

std::uint64_t packed_size(ElementType type, std::string_view raw) {
  std::uint64_t bytes = 0;
  each_integer(type, raw, [&bytes](std::uint64_t value) { bytes += varint_size(value); });
  return bytes;
}

void PackedIntegers::produce(const std::function<void(std::string_view piece)>& take) const {
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::string piece;
  for (std::size_t at = 0; at < raw_.size(); at += kPart) {
    piece.clear();
    each_integer(type_, raw_.view().substr(at, kPart), [&piece](std::uint64_t value) { append_varint(piece, value); });
    take(piece);
  }
}

}  // namespace onnxpress::format
