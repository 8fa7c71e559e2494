// Puts the branch that is taken in the place of an If whose condition is known.
//
//   before: y = If(true) <then_branch = {t = Relu(x) => t}, else_branch = ...>
//   after:  y = Relu(x)
//
// Nodes of the branch move out in their order; names of its values are free to be chosen anew, since the same name may
// stand outside. A result that is a constant or an outer value gets an Identity where it is an output of the graph.
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Constants and nodes of the body, made again in front of the If; whoever used the old values uses the new ones.
void move_out(Graph& body, Node& position, Rewriter& rw) {
  Graph& outer = *position.graph();
  for (Value* value : std::vector<Value*>(body.initializers().begin(), body.initializers().end())) {
    Tensor* tensor = rw.model().arena().make<Tensor>(*value->initializer());
    tensor->origin = {};
    body.replace_all_uses(value, add_constant(rw.model(), outer, &position, tensor));
  }
  for (Node& node : body.nodes()) {
    std::vector<Value*> inputs, outputs;
    for (const Use& use : node.inputs()) inputs.push_back(use.value());
    for (const Value* output : node.outputs())
      outputs.push_back(output ? outer.create_value({}, output->type()) : nullptr);
    outer.insert_before(&position, {.op_type = node.op_type(),
                                    .domain = node.domain(),
                                    .overload = node.overload(),
                                    .name = node.name(),
                                    .doc = node.doc(),
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .attributes = node.attributes(),
                                    .metadata = node.metadata(),
                                    .device_configurations = node.device_configurations()});
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i)) body.replace_all_uses(node.output(i), outputs[i]);
    }
  }
}

bool apply(Node& node, Rewriter& rw) {
  const auto condition = rw.constant(node.input(0));
  const auto taken = condition && condition->count() == 1 ? condition->integers() : std::nullopt;
  if (!taken) return false;
  Graph* body = rw.params(node).graph(taken->front() != 0 ? "then_branch" : "else_branch");
  if (!body || body->outputs().size() != node.output_count() || !body->sparse_initializers().empty()) return false;
  move_out(*body, node, rw);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value* output = node.output(i);
    if (!output || !output->is_used()) continue;
    Value* with = body->outputs()[i]->value;
    // An output of the graph keeps its name: a value that has one of its own, or two names to carry, is copied.
    if (output->is_output()) with = rw.make("Identity", {with});
    rw.replace_value(output, with);
  }
  if (!node.erased()) node.graph()->erase(node);  // an output that needs an Identity takes the node with it
  return true;
}

constexpr std::string_view kRoots[] = {"If"};

}  // namespace

extern const Rewrite inline_if;
const Rewrite inline_if = {.name = "inline-if",
                           .summary = "replaces an If whose condition is known by the branch that is taken",
                           .exactness = Exactness::kExact,
                           .group = "control flow",
                           .roots = kRoots,
                           .apply = apply};

}  // namespace onnxpress::passes
