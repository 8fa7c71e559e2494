// Attributes as text: their type is shown only if the value does not imply it.
#include <bit>

#include "onnxpress/base/error.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/printer.h"

namespace onnxpress::text {

namespace {

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

bool is_empty_list(const Attribute::Value& value) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires { held.empty(); } && !std::is_same_v<std::decay_t<decltype(held)>, std::string_view>) {
          return held.empty();
        } else {
          return false;
        }
      },
      value);
}

bool is_shown(const Type* type) { return type && type->kind != Type::Kind::kNone; }

}  // namespace

bool Printer::can_print(const Attribute& attribute) {
  bool printable = attribute.is_reference() || !std::holds_alternative<std::monostate>(attribute.value);
  if (const auto* type = std::get_if<const Type*>(&attribute.value)) printable = is_shown(*type);
  if (const auto* types = std::get_if<std::span<const Type* const>>(&attribute.value)) {
    for (const Type* type : *types) printable &= is_shown(type);
  }
  if (!printable) lose(fmt::format("attribute {}, which has no value", quote_name(attribute.name)));
  return printable;
}

void Printer::print_attributes(const Node& node, bool has_bodies) {
  std::vector<const Attribute*> attributes;
  for (const Attribute* attribute : node.attributes()) {
    if (can_print(*attribute)) attributes.push_back(attribute);
  }
  if (attributes.empty()) return;
  const bool lines = has_bodies && !options_.hide_bodies;
  out_ += " <";
  if (lines) indent_ += 2;
  bool first = true;
  for (const Attribute* attribute : attributes) {
    if (!first) out_ += lines ? "," : ", ";
    first = false;
    if (lines) line();
    print_attribute(*attribute);
  }
  if (lines) {
    indent_ -= 2;
    line();
  }
  out_ += '>';
}

void Printer::print_attribute(const Attribute& attribute) {
  if (!attribute.doc.empty()) lose(fmt::format("the doc_string of attribute {}", quote_name(attribute.name)));
  if (attribute.conflicting) lose(fmt::format("the other values of attribute {}", quote_name(attribute.name)));
  append_word(out_, attribute.name);
  const bool reference = attribute.is_reference();
  const bool is_type = attribute.type == AttributeType::kType || attribute.type == AttributeType::kTypes;
  const bool tells =
      reference ? attribute.type == AttributeType::kUndefined : !is_type && !is_empty_list(attribute.value);
  if (!tells) fmt::format_to(std::back_inserter(out_), ": {}", name_of(attribute.type));
  out_ += " = ";
  if (reference) {
    out_ += '@';
    append_word(out_, attribute.ref_name);
  } else {
    print_attribute_value(attribute);
  }
}

void Printer::print_attribute_value(const Attribute& attribute) {
  const auto list = [this](const auto& items, auto&& print) {
    out_ += '[';
    print_list(items, print);
    out_ += ']';
  };
  const auto type = [this](const Type* each) {
    lose_denotations(*each, false);
    print_type(each);
  };
  // Names that must be quoted become annotations of the node; a function's parameters have no node.
  const auto named_here = [this](const Tensor& tensor) { return !node_ || is_plain_name(tensor.name); };
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [this](float value) { print_float(value); },
                 [this](std::int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); },
                 [this](std::string_view value) { append_quoted(out_, value); },
                 [&](Tensor* value) { print_tensor(*value, named_here(*value) ? value->name : std::string_view()); },
                 [this](Graph* value) { print_body(*value); },
                 [this](SparseTensor* value) { print_sparse(*value); },
                 type,
                 [&](std::span<const float> values) { list(values, [this](float value) { print_float(value); }); },
                 [&](std::span<const std::int64_t> values) {
                   list(values, [this](std::int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); });
                 },
                 [&](std::span<const std::string_view> values) {
                   list(values, [this](std::string_view value) { append_quoted(out_, value); });
                 },
                 [&](std::span<Tensor* const> values) {
                   list(values, [this](Tensor* value) { print_tensor(*value, value->name); });
                 },
                 [&](std::span<Graph* const> values) { list(values, [this](Graph* value) { print_body(*value); }); },
                 [&](std::span<SparseTensor* const> values) {
                   list(values, [this](SparseTensor* value) { print_sparse(*value); });
                 },
                 [&](std::span<const Type* const> values) { list(values, type); },
             },
             attribute.value);
}

void Printer::print_float(float value) {
  const std::size_t begin = out_.size();
  append_float(out_, std::bit_cast<std::uint32_t>(value));
  mark_as_real(out_, begin);
}

}  // namespace onnxpress::text
