// The sizes of protobuf fields. Nearly all tags of ONNX take one byte; the type of an attribute takes two.
#include "onnxpress/passes/shared/wire_size.h"

#include <bit>

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kTag = 1, kLongTag = 2;

std::uint64_t tensor_message_bytes(ElementType type, std::span<const std::int64_t> dims, std::uint64_t content) {
  std::uint64_t bytes = kTag + varint_bytes(static_cast<std::uint64_t>(type)) + field_bytes(content);
  for (const std::int64_t dim : dims) bytes += kTag + varint_bytes(static_cast<std::uint64_t>(dim));
  return bytes;
}

}  // namespace

std::uint64_t varint_bytes(std::uint64_t value) {
  return value == 0 ? 1 : (static_cast<std::uint64_t>(std::bit_width(value)) + 6) / 7;
}

std::uint64_t field_bytes(std::uint64_t length) { return kTag + varint_bytes(length) + length; }

std::uint64_t initializer_bytes(ElementType type, std::span<const std::int64_t> dims, std::uint64_t content,
                                std::uint64_t name_length) {
  return field_bytes(tensor_message_bytes(type, dims, content) + field_bytes(name_length));
}

std::uint64_t attribute_bytes(const Attribute& attribute) {
  std::uint64_t bytes = field_bytes(attribute.name.size()) + kLongTag + 1;
  if (const auto* one = std::get_if<std::int64_t>(&attribute.value)) {
    bytes += kTag + varint_bytes(static_cast<std::uint64_t>(*one));
  } else if (std::holds_alternative<float>(attribute.value)) {
    bytes += kTag + sizeof(float);
  } else if (const auto* text = std::get_if<std::string_view>(&attribute.value)) {
    bytes += field_bytes(text->size());
  } else if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value)) {
    for (const std::int64_t each : *list) bytes += kTag + varint_bytes(static_cast<std::uint64_t>(each));
  } else if (auto* const* tensor = std::get_if<Tensor*>(&attribute.value)) {
    bytes += field_bytes(tensor_message_bytes((*tensor)->type, (*tensor)->dims, (*tensor)->stored_bytes()));
  }
  return field_bytes(bytes);
}

}  // namespace onnxpress::passes
