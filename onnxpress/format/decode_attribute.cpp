// AttributeProto: one value of fourteen kinds. Fields of a kind other than the stated one are kept in the file but not
// read.
#include <fmt/format.h>

#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"

namespace onnxpress::format {

namespace field = fields::attribute;

namespace {

// The field that holds a value of this type; 0 when unknown.
std::uint32_t field_of(AttributeType type) {
  constexpr std::uint32_t kFields[kAttributeTypeCount] = {0,
                                                          field::kF,
                                                          field::kI,
                                                          field::kS,
                                                          field::kT,
                                                          field::kG,
                                                          field::kFloats,
                                                          field::kInts,
                                                          field::kStrings,
                                                          field::kTensors,
                                                          field::kGraphs,
                                                          field::kSparseTensor,
                                                          field::kSparseTensors,
                                                          field::kTp,
                                                          field::kTypeProtos};
  const auto number = static_cast<std::int32_t>(type);
  return number >= 0 && number < kAttributeTypeCount ? kFields[number] : 0;
}

AttributeType type_with_field(std::uint32_t wanted) {
  for (int number = 1; number < kAttributeTypeCount; ++number) {
    if (field_of(static_cast<AttributeType>(number)) == wanted) return static_cast<AttributeType>(number);
  }
  return AttributeType::kUndefined;
}

bool is_value_field(std::uint32_t number) { return type_with_field(number) != AttributeType::kUndefined; }

// Reads everything but the value, because the type comes last in the file. Returns the first field that holds a value,
// or 0 if there is none.
std::uint32_t read_head(WireReader head, Attribute& attribute) {
  std::uint32_t first_value_field = 0;
  while (head.next()) {
    switch (head.field()) {
      case field::kName:
        attribute.name = head.bytes();
        break;
      case field::kRefAttrName:
        attribute.ref_name = head.bytes();
        break;
      case field::kDocString:
        attribute.doc = head.bytes();
        break;
      case field::kType:
        attribute.type = static_cast<AttributeType>(head.int32());
        attribute.states_type = attribute.type != AttributeType::kUndefined;
        break;
      default:
        if (first_value_field == 0 && is_value_field(head.field())) first_value_field = head.field();
        head.skip();
    }
  }
  return first_value_field;
}

}  // namespace

// The value fields of one attribute, as read.
struct Decoder::AttributeFields {
  float f = 0;
  std::int64_t i = 0;
  std::string_view s = "";
  Singular message;  // t, g, tp or sparse_tensor, whichever the type asks for
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string_view> list;  // strings, or messages of a repeated kind
};

Attribute* Decoder::decode_attribute(std::string_view message) {
  count();
  auto* attribute = arena_.make<Attribute>();
  attribute->origin = message;
  attribute->states_type = false;
  repeated_value_ = false;
  const std::uint32_t first_value_field = read_head(cursor(message), *attribute);
  if (attribute->type == AttributeType::kUndefined) attribute->type = type_with_field(first_value_field);
  if (attribute->is_reference() && first_value_field == 0) return attribute;
  attribute->value = attribute_value(attribute->type, attribute_fields(message, *attribute));
  return attribute;
}

// Reads the value fields of the attribute's type.
Decoder::AttributeFields Decoder::attribute_fields(std::string_view message, Attribute& attribute) {
  const std::uint32_t wanted = field_of(attribute.type);
  AttributeFields value;
  bool has_value = false;
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() != wanted) {
      attribute.conflicting |= is_value_field(in.field());
      in.skip();
      continue;
    }
    const bool is_scalar = wanted == field::kF || wanted == field::kI || wanted == field::kS;
    if (std::exchange(has_value, true)) repeated_value_ |= is_scalar;
    switch (wanted) {
      case field::kF:
        value.f = in.float32();
        break;
      case field::kI:
        value.i = in.int64();
        break;
      case field::kS:
        value.s = in.bytes();
        break;
      case field::kFloats:
        in.each_fixed<float>([&value](float each) { value.floats.push_back(each); });
        break;
      case field::kInts:
        in.each_varint([&value](std::uint64_t each) { value.ints.push_back(static_cast<std::int64_t>(each)); });
        break;
      case field::kT:
      case field::kG:
      case field::kTp:
      case field::kSparseTensor:
        value.message.add(in.bytes());
        break;
      default:
        count();
        value.list.push_back(in.bytes());
    }
  }
  return value;
}

Attribute::Value Decoder::attribute_value(AttributeType type, const AttributeFields& fields) {
  const auto each = [&](auto made, auto&& decode) {
    std::vector<decltype(made)> all;
    all.reserve(fields.list.size());
    for (const std::string_view item : fields.list) all.push_back(decode(item));
    return std::span<decltype(made) const>(in_arena(all));
  };
  const std::string_view inside = fields.message.present() ? fields.message.view(arena_) : std::string_view();
  const bool has_message = inside.data() != nullptr;
  switch (type) {
    case AttributeType::kFloat:
      return fields.f;
    case AttributeType::kInt:
      return fields.i;
    case AttributeType::kString:
      return fields.s;
    case AttributeType::kFloats:
      return in_arena(fields.floats);
    case AttributeType::kInts:
      return in_arena(fields.ints);
    case AttributeType::kStrings:
      return in_arena(fields.list);
    case AttributeType::kTensor:
      if (has_message) return decode_tensor(inside);
      break;
    case AttributeType::kGraph:
      if (has_message) return decode_body(inside);
      break;
    case AttributeType::kSparseTensor:
      if (has_message) return decode_sparse_tensor(inside);
      break;
    case AttributeType::kType:
      if (has_message) return decode_type(inside);
      break;
    case AttributeType::kTensors:
      return each(static_cast<Tensor*>(nullptr), [this](auto item) { return decode_tensor(item); });
    case AttributeType::kGraphs:
      return each(static_cast<Graph*>(nullptr), [this](auto item) { return decode_body(item); });
    case AttributeType::kSparseTensors:
      return each(static_cast<SparseTensor*>(nullptr), [this](auto item) { return decode_sparse_tensor(item); });
    case AttributeType::kTypes:
      return each(static_cast<const Type*>(nullptr), [this](auto item) { return decode_type(item); });
    default:
      break;
  }
  return {};
}

Graph* Decoder::decode_body(std::string_view message) {
  Graph* body = model_.create_body();
  decode_graph(message, *body);
  return body;
}

}  // namespace onnxpress::format
