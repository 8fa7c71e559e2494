// Attributes: "axis = 1", "alpha: float = 1", "value = float[2] {1, 2}", "body = g (x) => (y) { ... }", "axis: int =
// @axis".
#include <fmt/format.h>

#include <bit>

#include "onnxpress/base/error.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

// One value of an attribute, or one item of its list.
struct Parser::Item {
  const char* place = nullptr;
  AttributeType type = AttributeType::kUndefined;
  Number number;  // int, float
  std::string_view string;
  Tensor* tensor = nullptr;
  SparseTensor* sparse = nullptr;
  const Type* type_value = nullptr;
  std::unique_ptr<GraphSyntax> body;
};

namespace {

// Each kind of single value, with the kind of its list.
constexpr std::pair<AttributeType, AttributeType> kLists[] = {
    {AttributeType::kFloat, AttributeType::kFloats},   {AttributeType::kInt, AttributeType::kInts},
    {AttributeType::kString, AttributeType::kStrings}, {AttributeType::kTensor, AttributeType::kTensors},
    {AttributeType::kGraph, AttributeType::kGraphs},   {AttributeType::kSparseTensor, AttributeType::kSparseTensors},
    {AttributeType::kType, AttributeType::kTypes},
};

AttributeType item_type_of(AttributeType list) {
  for (const auto& [item, its_list] : kLists) {
    if (its_list == list) return item;
  }
  return AttributeType::kUndefined;
}

AttributeType list_type_of(AttributeType item) {
  for (const auto& [its_item, list] : kLists) {
    if (its_item == item) return list;
  }
  return AttributeType::kUndefined;
}

bool is_list(AttributeType type) { return item_type_of(type) != AttributeType::kUndefined; }

}  // namespace

std::vector<AttributeSyntax> Parser::parse_attributes() {
  std::vector<AttributeSyntax> attributes;
  in_.expect('<', "to begin the attributes");
  do {
    attributes.push_back(parse_attribute(in_.name("the name of an attribute")));
  } while (in_.take(','));
  in_.expect('>', "after the attributes");
  return attributes;
}

AttributeSyntax Parser::parse_attribute(std::string_view name) {
  AttributeSyntax parsed;
  parsed.attribute = arena_.make<Attribute>();
  Attribute& attribute = *parsed.attribute;
  attribute.name = arena_.text(name);
  attribute.changed = true;
  const AttributeType declared = in_.take(':') ? parse_attribute_type() : AttributeType::kUndefined;
  in_.expect('=', fmt::format("and the value of attribute {}", quote_name(name)));
  if (in_.take('@')) {
    const char* place = in_.place();
    attribute.ref_name = arena_.text(in_.name("the name of an attribute of the function"));
    if (attribute.ref_name.empty()) in_.fail_at(place, "a reference needs a name that is not empty");
    attribute.type = declared;
    attribute.states_type = declared != AttributeType::kUndefined;
  } else if (in_.take('[') || (declared == AttributeType::kStrings && in_.peek() == ']')) {
    parse_list(declared, parsed);  // the official printer leaves out the '[' of an empty list of strings
  } else {
    parse_single(declared, parsed);
  }
  return parsed;
}

AttributeType Parser::parse_attribute_type() {
  const char* place = in_.place();
  const std::string_view word = in_.identifier("the type of the attribute");
  std::string known;
  for (int number = 1; number < kAttributeTypeCount; ++number) {
    const auto type = static_cast<AttributeType>(number);
    if (name_of(type) == word) return type;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(type));
  }
  in_.fail_at(place, fmt::format("unknown attribute type {}", quote_name(word)), fmt::format("known: {}", known));
}

// --- One value

Parser::Item Parser::parse_item(AttributeType expected) {
  Item item;
  item.place = in_.place();
  if (expected != AttributeType::kGraph && in_.at_number()) {
    item.number = in_.number("a number");
    item.type = item.number.kind == Number::Kind::kInteger ? AttributeType::kInt : AttributeType::kFloat;
    if (item.type == AttributeType::kInt && expected == AttributeType::kFloat) item.type = AttributeType::kFloat;
  } else if (expected == AttributeType::kType || (expected != AttributeType::kGraph && at_type())) {
    parse_typed_item(expected, item);
  } else if (in_.at_string()) {
    item.type = AttributeType::kString;
    item.string = in_.string("a string");
    if (in_.peek() == '(' || in_.starts("=>")) {
      item.type = AttributeType::kGraph;
      item.body = std::make_unique<GraphSyntax>();
      item.body->name = item.string;
      parse_graph_after_name(*item.body);
    }
  } else if (in_.at_name() || in_.starts("#@")) {
    item.type = AttributeType::kGraph;
    item.body = std::make_unique<GraphSyntax>();
    item.body->annotations = parse_annotations(kDoc | kMetadata | kQuantization | kName, "a graph");
    parse_graph(*item.body);
    if (item.body->annotations.name.data()) item.body->name = item.body->annotations.name;
  } else {
    in_.fail("expected a value: a number, a string, a tensor, a type or a graph");
  }
  return item;
}

