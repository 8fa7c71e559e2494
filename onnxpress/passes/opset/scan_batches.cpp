// Builds the body of the outer Scan around a copy of the node.
#include "onnxpress/passes/opset/scan_batches.h"

#include <algorithm>
#include <vector>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/regions/node_copier.h"

namespace onnxpress::passes {

namespace {

// The type of one element of the batch.
const Type* element_type(Model& model, const Value& value, const analysis::Facts& facts) {
  Type type;
  type.kind = Type::Kind::kTensor;
  type.element = facts.of(value).element;
  if (const auto shape = facts.shape_of(value); shape && !shape->empty()) {
    std::vector<Dim> sizes;  // of expressions, only that there is one
    for (const Dim& each : std::span(*shape).subspan(1)) sizes.push_back(each.size() ? each : Dim());
    type.has_shape = true;
    type.dims = model.arena().copy(std::span<const Dim>(sizes));
  }
  return model.arena().make<Type>(type);
}

}  // namespace

bool can_scan_batch(const Node& scan, const analysis::Facts& facts) {
  const auto is_known = [&](const Value* value) {
    return value && facts.of(*value).is_tensor() && facts.of(*value).element != ElementType::kUndefined;
  };
  // The first operand of the old version is the lengths.
  const bool knows_operands = std::ranges::all_of(scan.inputs().subspan(std::min<std::size_t>(1, scan.inputs().size())),
                                                  [&](const Use& use) { return is_known(use.value()); });
  return knows_operands && std::ranges::all_of(scan.outputs(), is_known);
}

void scan_batch(Model& model, Node& scan, const analysis::Facts& facts) {
  Graph& graph = *scan.graph();
  Graph* body = model.create_body();
  body->set_name("batch");
  std::vector<Value*> operands, elements;
  for (const Use& use : scan.inputs()) {
    operands.push_back(use.value());
    elements.push_back(body->create_value({}));
    body->add_input(elements.back(), element_type(model, *use.value(), facts));
  }
  Node* inner = NodeCopier(model).copy(scan, *body, nullptr);
  body->set_inputs(*inner, elements);
  const std::vector<Value*> results(scan.outputs().begin(), scan.outputs().end());
  for (std::size_t i = 0; i < results.size(); ++i)
    body->add_output(inner->output(i), element_type(model, *results[i], facts));
  Attribute* const attributes[] = {
      make_attribute(model.arena(), "body", body),
      make_attribute(model.arena(), "num_scan_inputs", static_cast<std::int64_t>(operands.size()))};
  Node* next = scan.next();
  while (next && next->erased()) next = next->next();
  const std::string_view name = scan.name();
  graph.erase(scan);
  graph.insert_before(
      next, {.op_type = "Scan", .name = name, .inputs = operands, .outputs = results, .attributes = attributes});
}

}  // namespace onnxpress::passes
