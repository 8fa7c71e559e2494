// TypeProto and shapes.
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace {

void append_dimension(Rope& out, const Type& type, std::size_t i) {
  const Rope::Open open = out.open_field(fields::shape::kDim, 0);
  const Dim dim = type.dims[i];
  if (const auto size = dim.size()) append_int(out.bytes(), fields::dimension::kDimValue, *size);
  if (dim.is_symbol()) append_bytes(out.bytes(), fields::dimension::kDimParam, dim.symbol()->name);
  if (!type.dim_denotations.empty() && type.dim_denotations[i].data()) {
    append_bytes(out.bytes(), fields::dimension::kDenotation, type.dim_denotations[i]);
  }
  out.close_field(open);
}

void append_tensor_type(Rope& out, const Type& type) {
  if (type.element != ElementType::kUndefined)
    append_int(out.bytes(), fields::type_tensor::kElemType, static_cast<std::int32_t>(type.element));
  if (!type.has_shape) return;
  const Rope::Open open = out.open_field(fields::type_tensor::kShape, 0);
  for (std::size_t i = 0; i < type.dims.size(); ++i) append_dimension(out, type, i);
  out.close_field(open);
}

std::uint32_t field_of(Type::Kind kind) {
  switch (kind) {
    case Type::Kind::kTensor:
      return fields::type::kTensorType;
    case Type::Kind::kSparseTensor:
      return fields::type::kSparseTensorType;
    case Type::Kind::kSequence:
      return fields::type::kSequenceType;
    case Type::Kind::kOptional:
      return fields::type::kOptionalType;
    case Type::Kind::kMap:
      return fields::type::kMapType;
    case Type::Kind::kOpaque:
      return fields::type::kOpaqueType;
    case Type::Kind::kNone:
      break;
  }
  return 0;
}

}  // namespace

void Encoder::encode(Rope& out, const Type& type) const {
  if (can_copy(type.origin, false)) {
    out.append(type.origin);
    return;
  }
  const std::uint32_t kind = field_of(type.kind);
  const bool before = kind < fields::type::kDenotation;
  if (before) append_kind(out, kind, type);
  append_text(out, fields::type::kDenotation, type.denotation);
  if (!before) append_kind(out, kind, type);
  append_unknown(out, type.origin, MessageIndex::kType);
}

void Encoder::append_kind(Rope& out, std::uint32_t kind, const Type& type) const {
  if (type.kind == Type::Kind::kNone) return;
  const Rope::Open open = out.open_field(kind, 0);
  switch (type.kind) {
    case Type::Kind::kNone:
      break;
    case Type::Kind::kTensor:
    case Type::Kind::kSparseTensor:
      append_tensor_type(out, type);
      break;
    case Type::Kind::kSequence:
    case Type::Kind::kOptional:
      if (type.inner) append_message(out, fields::type_sequence::kElemType, *type.inner);
      break;
    case Type::Kind::kMap:
      if (type.element != ElementType::kUndefined) {
        append_int(out.bytes(), fields::type_map::kKeyType, static_cast<std::int32_t>(type.element));
      }
      if (type.inner) append_message(out, fields::type_map::kValueType, *type.inner);
      break;
    case Type::Kind::kOpaque:
      append_text(out, fields::type_opaque::kDomain, type.opaque_domain);
      append_text(out, fields::type_opaque::kName, type.opaque_name);
      break;
  }
  out.close_field(open);
}

}  // namespace onnxpress::format
