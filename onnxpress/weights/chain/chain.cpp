// Building chains, their size, and putting them into a graph.
#include "onnxpress/weights/chain/chain.h"

#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/shared/wire_size.h"

namespace onnxpress::weights {

namespace {

// Fresh values are named v0, v1, ... when written.
constexpr std::uint64_t kFreshNameBytes = 5;

Tensor* copy_into(Arena& arena, const Tensor& tensor) {
  auto* copy = arena.make<Tensor>(tensor);
  copy->dims = arena.copy(tensor.dims);
  return copy;
}

Attribute* copy_into(Arena& arena, const Attribute& attribute) {
  auto* const* tensor = std::get_if<Tensor*>(&attribute.value);
  return make_attribute(arena, attribute.name, tensor ? Attribute::Value(copy_into(arena, **tensor)) : attribute.value);
}

}  // namespace

bool is_chain_op(const Node& node) {
  const ops::Op* op = is_standard_domain(node.domain()) ? ops::newest_op("", node.op_type()) : nullptr;
  return op && op->has(ops::kDecodes);
}

std::uint64_t Chain::serialized_bytes(std::string_view result_name) const {
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : std::span(constants).subspan(base ? 1 : 0))
    bytes += passes::initializer_bytes(tensor.type, tensor.dims, tensor.stored_bytes(), kFreshNameBytes);
  for (const Step& step : steps) {
    const bool last = &step == &steps.back();
    std::uint64_t node = passes::field_bytes(step.op_type.size()) +
                         step.inputs.size() * passes::field_bytes(kFreshNameBytes) +
                         passes::field_bytes(last ? result_name.size() : kFreshNameBytes);
    for (const Attribute* attribute : step.attributes) node += passes::attribute_bytes(*attribute);
    bytes += passes::field_bytes(node);
  }
  return bytes;
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
  const auto opset = candidate_->opset();
  const ops::Op* op = opset ? ops::find_op("", op_type, *opset) : nullptr;
  if (op) std::erase_if(attributes, [op](const Attribute* each) { return ops::is_default(*op->schema, *each); });
  chain_.steps.push_back({op_type, std::move(inputs), std::move(attributes)});
  return ~static_cast<Chain::Ref>(chain_.steps.size() - 1);
}

Attribute* ChainBuilder::attribute(std::string_view name, std::int64_t value) {
  return make_attribute(*chain_.arena, name, value);
}
Attribute* ChainBuilder::attribute(std::string_view name, std::span<const std::int64_t> values) {
  return make_attribute(*chain_.arena, name, values);
}
Attribute* ChainBuilder::attribute(std::string_view name, std::string_view text) {
  return make_attribute(*chain_.arena, name, text);
}
Attribute* ChainBuilder::attribute(std::string_view name, ElementType type, std::span<const std::int64_t> dims,
                                   Bytes content) {
  return make_attribute(*chain_.arena, name, make_tensor(*chain_.arena, type, dims, std::move(content)));
}

}  // namespace onnxpress::weights
