// The protobuf wire format: a cursor over one encoded message, and the few functions that write fields.
//
// Built on protozero's varint code, not on its pbf_reader: that one narrows a length to 32 bits before checking it, so
// a false length of 2^32 + 5 reads as 5, and its errors do not say where they are. Like it, a cursor is two pointers
// and a tag, and copies nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace onnxpress::format {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

class WireReader {
 public:
  // `file_begin` is where offsets in error messages count from; by default the message itself.
  explicit WireReader(std::string_view message, const char* file_begin = nullptr)
      : next_(message.data()),
        end_(message.data() + message.size()),
        file_begin_(file_begin ? file_begin : message.data()) {}

  // Goes to the next field and reads its tag; false at the end of the message. The previous field must have been read
  // or skipped. Throws Error for a damaged tag or a wire type that ONNX does not use (groups).
  bool next() {
    if (next_ >= end_) return false;
    field_begin_ = next_;
    const std::uint64_t tag = raw_varint();
    constexpr unsigned kWireTypes = 0b100111;  // 0, 1, 2 and 5
    if (tag < 8 || tag > kMostTag || ((kWireTypes >> (tag & 7)) & 1) == 0) fail_tag(tag);
    field_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<WireType>(tag & 7);
    return true;
  }

  std::uint32_t field() const { return field_; }
  WireType type() const { return type_; }

  // These read the field's content. Each throws Error when the wire type is different, or the content runs past the
  // end.
  std::string_view bytes() {
    require(WireType::kLength);
    const std::uint64_t length = raw_varint();
    if (length > static_cast<std::uint64_t>(end_ - next_)) fail_length(length);
    const std::string_view content(next_, length);
    next_ += length;
    return content;
  }
  std::uint64_t varint() {
    require(WireType::kVarint);
    return raw_varint();
  }
  std::int64_t int64() { return static_cast<std::int64_t>(varint()); }
  std::int32_t int32() { return static_cast<std::int32_t>(varint()); }  // as protobuf does: the low 32 bits
  float float32() { return fixed<float>(WireType::kFixed32); }
  double float64() { return fixed<double>(WireType::kFixed64); }
  void skip() {
    if (type_ == WireType::kLength) {
      bytes();
    } else {
      skip_number();
    }
  }
  // The whole field, tag and length included. Call it after the content was read or skipped.
  std::string_view whole_field() const { return {field_begin_, static_cast<std::size_t>(next_ - field_begin_)}; }

  // Calls `take(value)` for each element of a repeated number, whether this field is packed or a single element.
  template <typename Take>
  void each_varint(Take&& take) {
    if (type_ == WireType::kVarint) {
      take(varint());
      return;
    }
    for (WireReader packed = packed_content(); packed.next_ < packed.end_;) take(packed.raw_varint());
  }
  template <typename T, typename Take>
  void each_fixed(Take&& take) {
    constexpr WireType kSingle = sizeof(T) == 4 ? WireType::kFixed32 : WireType::kFixed64;
    if (type_ == kSingle) {
      take(fixed<T>(kSingle));
      return;
    }
    const std::string_view content = bytes();
    if (content.size() % sizeof(T) != 0) fail("the last element of a packed list is truncated");
    for (std::size_t at = 0; at < content.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, content.data() + at, sizeof(T));
      take(value);
    }
  }

  // Throws Error with the offset of the current field.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  WireReader packed_content() { return WireReader(bytes(), file_begin_); }
  // Nearly all tags and most lengths take one byte. This case is inlined, because it dominates the time of reading a
  // graph.
  std::uint64_t raw_varint() {
    if (next_ < end_ && static_cast<unsigned char>(*next_) < 0x80) return static_cast<unsigned char>(*next_++);
    return long_varint();
  }
  std::uint64_t long_varint();
  void skip_number();
  void require(WireType type) const {
    if (type_ != type) fail_type(type);
  }
  [[noreturn]] void fail_tag(std::uint64_t tag) const;
  [[noreturn]] void fail_length(std::uint64_t length) const;
  [[noreturn]] void fail_type(WireType wanted) const;
  template <typename T>
  T fixed(WireType wire_type) {
    require(wire_type);
    if (static_cast<std::size_t>(end_ - next_) < sizeof(T)) fail("a number runs past the end of its message");
    T value;
    std::memcpy(&value, next_, sizeof(T));
    next_ += sizeof(T);
    return value;
  }

  static constexpr std::uint64_t kMostTag = (std::uint64_t{1} << 32) - 1;  // field numbers have 29 bits

  const char* next_;
  const char* end_;
  const char* file_begin_;
  const char* field_begin_ = nullptr;
  std::uint32_t field_ = 0;
  WireType type_ = WireType::kVarint;
};

// --- Writing: each appends one field to `out`.
void append_long_varint(std::string& out, std::uint64_t value);
inline void append_varint(std::string& out, std::uint64_t value) {
  if (value < 0x80) {
    out.push_back(static_cast<char>(value));
  } else {
    append_long_varint(out, value);
  }
}
inline void append_tag(std::string& out, std::uint32_t field, WireType type) {
  append_varint(out, (std::uint64_t{field} << 3) | static_cast<std::uint64_t>(type));
}
void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes);
void append_int(std::string& out, std::uint32_t field,
                std::int64_t value);  // negative numbers take ten bytes, as in protobuf
void append_float(std::string& out, std::uint32_t field, float value);
std::size_t varint_size(std::uint64_t value);

}  // namespace onnxpress::format
