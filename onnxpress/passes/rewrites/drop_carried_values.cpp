// Drops what a Loop carries from iteration to iteration without need.
//
//   before: y, z = Loop(n, c, a, b) <body = (i, c, p, q) => {r = Add(p, q)} (c, r, q)>
//   after:  y = Loop(n, c, a) <body = (i, c, p) => {r = Add(p, b)} (c, r)>, and whoever read z reads b
//
// A value that the body gives back as it got it is the same in every iteration; one whose result nobody reads, and that
// the body does not read either, is not needed at all.
#include <algorithm>
#include <vector>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/node_copier.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// The same Loop without carried value `i`.
void rebuild_without(Node& loop, const Graph& body, std::size_t i, Rewriter& rw) {
  Model& model = rw.model();
  Graph* made = model.create_body();
  made->set_name(body.name());
  NodeCopier copier(model);
  for (std::size_t j = 0; j < body.inputs().size(); ++j) {
    if (j == i + 2) continue;
    Value* input = made->create_value({}, body.inputs()[j]->type);
    made->add_input(input, body.inputs()[j]->type);
    copier.map(body.inputs()[j]->value, input);
  }
  for (Value* value : body.initializers())
    copier.map(value, add_constant(model, *made, nullptr, model.arena().make<Tensor>(*value->initializer())));
  for (const Node& node : body.nodes()) copier.copy(node, *made, nullptr);
  for (std::size_t j = 0; j < body.outputs().size(); ++j) {
    if (j != i + 1) made->add_output(copier.copy_of(body.outputs()[j]->value), body.outputs()[j]->type);
  }
  std::vector<Value*> inputs, outputs, before;
  for (const Use& use : loop.inputs()) {
    if (use.index() != i + 2) inputs.push_back(use.value());
  }
  for (std::size_t j = 0; j < loop.output_count(); ++j) {
    if (j == i) continue;
    before.push_back(loop.output(j));
    outputs.push_back(loop.output(j) ? loop.graph()->create_value({}) : nullptr);
  }
  Attribute* const attributes[] = {make_attribute(model.arena(), "body", made)};
  loop.graph()->insert_before(&loop, {.op_type = "Loop",
                                      .domain = loop.domain(),
                                      .name = loop.name(),
                                      .doc = loop.doc(),
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .attributes = attributes,
                                      .metadata = loop.metadata()});
  for (std::size_t j = 0; j < before.size(); ++j) {
    if (before[j] && before[j]->is_used()) rw.replace_value(before[j], outputs[j]);
  }
  if (!loop.erased()) loop.graph()->erase(loop);
}

bool apply_drop_carried_values(Node& loop, Rewriter& rw) {
  const Graph* body = rw.params(loop).graph("body");
  if (!body || body->inputs().size() < 3 || !body->sparse_initializers().empty()) return false;
  const std::size_t carried = body->inputs().size() - 2;
  if (loop.input_count() != carried + 2 || body->outputs().size() < carried + 1 || loop.output_count() < carried)
    return false;
  bool changed = false;
  for (std::size_t i = 0; i < carried; ++i) {
    Value *inside = body->inputs()[i + 2]->value, *first = loop.input(i + 2), *result = loop.output(i);
    const bool stays = first && body->outputs()[i + 1]->value == inside;
    if (stays && inside->first_use()) {
      loop.graph()->replace_operands(inside, first);
      changed = true;
    }
    if (stays && result && result->is_used()) changed |= rw.replace_value(result, first);
    const bool is_given_elsewhere = std::ranges::any_of(body->outputs(), [&](const ValueInfo* output) {
      return output->value == inside && output != body->outputs()[i + 1];
    });
    if (inside->first_use() || (result && result->is_used()) || is_given_elsewhere) continue;
    rebuild_without(loop, *body, i, rw);
    return true;  // the new Loop is looked at again
  }
  return changed;
}

constexpr std::string_view kDropCarriedValuesRoots[] = {"Loop"};

}  // namespace

extern const Rewrite drop_carried_values;
const Rewrite drop_carried_values = {.name = "drop-carried-values",
                                     .summary = "drops what a Loop carries from iteration to iteration without need",
                                     .exactness = Exactness::kExact,
                                     .group = "control flow",
                                     .roots = kDropCarriedValuesRoots,
                                     .apply = apply_drop_carried_values};

}  // namespace onnxpress::passes
