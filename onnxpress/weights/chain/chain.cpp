// Building chains, their size, and putting them into a graph.
#include "onnxpress/weights/chain/chain.h"

#include <algorithm>
#include <iterator>

#include "onnxpress/weights/chain/wire_size.h"

namespace onnxpress::weights {

namespace {

constexpr std::string_view kChainOps[] = {"Add",
                                          "And",
                                          "BitCast",
                                          "BitShift",
                                          "BitwiseAnd",
                                          "BitwiseOr",
                                          "BitwiseXor",
                                          "Cast",
                                          "Concat",
                                          "ConstantOfShape",
                                          "CumSum",
                                          "Div",
                                          "Equal",
                                          "Expand",
                                          "EyeLike",
                                          "Gather",
                                          "GatherElements",
                                          "GatherND",
                                          "Less",
                                          "Mod",
                                          "Mul",
                                          "Neg",
                                          "Not",
                                          "OneHot",
                                          "Or",
                                          "Pad",
                                          "Range",
                                          "Reshape",
                                          "ScatterElements",
                                          "ScatterND",
                                          "Slice",
                                          "Squeeze",
                                          "Sub",
                                          "Tile",
                                          "Transpose",
                                          "Trilu",
                                          "Unsqueeze",
                                          "Where",
                                          "Xor"};

// Fresh values are named v0, v1, ... when written.
constexpr std::uint64_t kFreshNameBytes = 5;
// Initializers that are not inputs exist since this version of the format.
constexpr std::int64_t kPlainInitializers = 4;

Tensor* copy_into(Arena& arena, const Tensor& tensor) {
  auto* copy = arena.make<Tensor>(tensor);
  copy->dims = arena.copy(tensor.dims);
  return copy;
}

Attribute* copy_into(Arena& arena, const Attribute& attribute) {
  auto* copy = arena.make<Attribute>(attribute);
  copy->name = arena.text(attribute.name);
  if (const auto* text = std::get_if<std::string_view>(&attribute.value)) copy->value = arena.text(*text);
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value))
    copy->value = std::span<const std::int64_t>(arena.copy(*list));
  if (auto* const* tensor = std::get_if<Tensor*>(&attribute.value)) copy->value = copy_into(arena, **tensor);
  return copy;
}

}  // namespace

bool is_chain_op(std::string_view op_type) {
  return std::binary_search(std::begin(kChainOps), std::end(kChainOps), op_type);
}

bool is_chain_op(const Node& node) { return is_standard_domain(node.domain()) && is_chain_op(node.op_type()); }

std::uint64_t Chain::serialized_bytes(std::string_view result_name) const {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : std::span(constants).subspan(base ? 1 : 0))
    bytes += initializer_bytes(tensor.type, tensor.dims, tensor.stored_bytes(), kFreshNameBytes);
  for (const Step& step : steps) {
    const bool last = &step == &steps.back();
    std::uint64_t node = field_bytes(step.op_type.size()) + step.inputs.size() * field_bytes(kFreshNameBytes) +
                         field_bytes(last ? result_name.size() : kFreshNameBytes);
    for (const Attribute* attribute : step.attributes) node += attribute_bytes(*attribute);
    bytes += field_bytes(node);
  }
  return bytes;
}

bool has_plain_initializers(const Model& model) {
  return model.ir_version.value_or(kPlainInitializers) >= kPlainInitializers;
}

Value* add_constant(Model& model, Graph& graph, Node* position, Tensor* tensor, std::string_view name) {
  Value* value = graph.create_value(name);
  make_constant(model, graph, position, value, tensor);
  return value;
}

void make_constant(Model& model, Graph& graph, Node* position, Value* value, Tensor* tensor) {
  if (&graph == &model.graph() && has_plain_initializers(model)) {
    graph.add_initializer(value, tensor);
    return;
  }
  tensor->name = {};
  Attribute* attribute = model.arena().make<Attribute>();
  attribute->name = "value";
  attribute->type = AttributeType::kTensor;
  attribute->value = tensor;
  graph.insert_before(position,
                      {.op_type = "Constant", .outputs = std::span(&value, 1), .attributes = std::span(&attribute, 1)});
}

void insert(const Chain& chain, Model& model, Node* position, Value* result) {
  Graph& graph = *result->graph();
  std::vector<Value*> constants, results;
  for (const Tensor& tensor : chain.constants) {
    const bool is_there = chain.base && constants.empty();
    constants.push_back(is_there ? chain.base
                                 : add_constant(model, graph, position, copy_into(model.arena(), tensor), {}));
  }
  for (const Chain::Step& step : chain.steps) {
    std::vector<Value*> inputs;
    for (const Chain::Ref ref : step.inputs)
      inputs.push_back(ref >= 0 ? constants[static_cast<std::size_t>(ref)]
                                : results[static_cast<std::size_t>(-1 - ref)]);
    std::vector<Attribute*> attributes;
    for (const Attribute* each : step.attributes) attributes.push_back(copy_into(model.arena(), *each));
    results.push_back(&step == &chain.steps.back() ? result : graph.create_value({}));
    graph.insert_before(position, {.op_type = step.op_type,
                                   .inputs = inputs,
                                   .outputs = std::span(&results.back(), 1),
                                   .attributes = attributes});
  }
}

Chain::Ref ChainBuilder::constant(ElementType type, std::span<const std::int64_t> dims, Tensor::Content content) {
  Tensor tensor;
  tensor.type = type;
  tensor.storage = Storage::kMade;
  tensor.dims = chain_.arena->copy(dims);
  tensor.content = std::move(content);
  chain_.constants.push_back(std::move(tensor));
  return static_cast<Chain::Ref>(chain_.constants.size() - 1);
}

Chain::Ref ChainBuilder::integers(std::span<const std::int64_t> values) {
  const auto length = static_cast<std::int64_t>(values.size());
  return constant(ElementType::kInt64, std::span(&length, 1),
                  Bytes::owned(std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes())));
}

Chain::Ref ChainBuilder::op(std::string_view op_type, std::vector<Chain::Ref> inputs,
                            std::vector<Attribute*> attributes) {
  chain_.steps.push_back({op_type, std::move(inputs), std::move(attributes)});
  return ~static_cast<Chain::Ref>(chain_.steps.size() - 1);
}

Attribute* ChainBuilder::made(std::string_view name, Attribute::Value value) {
  auto* attribute = chain_.arena->make<Attribute>();
  attribute->name = chain_.arena->text(name);
  attribute->type = type_of(value);
  attribute->value = value;
  return attribute;
}

Attribute* ChainBuilder::attribute(std::string_view name, std::int64_t value) { return made(name, value); }
Attribute* ChainBuilder::attribute(std::string_view name, std::span<const std::int64_t> values) {
  return made(name, std::span<const std::int64_t>(chain_.arena->copy(values)));
}
Attribute* ChainBuilder::attribute(std::string_view name, std::string_view text) {
  return made(name, chain_.arena->text(text));
}
Attribute* ChainBuilder::attribute(std::string_view name, ElementType type, std::span<const std::int64_t> dims,
                                   Bytes content) {
  auto* tensor = chain_.arena->make<Tensor>();
  tensor->type = type;
  tensor->storage = Storage::kMade;
  tensor->dims = chain_.arena->copy(dims);
  tensor->content = std::move(content);
  return made(name, tensor);
}

}  // namespace onnxpress::weights
