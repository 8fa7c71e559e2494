// Building blocks of generated models.
#include "onnxpress/tasks/generate/generate_builder.h"

#include <fmt/format.h>

#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/generate/generate_fill.h"

namespace onnxpress {

namespace {

// std::hash differs between libraries, and generated models must not.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = splitmix64(seed);
  for (const char c : text) hash = splitmix64(hash ^ static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

const Type* ModelBuilder::type(ElementType element, std::span<const Dim> dims) {
  return make_tensor_type(model_.arena(), element, dims);
}

Value* ModelBuilder::input(std::string_view name, const Type* type) {
  Value* value = graph_->create_value(text(name), type);
  graph_->add_input(value, type);
  return value;
}

Tensor* ModelBuilder::filled(std::span<const std::int64_t> dims, std::string_view content) {
  Tensor* tensor = make_tensor(model_.arena(), options_.type, dims, {});
  if (!tensor->expected_bytes()) {
    throw Error("", fmt::format("a weight of shape {} would be larger than any file", to_string(dims)),
                "choose smaller sizes");
  }
  tensor->content =
      make_fill(fill_of(options_), options_.type, *tensor->element_count(), hash_of(content, options_.seed));
  return tensor;
}

Value* ModelBuilder::weight(std::string_view name, std::span<const std::int64_t> dims, std::string_view content) {
  if (fill_of(options_) == Fill::kSplat) {
    const std::int64_t one[] = {1};
    return node("ConstantOfShape", {}, {shape(dims)}, {attribute("value", filled(one, name))}, name);
  }
  Value* value = graph_->create_value(text(name));
  graph_->add_initializer(value, filled(dims, content.empty() ? name : content));
  return value;
}

Value* ModelBuilder::initializer(std::string_view name, ElementType element, std::span<const std::int64_t> dims,
                                 std::string bytes) {
  Value* value = graph_->create_value(text(name));
  graph_->add_initializer(value, make_tensor(model_.arena(), element, dims, Bytes::owned(std::move(bytes))));
  return value;
}

Value* ModelBuilder::number(std::string_view name, double value) {
  return initializer(name, options_.type, {}, encode_number(value, options_.type));
}

Value* ModelBuilder::floats(std::string_view name, std::span<const double> values) {
  std::string bytes;
  for (const double each : values) bytes += encode_number(each, ElementType::kFloat);
  const std::int64_t dims[] = {static_cast<std::int64_t>(values.size())};
  return initializer(name, ElementType::kFloat, dims, std::move(bytes));
}

Value* ModelBuilder::integers(std::string_view name, std::span<const std::int64_t> values) {
  Value* value = graph_->create_value(text(name));
  graph_->add_initializer(value, make_integers(model_.arena(), values));
  return value;
}

Value* ModelBuilder::integer(std::string_view name, std::int64_t value) {
  return initializer(name, ElementType::kInt64, {}, encode_number(static_cast<double>(value), ElementType::kInt64));
}

Value* ModelBuilder::shape(std::span<const std::int64_t> values) {
  const auto [place, is_new] =
      shapes_.try_emplace({graph_, std::vector<std::int64_t>(values.begin(), values.end())}, nullptr);
  if (is_new) place->second = integers(fmt::format("shape_{}", fmt::join(values, "_")), values);
  return place->second;
}

Attribute* ModelBuilder::attribute(std::string_view name, Attribute::Value value) {
  return make_attribute(model_.arena(), name, value);
}

Attribute* ModelBuilder::ints(std::string_view name, std::initializer_list<std::int64_t> values) {
  return make_attribute(model_.arena(), name, values);
}

Value* ModelBuilder::node(std::string_view op_type, std::string_view name, std::span<Value* const> inputs,
                          Attributes attributes, std::string_view result, std::string_view domain) {
  Value* value = graph_->create_value(text(result.empty() ? fmt::format("{}_output", name) : std::string(result)));
  NodeParts parts;
  parts.op_type = op_type;
  parts.domain = domain;
  parts.name = text(name);
  parts.inputs = inputs;
  parts.outputs = std::span<Value* const>(&value, 1);
  parts.attributes = std::span<Attribute* const>(attributes.begin(), attributes.size());
  graph_->append(parts);
  return value;
}

std::vector<Value*> ModelBuilder::nodes(std::string_view op_type, std::string_view name, std::span<Value* const> inputs,
                                        std::span<Attribute* const> attributes, std::span<const std::string> results) {
  std::vector<Value*> values;
  for (const std::string& each : results) values.push_back(graph_->create_value(text(each)));
  NodeParts parts;
  parts.op_type = op_type;
  parts.name = text(name);
  parts.inputs = inputs;
  parts.outputs = values;
  parts.attributes = attributes;
  graph_->append(parts);
  return values;
}

}  // namespace onnxpress
