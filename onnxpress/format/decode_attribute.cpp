// AttributeProto: one value of fourteen kinds. Fields of a kind other than the stated one are kept in the file but not
// read.
#include <fmt/format.h>

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

// The value fields of one attribute, as they come.
struct Fields {
  float f = 0;
  std::int64_t i = 0;
  std::string_view s = "";
  Singular message;  // t, g, tp or sparse_tensor, whichever the type asks for
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string_view> list;  // strings, or messages of a repeated kind
};

}  // namespace

Attribute* Decoder::decode_attribute(std::string_view message) {
  count();
  auto* attribute = arena_.make<Attribute>();
  attribute->origin = message;
  attribute->states_type = false;

  // First what it is, then its value: the type comes last in the file.
  std::uint32_t first_value_field = 0;
  WireReader head = cursor(message);
  while (head.next()) {
    switch (head.field()) {
      case field::kName:
        attribute->name = head.bytes();
        break;
      case field::kRefAttrName:
        attribute->ref_name = head.bytes();
        break;
      case field::kDocString:
        attribute->doc = head.bytes();
        break;
      case field::kType:
        attribute->type = static_cast<AttributeType>(head.int32());
        attribute->states_type = true;
        break;
      default:
        if (first_value_field == 0 && is_value_field(head.field())) first_value_field = head.field();
        head.skip();
    }
  }
  if (attribute->type == AttributeType::kUndefined) attribute->type = type_with_field(first_value_field);
  const std::uint32_t wanted = field_of(attribute->type);
  if (attribute->is_reference() && first_value_field == 0) return attribute;

  Fields value;
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() != wanted) {
      attribute->conflicting |= is_value_field(in.field());
      in.skip();
      continue;
    }
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

  const auto each = [&](auto made, auto&& decode) {
    std::vector<decltype(made)> all;
    all.reserve(value.list.size());
    for (const std::string_view item : value.list) all.push_back(decode(item));
    return std::span<decltype(made) const>(in_arena(all));
  };
  const std::string_view inside = value.message.present() ? value.message.view(arena_) : std::string_view();
  const bool has_message = inside.data() != nullptr;
  switch (attribute->type) {
    case AttributeType::kFloat:
      attribute->value = value.f;
      break;
    case AttributeType::kInt:
      attribute->value = value.i;
      break;
    case AttributeType::kString:
      attribute->value = value.s;
      break;
    case AttributeType::kFloats:
      attribute->value = in_arena(value.floats);
      break;
    case AttributeType::kInts:
      attribute->value = in_arena(value.ints);
      break;
    case AttributeType::kStrings:
      attribute->value = in_arena(value.list);
      break;
    case AttributeType::kTensor:
      if (has_message) attribute->value = decode_tensor(inside);
      break;
    case AttributeType::kGraph:
      if (has_message) attribute->value = decode_body(inside);
      break;
    case AttributeType::kSparseTensor:
      if (has_message) attribute->value = decode_sparse_tensor(inside);
      break;
    case AttributeType::kType:
      if (has_message) attribute->value = decode_type(inside);
      break;
    case AttributeType::kTensors:
      attribute->value = each(static_cast<Tensor*>(nullptr), [this](auto item) { return decode_tensor(item); });
      break;
    case AttributeType::kGraphs:
      attribute->value = each(static_cast<Graph*>(nullptr), [this](auto item) { return decode_body(item); });
      break;
    case AttributeType::kSparseTensors:
      attribute->value =
          each(static_cast<SparseTensor*>(nullptr), [this](auto item) { return decode_sparse_tensor(item); });
      break;
    case AttributeType::kTypes:
      attribute->value = each(static_cast<const Type*>(nullptr), [this](auto item) { return decode_type(item); });
      break;
    default:
      break;
  }
  return attribute;
}

Graph* Decoder::decode_body(std::string_view message) {
  Graph* body = model_.create_body();
  decode_graph(message, *body);
  return body;
}

}  // namespace onnxpress::format
