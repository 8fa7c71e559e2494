// Types in words, and their comparison.
#include "onnxpress/ir/type.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnxpress {

namespace {

std::string element_name(ElementType type) {
  return is_known(type) || type == ElementType::kUndefined ? std::string(name_of(type))
                                                           : fmt::format("type{}", static_cast<std::int32_t>(type));
}

std::string tensor_text(const Type& type) {
  std::string text = element_name(type.element);
  if (!type.has_shape) return text;
  text += '[';
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    if (i > 0) text += ',';
    text += to_string(type.dims[i]);
  }
  return text + ']';
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

std::string to_string(const Type* type) {
  if (!type) return "?";
  switch (type->kind) {
    case Type::Kind::kNone:
      return "?";
    case Type::Kind::kTensor:
      return tensor_text(*type);
    case Type::Kind::kSparseTensor:
      return fmt::format("sparse_tensor({})", tensor_text(*type));
    case Type::Kind::kSequence:
      return fmt::format("seq({})", to_string(type->inner));
    case Type::Kind::kOptional:
      return fmt::format("optional({})", to_string(type->inner));
    case Type::Kind::kMap:
      return fmt::format("map({}, {})", element_name(type->element), to_string(type->inner));
    case Type::Kind::kOpaque:
      return fmt::format("opaque({}, {})", type->opaque_domain, type->opaque_name);
  }
  return "?";
}

bool same_type(const Type* a, const Type* b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return a->kind == b->kind && a->element == b->element && a->has_shape == b->has_shape &&
         std::equal(a->dims.begin(), a->dims.end(), b->dims.begin(), b->dims.end(), same_dim) &&
         a->opaque_domain == b->opaque_domain && a->opaque_name == b->opaque_name && same_type(a->inner, b->inner);
}

}  // namespace onnxpress
