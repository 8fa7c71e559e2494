// How many bytes a tensor or a node takes in a file. The writer (format/) is above this layer; a test compares the two.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "onnxpress/ir/attribute.h"

namespace onnxpress::passes {

std::uint64_t varint_bytes(std::uint64_t value);
// A field that holds `length` bytes: its tag, the length and the content.
std::uint64_t field_bytes(std::uint64_t length);

// An initializer with a name of that length and `content` bytes of data.
std::uint64_t initializer_bytes(ElementType type, std::span<const std::int64_t> dims, std::uint64_t content,
                                std::uint64_t name_length);
std::uint64_t attribute_bytes(const Attribute& attribute);  // numbers, texts, lists of integers and tensors

}  // namespace onnxpress::passes
