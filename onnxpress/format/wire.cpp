// Reads and writes tags, varints and lengths.
#include "onnxpress/format/wire.h"

#include <fmt/format.h>

#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include "onnxpress/base/error.h"

namespace onnxpress::format {

std::uint64_t WireReader::long_varint() {
  try {
    return protozero::decode_varint(&next_, end_);
  } catch (const protozero::end_of_buffer_exception&) {
    fail("a number runs past the end of its message");
  } catch (const protozero::varint_too_long_exception&) {
    fail("a variable-length number takes more than 10 bytes");
  }
}

void WireReader::fail_tag(std::uint64_t tag) const {
  const std::uint64_t number = tag >> 3, type = tag & 7;
  if (number == 0 || tag > kMostTag) fail(fmt::format("field number {} does not exist in protobuf", number));
  if (type == 3 || type == 4) fail(fmt::format("field {} is a protobuf group, which ONNX does not use", number));
  fail(fmt::format("field {} has wire type {}, which does not exist", number, type));
}

void WireReader::fail_length(std::uint64_t length) const {
  fail(fmt::format("field {} claims {} bytes, but its message has only {} left", field_, length, end_ - next_));
}

void WireReader::fail_type(WireType wanted) const {
  fail(
      fmt::format("field {} has wire type {}, expected {}", field_, static_cast<int>(type_), static_cast<int>(wanted)));
}

void WireReader::skip_number() {
  switch (type_) {
    case WireType::kVarint:
      raw_varint();
      return;
    case WireType::kFixed64:
      fixed<double>(type_);
      return;
    case WireType::kFixed32:
      fixed<float>(type_);
      return;
    case WireType::kLength:
      return;
  }
}

void WireReader::fail(std::string_view what) const {
  const char* place = field_begin_ ? field_begin_ : next_;
  throw Error(fmt::format("at {:#x}", place - file_begin_), std::string(what),
              "the file is damaged, or it is not an ONNX model");
}

void append_long_varint(std::string& out, std::uint64_t value) {
  char bytes[protozero::max_varint_length];
  out.append(bytes, static_cast<std::size_t>(protozero::add_varint_to_buffer(bytes, value)));
}

void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_tag(out, field, WireType::kLength);
  append_varint(out, bytes.size());
  out.append(bytes);
}

void append_int(std::string& out, std::uint32_t field, std::int64_t value) {
  append_tag(out, field, WireType::kVarint);
  append_varint(out, static_cast<std::uint64_t>(value));
}

void append_float(std::string& out, std::uint32_t field, float value) {
  append_tag(out, field, WireType::kFixed32);
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  out.append(raw, sizeof raw);
}

std::size_t varint_size(std::uint64_t value) { return static_cast<std::size_t>(protozero::length_of_varint(value)); }

}  // namespace onnxpress::format
