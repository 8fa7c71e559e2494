// Creates tensors, attributes and constants, and removes constants: one set of helpers for all code that builds nodes.
// A constant is an initializer or, where those are not allowed, a Constant node.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Makes a tensor in the arena and copies dims. The content has the layout of bytes(): little-endian, row-major.
Tensor* make_tensor(Arena& arena, ElementType type, std::span<const std::int64_t> dims, Tensor::Content content);
// Makes an int64 tensor with one dim.
Tensor* make_integers(Arena& arena, std::span<const std::int64_t> values);

// The attribute's kind follows from the value. Texts and lists are copied into the arena.
Attribute* make_attribute(Arena& arena, std::string_view name, const Attribute::Value& value);
inline Attribute* make_attribute(Arena& arena, std::string_view name, std::initializer_list<std::int64_t> values) {
  return make_attribute(arena, name, std::span<const std::int64_t>(values.begin(), values.size()));
}

// A tensor type with these dims.
const Type* make_tensor_type(Arena& arena, ElementType element, std::span<const Dim> dims);
const Type* make_tensor_type(Arena& arena, ElementType element, std::span<const std::int64_t> dims);

// Initializers that are not inputs exist since version 4 of the format.
bool has_plain_initializers(const Model& model);
// Adds a constant to `graph`: an initializer in the main graph, else a Constant node in front of `position` (null: at
// the end). Few tools expect initializers in bodies, and functions cannot have them.
Value* add_constant(Model& model, Graph& graph, Node* position, Tensor* tensor, std::string_view name = {});
// The same for a value that exists already but has no definition.
void define_constant(Model& model, Value& value, Node* position, Tensor* tensor);

// The tensor of a constant: an initializer that callers cannot override, or the `value` of a Constant node. Null for
// everything else.
Tensor* constant_tensor(const Value& value);
// Removes the initializer or Constant node that defines the value if nothing uses it. Returns whether it was removed.
bool remove_unused_constant(Value& value);

}  // namespace onnxpress
