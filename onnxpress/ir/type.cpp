// Prints types, and compares them.
#include "onnxpress/ir/type.h"

#include <algorithm>

#include "onnxpress/ir/identifier.h"

namespace onnxpress {

namespace {

void append_tensor(std::string& out, const Type& type, std::string_view comma,
                   const std::function<void(ElementType)>& append_element) {
  append_element(type.element);
  if (!type.has_shape) out += "[]";
  if (!type.has_shape || type.dims.empty()) return;
  std::string_view before = "[";
  for (const Dim dim : type.dims) {
    out += before;
    before = comma;
    dim.is_symbol() ? append_word(out, dim.symbol()->name) : static_cast<void>(out += to_string(dim));
  }
  out += ']';
}

bool same_dim(Dim a, Dim b) {
  if (a.is_symbol() && b.is_symbol())
    return a.symbol()->name == b.symbol()->name;  // the two may belong to different models
  return a == b;
}

}  // namespace

std::string to_string(Dim dim) {
  if (const auto size = dim.size()) return std::to_string(*size);
  return dim.is_symbol() ? std::string(dim.symbol()->name) : "?";
}

void append_type(std::string& out, const Type* type, std::string_view comma,
                 const std::function<void(ElementType)>& append_element) {
  if (!type) return;
  switch (type->kind) {
    case Type::Kind::kNone:
      return;
    case Type::Kind::kTensor:
      append_tensor(out, *type, comma, append_element);
      return;
    case Type::Kind::kSparseTensor:
      out += "sparse_tensor(";
      append_tensor(out, *type, comma, append_element);
      break;
    case Type::Kind::kSequence:
    case Type::Kind::kOptional:
      out += type->kind == Type::Kind::kSequence ? "seq(" : "optional(";
      append_type(out, type->inner, comma, append_element);
      break;
    case Type::Kind::kMap:
      out += "map(";
      append_element(type->element);
      out += ", ";
      append_type(out, type->inner, comma, append_element);
      break;
    case Type::Kind::kOpaque:
      out += "opaque(";
      if (!type->opaque_domain.empty()) {
        append_qualified(out, type->opaque_domain);
        out += ", ";
      }
      if (!type->opaque_name.empty() || !type->opaque_domain.empty()) append_qualified(out, type->opaque_name);
      break;
  }
  out += ')';
}

std::string to_string(const Type* type) {
  std::string text;
  append_type(text, type, ",", [&text](ElementType element) { text += to_string(element); });
  return text.empty() ? "?" : text;
}

bool same_type(const Type* a, const Type* b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return a->kind == b->kind && a->element == b->element && a->has_shape == b->has_shape &&
         std::equal(a->dims.begin(), a->dims.end(), b->dims.begin(), b->dims.end(), same_dim) &&
         a->opaque_domain == b->opaque_domain && a->opaque_name == b->opaque_name && same_type(a->inner, b->inner);
}

}  // namespace onnxpress