// A type by itself, or a tensor: "float[2] {1, 2}", "float[2] name {1, 2}", "float[2] = [\"location\": \"file\"]".
void Parser::parse_typed_item(AttributeType expected, Item& item) {
  const Type* type = parse_type();
  const char next = in_.peek();
  const bool has_value = next == '{' || next == '=' || next == '[' || in_.at_name() || in_.starts("...");
  if (expected == AttributeType::kType || !has_value) {
    item.type = AttributeType::kType;
    item.type_value = type;
    return;
  }
  const std::string_view name = in_.at_name() ? arena_.text(in_.name("a name")) : std::string_view();
  in_.take('=');
  if (type->kind == Type::Kind::kSparseTensor) {
    item.type = AttributeType::kSparseTensor;
    item.sparse = parse_sparse_tensor(*type, name, item.place);
  } else {
    item.type = AttributeType::kTensor;
    item.tensor = parse_tensor(*type, name, item.place);
  }
}

void Parser::parse_single(AttributeType declared, AttributeSyntax& parsed) {
  Attribute& attribute = *parsed.attribute;
  Item item = parse_item(declared);
  if (declared != AttributeType::kUndefined && declared != item.type) {
    const std::string written = is_list(declared) ? "one value" : fmt::format("a value of type {}", name_of(item.type));
    in_.fail_at(item.place,
                fmt::format("attribute {} is declared {}, but this is {}", quote_name(attribute.name),
                            name_of(declared), written),
                is_list(declared) ? "lists are written in brackets: [1, 2]" : "");
  }
  attribute.type = item.type;
  switch (item.type) {
    case AttributeType::kFloat:
      attribute.value = float_of(item);
      break;
    case AttributeType::kInt:
      attribute.value = int_of(item);
      break;
    case AttributeType::kString:
      attribute.value = arena_.text(item.string);
      break;
    case AttributeType::kTensor:
      attribute.value = item.tensor;
      break;
    case AttributeType::kSparseTensor:
      attribute.value = item.sparse;
      break;
    case AttributeType::kType:
      attribute.value = item.type_value;
      break;
    default:
      parsed.bodies.push_back(std::move(item.body));
  }
}

float Parser::float_of(const Item& item) {
  const auto bits = to_float_bits(item.number);
  if (!bits) in_.fail_at(item.place, "this number is too large for a float");
  return std::bit_cast<float>(*bits);
}

std::int64_t Parser::int_of(const Item& item) {
  const auto value = to_int64(item.number);
  if (!value) in_.fail_at(item.place, "this number does not fit in 64 bits");
  return *value;
}

// --- Lists

void Parser::parse_list(AttributeType declared, AttributeSyntax& parsed) {
  Attribute& attribute = *parsed.attribute;
  const char* place = in_.place();
  if (declared != AttributeType::kUndefined && !is_list(declared)) {
    in_.fail_at(place, fmt::format("attribute {} is declared {}, but this is a list", quote_name(attribute.name),
                                   name_of(declared)));
  }
  AttributeType type = item_type_of(declared);
  std::vector<Item> items;
  if (in_.peek() != ']') {
    do {
      items.push_back(parse_item(type));
      Item& item = items.back();
      // [1, 2.5] is a list of floats, just like [2.5, 1].
      const bool numbers =
          (type == AttributeType::kInt && item.type == AttributeType::kFloat && declared == AttributeType::kUndefined);
      if (type == AttributeType::kUndefined || numbers) type = item.type;
      if (item.type != type) {
        in_.fail_at(item.place, fmt::format("attribute {} is a list of {}, but this item is of type {}",
                                            quote_name(attribute.name), name_of(type), name_of(item.type)));
      }
    } while (in_.take(','));
  }
  in_.expect(']', "after the list");
  if (type == AttributeType::kUndefined) {
    in_.fail_at(place, fmt::format("the empty list of attribute {} needs a type", quote_name(attribute.name)),
                fmt::format("write, for example, {}: ints = []", attribute.name));
  }
  attribute.type = list_type_of(type);
  set_list(type, items, parsed);
}

void Parser::set_list(AttributeType type, std::vector<Item>& items, AttributeSyntax& parsed) {
  const auto all = [&](auto sample, auto&& value_of) {
    std::vector<decltype(sample)> values;
    values.reserve(items.size());
    for (const Item& item : items) values.push_back(value_of(item));
    return std::span<const decltype(sample)>(in_arena(values));
  };
  Attribute::Value& value = parsed.attribute->value;
  switch (type) {
    case AttributeType::kFloat:
      value = all(0.0F, [this](const Item& item) { return float_of(item); });
      break;
    case AttributeType::kInt:
      value = all(std::int64_t{0}, [this](const Item& item) { return int_of(item); });
      break;
    case AttributeType::kString:
      value = all(std::string_view(), [this](const Item& item) { return arena_.text(item.string); });
      break;
    case AttributeType::kTensor:
      value = all(static_cast<Tensor*>(nullptr), [](const Item& item) { return item.tensor; });
      break;
    case AttributeType::kSparseTensor:
      value = all(static_cast<SparseTensor*>(nullptr), [](const Item& item) { return item.sparse; });
      break;
    case AttributeType::kType:
      value = all(static_cast<const Type*>(nullptr), [](const Item& item) { return item.type_value; });
      break;
    default:
      value = std::span<Graph* const>();
      for (Item& item : items) parsed.bodies.push_back(std::move(item.body));
  }
}

}  // namespace onnxpress::text
