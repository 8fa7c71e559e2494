// TypeProto and shapes.
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace {

std::string encode_dimension(const Type& type, std::size_t i) {
  std::string out;
  const Dim dim = type.dims[i];
  if (const auto size = dim.size()) append_int(out, fields::dimension::kDimValue, *size);
  if (dim.is_symbol()) append_bytes(out, fields::dimension::kDimParam, dim.symbol()->name);
  if (!type.dim_denotations.empty() && type.dim_denotations[i].data()) {
    append_bytes(out, fields::dimension::kDenotation, type.dim_denotations[i]);
  }
  return out;
}

std::string encode_tensor_type(const Type& type) {
  std::string out;
  if (type.element != ElementType::kUndefined)
    append_int(out, fields::type_tensor::kElemType, static_cast<std::int32_t>(type.element));
  if (type.has_shape) {
    std::string shape;
    for (std::size_t i = 0; i < type.dims.size(); ++i)
      append_bytes(shape, fields::shape::kDim, encode_dimension(type, i));
    append_bytes(out, fields::type_tensor::kShape, shape);
  }
  return out;
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

Rope Encoder::encode_type(const Type& type) const {
  Rope out;
  if (can_copy(type.origin, false)) {
    out.append(type.origin);
    return out;
  }
  Rope inside;
  switch (type.kind) {
    case Type::Kind::kNone:
      break;
    case Type::Kind::kTensor:
    case Type::Kind::kSparseTensor:
      inside.bytes() = encode_tensor_type(type);
      break;
    case Type::Kind::kSequence:
    case Type::Kind::kOptional:
      if (type.inner) inside.append_field(fields::type_sequence::kElemType, encode_type(*type.inner));
      break;
    case Type::Kind::kMap:
      if (type.element != ElementType::kUndefined) {
        append_int(inside.bytes(), fields::type_map::kKeyType, static_cast<std::int32_t>(type.element));
      }
      if (type.inner) inside.append_field(fields::type_map::kValueType, encode_type(*type.inner));
      break;
    case Type::Kind::kOpaque:
      append_text(inside, fields::type_opaque::kDomain, type.opaque_domain);
      append_text(inside, fields::type_opaque::kName, type.opaque_name);
      break;
  }
  const std::uint32_t kind = field_of(type.kind);
  const bool before = kind != 0 && kind < fields::type::kDenotation;
  if (before) out.append_field(kind, inside);
  append_text(out, fields::type::kDenotation, type.denotation);
  if (kind != 0 && !before) out.append_field(kind, inside);
  append_unknown(out, type.origin, MessageIndex::kType);
  return out;
}

}  // namespace onnxpress::format
