// Creates and removes constants, tensors and attributes.
#include "onnxpress/ir/constants.h"

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace onnxpress {

Tensor* make_tensor(Arena& arena, ElementType type, std::span<const std::int64_t> dims, Tensor::Content content) {
  auto* tensor = arena.make<Tensor>();
  tensor->type = type;
  tensor->storage = Storage::kMade;
  tensor->dims = arena.copy(dims);
  tensor->content = std::move(content);
  return tensor;
}

Tensor* make_integers(Arena& arena, std::span<const std::int64_t> values) {
  const auto length = static_cast<std::int64_t>(values.size());
  return make_tensor(arena, ElementType::kInt64, {&length, 1},
                     Bytes::owned(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes())));
}

Attribute* make_attribute(Arena& arena, std::string_view name, const Attribute::Value& value) {
  auto* attribute = arena.make<Attribute>();
  attribute->name = arena.text(name);
  attribute->type = type_of(value);
  attribute->value = value;
  if (const auto* text = std::get_if<std::string_view>(&value)) attribute->value = arena.text(*text);
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&value))
    attribute->value = std::span<const std::int64_t>(arena.copy(*list));
  if (const auto* list = std::get_if<std::span<const float>>(&value))
    attribute->value = std::span<const float>(arena.copy(*list));
  if (const auto* list = std::get_if<std::span<const std::string_view>>(&value)) {
    const auto texts = arena.copy(*list);
    for (std::string_view& text : texts) text = arena.text(text);
    attribute->value = std::span<const std::string_view>(texts);
  }
  return attribute;
}

const Type* make_tensor_type(Arena& arena, ElementType element, std::span<const Dim> dims) {
  Type type;
  type.kind = Type::Kind::kTensor;
  type.has_shape = true;
  type.element = element;
  type.dims = arena.copy(dims);
  return arena.make<Type>(type);
}

const Type* make_tensor_type(Arena& arena, ElementType element, std::span<const std::int64_t> dims) {
  std::vector<Dim> all;
  for (const std::int64_t dim : dims) all.push_back(Dim::fits(dim) ? Dim::size(dim) : Dim());
  return make_tensor_type(arena, element, all);
}

bool has_plain_initializers(const Model& model) {
  constexpr std::int64_t kPlainInitializers = 4;
  return model.ir_version.value_or(kPlainInitializers) >= kPlainInitializers;
}

Value* add_constant(Model& model, Graph& graph, Node* position, Tensor* tensor, std::string_view name) {
  Value* value = graph.create_value(name);
  define_constant(model, *value, position, tensor);
  return value;
}

void define_constant(Model& model, Value& value, Node* position, Tensor* tensor) {
  Graph& graph = *value.graph();
  if (&graph == &model.graph() && has_plain_initializers(model)) {
    graph.add_initializer(&value, tensor);
    return;
  }
  tensor->name = {};
  Attribute* attribute = make_attribute(model.arena(), "value", tensor);
  Value* result = &value;
  graph.insert_before(position, {.op_type = "Constant", .outputs = {&result, 1}, .attributes = {&attribute, 1}});
}

Tensor* constant_tensor(const Value& value) {
  if (value.constant()) return value.initializer();
  const Node* node = value.producer();
  const Attribute* attribute = node && node->is("Constant") ? node->attribute("value") : nullptr;
  auto* const* tensor = attribute && !attribute->is_reference() ? std::get_if<Tensor*>(&attribute->value) : nullptr;
  return tensor ? *tensor : nullptr;
}

bool remove_unused_constant(Value& value) {
  if (value.is_used() || value.is_input()) return false;
  if (value.initializer() || value.sparse_initializer()) {
    value.graph()->remove_initializer(&value);
    return true;
  }
  Node* node = value.producer();
  if (!node || !node->is("Constant")) return false;
  node->graph()->erase(*node);
  return true;
}

}  // namespace onnxpress
