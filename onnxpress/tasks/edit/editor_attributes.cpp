// Sets attributes: converts values to the type that the schema of the op requires, or to an operand if the opset keeps
// them there.
#include <fmt/format.h>

#include <cmath>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress {

namespace {

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text = text.substr(comma + 1);
  }
}

template <typename Number>
std::optional<std::vector<Number>> numbers_in(std::string_view text) {
  std::vector<Number> numbers;
  for (const std::string& part : split(text)) {
    const auto number = number_in<Number>(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Guesses the kind of an attribute from its text alone.
AttributeContent content_in(std::string_view text) {
  const bool list = text.find(',') != std::string_view::npos || (text.starts_with('[') && text.ends_with(']'));
  if (list) {
    if (const auto numbers = numbers_in<std::int64_t>(text)) return *numbers;
    if (const auto numbers = numbers_in<double>(text)) return *numbers;
    if (text.starts_with('[')) return split(text);
    return std::string(text);
  }
  if (const auto number = number_in<std::int64_t>(text)) return *number;
  if (const auto number = number_in<double>(text)) return *number;
  return std::string(text);
}

// Converts the content to that kind if nothing is lost by it; nullopt otherwise.
std::optional<Attribute::Value> as_kind(const AttributeContent& content, AttributeType kind, Arena& arena) {
  const auto* integer = std::get_if<std::int64_t>(&content);
  const auto* real = std::get_if<double>(&content);
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&content);
  const auto* reals = std::get_if<std::vector<double>>(&content);
  switch (kind) {
    case AttributeType::kInt:
      if (integer) return *integer;
      break;
    case AttributeType::kFloat:
      if (integer) return static_cast<float>(*integer);
      if (real) return static_cast<float>(*real);
      break;
    case AttributeType::kString:
      if (const auto* text = std::get_if<std::string>(&content)) return arena.text(*text);
      break;
    case AttributeType::kInts:
      if (integers) return std::span<const std::int64_t>(arena.copy(std::span<const std::int64_t>(*integers)));
      if (integer) return std::span<const std::int64_t>(arena.copy(std::span<const std::int64_t>(integer, 1)));
      break;
    case AttributeType::kFloats: {
      std::vector<float> floats;
      if (integers) floats.assign(integers->begin(), integers->end());
      if (reals) floats.assign(reals->begin(), reals->end());
      if (integer) floats.push_back(static_cast<float>(*integer));
      if (real) floats.push_back(static_cast<float>(*real));
      if (integers || reals || integer || real)
        return std::span<const float>(arena.copy(std::span<const float>(floats)));
      break;
    }
    case AttributeType::kStrings: {
      std::vector<std::string_view> texts;
      if (const auto* list = std::get_if<std::vector<std::string>>(&content)) {
        for (const std::string& each : *list) texts.push_back(arena.text(each));
      } else if (const auto* text = std::get_if<std::string>(&content)) {
        texts.push_back(arena.text(*text));
      } else {
        break;
      }
      return std::span<const std::string_view>(arena.copy(std::span<const std::string_view>(texts)));
    }
    case AttributeType::kTensor:
      if (auto* const* tensor = std::get_if<Tensor*>(&content)) return *tensor;
      break;
    default:
      break;
  }
  return std::nullopt;
}

AttributeType kind_of(const AttributeContent& content) {
  static constexpr AttributeType kKinds[] = {AttributeType::kInt,   AttributeType::kFloat,  AttributeType::kString,
                                             AttributeType::kInts,  AttributeType::kFloats, AttributeType::kStrings,
                                             AttributeType::kTensor};
  return kKinds[content.index()];
}

std::string known_names(const ops::Schema& schema) {
  std::vector<std::string_view> names;
  for (const ops::ParameterSchema& each : schema.attributes) names.push_back(each.name);
  return names.empty() ? "it has no attributes" : fmt::format("it has {}", fmt::join(names, ", "));
}

std::optional<passes::Parameter> parameter_of(std::string_view name, const AttributeContent& content) {
  if (const auto* value = std::get_if<std::int64_t>(&content)) return passes::Parameter(name, *value);
  if (const auto* value = std::get_if<double>(&content)) return passes::Parameter(name, *value);
  if (const auto* value = std::get_if<std::vector<std::int64_t>>(&content)) return passes::Parameter(name, *value);
  if (const auto* value = std::get_if<std::vector<double>>(&content))
    return passes::Parameter(name, std::vector<float>(value->begin(), value->end()));
  return std::nullopt;
}

// Must a single number become a list with one element? Yes if the present operand is a list or, if there is none, if
// the attribute that the operand replaced in newer opsets was one.
bool is_list(const Node& node, const ops::Op& op, std::string_view name, const analysis::Facts& facts) {
  const Value* before = node.input(static_cast<std::size_t>(op.schema->operand(name)));
  if (const auto shape = before ? facts.shape_of(*before) : std::nullopt) return shape->size() == 1;
  for (std::int64_t version = op.schema->since - 1; version > 0; --version) {
    const ops::Op* older = ops::find_op(node.domain(), node.op_type(), version);
    const ops::ParameterSchema* schema = older ? older->schema->attribute(name) : nullptr;
    if (schema) return schema->type == AttributeType::kInts || schema->type == AttributeType::kFloats;
  }
  return false;
}

AttributeContent as_list(const AttributeContent& content) {
  if (const auto* value = std::get_if<std::int64_t>(&content)) return std::vector<std::int64_t>{*value};
  if (const auto* value = std::get_if<double>(&content)) return std::vector<double>{*value};
  return content;
}

}  // namespace

void Editor::set_attribute(Node& node, std::string_view name, const AttributeContent& content) {
  if (name.empty()) throw Error("", "an attribute needs a name");
  const std::string label = analysis::node_label(node);
  const ops::Op* op = rewriter_->op_of(node);
  const Attribute* before = node.attribute(name);
  AttributeType kind = before ? before->type : kind_of(content);
  if (op) {
    const ops::ParameterSchema* schema = op->schema->attribute(name);
    if (!schema && op->schema->operand(name) >= 0) {
      const auto parameter = parameter_of(name, is_list(node, *op, name, *facts_) ? as_list(content) : content);
      rewriter_->insert_before(node);
      if (parameter && rewriter_->set_parameter(node, *parameter)) return;
      throw Error("", fmt::format("{} is an operand of node {} and cannot be set this way", quote_name(name), label));
    }
    if (!schema && !before) {
      throw Error("", fmt::format("node {} has no attribute {}", label, quote_name(name)), known_names(*op->schema));
    }
    if (schema) kind = schema->type;
  }
  const auto value = as_kind(content, kind, model_.arena());
  if (!value)
    throw Error("", fmt::format("attribute {} of node {} is of kind {}", quote_name(name), label, name_of(kind)));
  node.graph()->set_attribute(node, make_attribute(model_.arena(), name, *value));
}

void Editor::set_attribute_text(Node& node, std::string_view name, std::string_view text) {
  const ops::Op* op = rewriter_->op_of(node);
  const ops::ParameterSchema* schema = op ? op->schema->attribute(name) : nullptr;
  const Attribute* before = node.attribute(name);
  const AttributeType kind = schema ? schema->type : before ? before->type : AttributeType::kUndefined;
  // A string attribute takes the text as it is, even if it looks like a number.
  if (kind == AttributeType::kString) return set_attribute(node, name, std::string(text));
  if (kind == AttributeType::kStrings) return set_attribute(node, name, split(text));
  set_attribute(node, name, content_in(text));
}

void Editor::remove_attribute(Node& node, std::string_view name) {
  if (!node.attribute(name))
    throw Error("", fmt::format("node {} has no attribute {}", analysis::node_label(node), quote_name(name)));
  const ops::Op* op = rewriter_->op_of(node);
  const ops::ParameterSchema* schema = op ? op->schema->attribute(name) : nullptr;
  if (schema && schema->required)
    throw Error("", fmt::format("node {} needs its attribute {}", analysis::node_label(node), quote_name(name)));
  node.graph()->remove_attribute(node, name);
}

}  // namespace onnxpress
