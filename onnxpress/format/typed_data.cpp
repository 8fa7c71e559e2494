// One rule per element type: its field, and how many raw bytes an entry of that field represents.
#include "onnxpress/format/typed_data.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace tensor = fields::tensor;

namespace {

// How many bytes one entry of the typed field gives. Entries of 4- and 2-bit types are whole packed bytes; for 6-bit
// types an entry is a single element, which we pack ourselves, so the size is 0 here.
std::size_t entry_size(ElementType type) {
  const int bits = bits_of(type);
  if (bits == 6) return 0;
  if (type == ElementType::kComplex64) return 4;
  if (type == ElementType::kComplex128) return 8;
  return bits < 8 ? 1 : static_cast<std::size_t>(bits / 8);
}

bool is_fixed(std::uint32_t field) { return field == tensor::kFloatData || field == tensor::kDoubleData; }

// A varint ends with the byte whose top bit is clear.
std::uint64_t count_varints(WireReader& reader) {
  if (reader.type() == WireType::kVarint) {
    reader.skip();
    return 1;
  }
  const std::string_view packed = reader.bytes();
  if (!packed.empty() && (static_cast<unsigned char>(packed.back()) & 0x80) != 0)
    reader.fail("the last element of a packed list is truncated");
  return static_cast<std::uint64_t>(
      std::count_if(packed.begin(), packed.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; }));
}

std::uint64_t count_fixed(WireReader& reader, std::size_t width) {
  if (reader.type() != WireType::kLength) {
    reader.skip();
    return 1;
  }
  const std::string_view packed = reader.bytes();
  if (packed.size() % width != 0) reader.fail("the last element of a packed list is truncated");
  return packed.size() / width;
}

// Collects bytes and bits and passes them on in pieces.
class PieceWriter {
 public:
  explicit PieceWriter(const std::function<void(std::string_view)>& take) : take_(take) { buffer_.reserve(kPiece); }

  void add(const void* bytes, std::size_t size) {
    buffer_.append(static_cast<const char*>(bytes), size);
    if (buffer_.size() >= kPiece) flush();
  }
  void add_six_bits(std::uint64_t value) {
    bits_ |= (value & 0x3f) << bit_count_;
    bit_count_ += 6;
    while (bit_count_ >= 8) take_byte();
  }
  void finish() {
    if (bit_count_ > 0) take_byte();
    flush();
  }

 private:
  static constexpr std::size_t kPiece = 64 * 1024;
  void take_byte() {
    buffer_.push_back(static_cast<char>(bits_ & 0xff));
    bits_ >>= 8;
    bit_count_ = std::max(0, bit_count_ - 8);
    if (buffer_.size() >= kPiece) flush();
  }
  void flush() {
    if (!buffer_.empty()) take_(buffer_);
    buffer_.clear();
  }

  const std::function<void(std::string_view)>& take_;
  std::string buffer_;
  std::uint64_t bits_ = 0;
  int bit_count_ = 0;
};

}  // namespace

std::uint32_t typed_field_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat:
    case ElementType::kComplex64:
      return tensor::kFloatData;
    case ElementType::kDouble:
    case ElementType::kComplex128:
      return tensor::kDoubleData;
    case ElementType::kInt64:
      return tensor::kInt64Data;
    case ElementType::kUint32:
    case ElementType::kUint64:
      return tensor::kUint64Data;
    case ElementType::kString:
      return tensor::kStringData;
    default:
      return is_known(type) ? tensor::kInt32Data : 0;
  }
}

std::uint64_t TypedData::size() const {
  const std::uint64_t known = size_.load(std::memory_order_relaxed);
  if (known != kNotCounted) return known;
  const std::uint32_t field = typed_field_of(type_);
  const std::size_t width = entry_size(type_);
  std::uint64_t entries = 0;
  WireReader reader(message_.view());
  while (reader.next()) {
    if (reader.field() != field) {
      reader.skip();
    } else {
      entries += is_fixed(field) ? count_fixed(reader, width) : count_varints(reader);
    }
  }
  const std::uint64_t total = width == 0 ? (entries * 6 + 7) / 8 : entries * width;
  size_.store(total, std::memory_order_relaxed);
  return total;
}

void TypedData::produce(const std::function<void(std::string_view)>& take) const {
  const std::uint32_t field = typed_field_of(type_);
  const std::size_t width = entry_size(type_);
  PieceWriter out(take);
  WireReader reader(message_.view());
  while (reader.next()) {
    if (reader.field() != field) {
      reader.skip();
    } else if (field == tensor::kFloatData) {
      reader.each_fixed<std::uint32_t>([&out](std::uint32_t value) { out.add(&value, sizeof value); });
    } else if (field == tensor::kDoubleData) {
      reader.each_fixed<std::uint64_t>([&out](std::uint64_t value) { out.add(&value, sizeof value); });
    } else {
      // On a little-endian machine the first bytes of the number are the element, even if it is negative.
      reader.each_varint([&](std::uint64_t value) { width == 0 ? out.add_six_bits(value) : out.add(&value, width); });
    }
  }
  out.finish();
}

}  // namespace onnxpress::format
