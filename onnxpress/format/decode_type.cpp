// TypeProto, shapes and ValueInfoProto.
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"

namespace onnxpress::format {

const Type* Decoder::decode_type(std::string_view message) {
  const NameTable::Id id = type_names_.intern(message);
  if (id == types_.size()) {
    types_.push_back(nullptr);
    types_[id] = decode_new_type(message, 0);
  }
  return types_[id];
}

const Type* Decoder::decode_new_type(std::string_view message, std::size_t depth) {
  if (depth > options_.limits.type_depth) {
    throw Error("", fmt::format("types are nested more than {} deep", options_.limits.type_depth),
                "the file is damaged or hostile");
  }
  count();
  auto* type = arena_.make<Type>();
  type->origin = message;
  // These fields are a oneof: the last kind wins, and two occurrences of one kind are merged.
  std::uint32_t kind = 0;
  Singular content;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::type::kTensorType:
      case fields::type::kSparseTensorType:
      case fields::type::kSequenceType:
      case fields::type::kOptionalType:
      case fields::type::kMapType:
      case fields::type::kOpaqueType:
        if (kind != in.field()) content = Singular();
        kind = in.field();
        content.add(in.bytes());
        break;
      case fields::type::kDenotation:
        type->denotation = in.bytes();
        break;
      default:
        in.skip();
    }
  }
  if (kind == 0) return type;
  const std::string_view inside = content.view(arena_);
  switch (kind) {
    case fields::type::kTensorType:
      type->kind = Type::Kind::kTensor;
      decode_tensor_type(inside, *type);
      break;
    case fields::type::kSparseTensorType:
      type->kind = Type::Kind::kSparseTensor;
      decode_tensor_type(inside, *type);
      break;
    case fields::type::kSequenceType:
      type->kind = Type::Kind::kSequence;
      type->inner = decode_inner_type(inside, *type, depth);
      break;
    case fields::type::kOptionalType:
      type->kind = Type::Kind::kOptional;
      type->inner = decode_inner_type(inside, *type, depth);
      break;
    case fields::type::kMapType:
      type->kind = Type::Kind::kMap;
      type->inner = decode_inner_type(inside, *type, depth);
      break;
    default:
      type->kind = Type::Kind::kOpaque;
      for (WireReader opaque = cursor(inside); opaque.next();) {
        switch (opaque.field()) {
          case fields::type_opaque::kDomain:
            type->opaque_domain = opaque.bytes();
            break;
          case fields::type_opaque::kName:
            type->opaque_name = opaque.bytes();
            break;
          default:
            opaque.skip();
        }
      }
  }
  return type;
}

// Tensor and SparseTensor have the same fields. For our purposes, so do Sequence and Optional, and Map, which also has
// a key type.
static_assert(fields::type_tensor::kElemType == fields::type_sparse_tensor::kElemType);
static_assert(fields::type_tensor::kShape == fields::type_sparse_tensor::kShape);
static_assert(fields::type_sequence::kElemType == 1 && fields::type_optional::kElemType == 1);

void Decoder::decode_tensor_type(std::string_view message, Type& type) {
  Singular shape;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::type_tensor::kElemType:
        type.element = static_cast<ElementType>(in.int32());
        break;
      case fields::type_tensor::kShape:
        shape.add(in.bytes());
        break;
      default:
        in.skip();
    }
  }
  if (shape.present()) decode_shape(shape.view(arena_), type);
}

const Type* Decoder::decode_inner_type(std::string_view message, Type& type, std::size_t depth) {
  const std::uint32_t inner_field =
      type.kind == Type::Kind::kMap ? fields::type_map::kValueType : fields::type_sequence::kElemType;
  Singular inner;
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() == inner_field) {
      inner.add(in.bytes());
    } else if (type.kind == Type::Kind::kMap && in.field() == fields::type_map::kKeyType) {
      type.element = static_cast<ElementType>(in.int32());
    } else {
      in.skip();
    }
  }
  return inner.present() ? decode_new_type(inner.view(arena_), depth + 1) : nullptr;
}

void Decoder::decode_shape(std::string_view message, Type& type) {
  type.has_shape = true;
  Scratch dims(dim_stack_);
  Scratch denotations(view_stack_);
  bool has_denotation = false;
  for (WireReader in = cursor(message); in.next();) {
    if (in.field() != fields::shape::kDim) {
      in.skip();
      continue;
    }
    Dim dim;
    std::string_view denotation;
    for (WireReader parts = cursor(in.bytes()); parts.next();) {
      switch (parts.field()) {
        case fields::dimension::kDimValue: {
          const std::int64_t size = parts.int64();
          dim = Dim::fits(size) ? Dim::size(size) : Dim();
          if (!Dim::fits(size))
            note(Note::Kind::kProblem, "huge-dim", "",
                 fmt::format("a declared dimension of {} is read as unknown", size));
          break;
        }
        case fields::dimension::kDimParam: {
          const std::string_view name = parts.bytes();
          dim = name.empty() ? Dim() : Dim::symbol(model_.context().symbol(name));
          break;
        }
        case fields::dimension::kDenotation:
          denotation = parts.bytes();
          has_denotation = true;
          break;
        default:
          parts.skip();
      }
    }
    dims.push_back(dim);
    denotations.push_back(denotation);
    if (dims.size() > options_.limits.rank)
      in.fail(fmt::format("a shape has more than {} dimensions", options_.limits.rank));
  }
  type.dims = in_arena(dims);
  if (has_denotation) type.dim_denotations = in_arena(denotations);
}

Decoder::Declaration Decoder::decode_declaration(std::string_view message) {
  count();
  Declaration declaration;
  Singular type;
  Scratch metadata(entry_stack_);
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::value_info::kName:
        declaration.name = in.bytes();
        break;
      case fields::value_info::kType:
        type.add(in.bytes());
        break;
      case fields::value_info::kDocString:
        declaration.doc = in.bytes();
        break;
      case fields::value_info::kMetadataProps:
        metadata.push_back(decode_entry(in.bytes()));
        break;
      default:
        in.skip();
    }
  }
  if (type.present()) declaration.type = decode_type(type.view(arena_));
  declaration.metadata = in_arena(metadata);
  return declaration;
}

}  // namespace onnxpress::format
