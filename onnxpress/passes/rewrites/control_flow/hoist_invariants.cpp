// Moves nodes that compute the same in every iteration out of the body of a Loop or Scan.
//
//   before: y = Loop(n, c, x) <body = (i, c, a) => {k = Exp(w); b = Mul(a, k)} (c, b)>   with w from outside
//   after:  k = Exp(w); y = Loop(n, c, x) <body = (i, c, a) => {b = Mul(a, k)} (c, b)>
//
// A node moves if it reads only values from outside and its op cannot fail, because the body may never run. Elementwise
// ops cannot fail if their operands are known to fit each other, and neither can views of floats.
#include <algorithm>
#include <optional>
#include <vector>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool is_inside(const Value& value, const Graph& body) {
  for (const Graph* graph = value.graph(); graph; graph = graph->parent()) {
    if (graph == &body) return true;
  }
  return false;
}

// Whether the operands can be broadcast for any value of their unknown dims.
bool are_sure_to_fit(const Node& node, const Rewriter& rw) {
  const Value* shaped = nullptr;  // the first operand that may have more than one element
  for (const Use& use : node.inputs()) {
    const auto shape = use.value() ? rw.shape_of(use.value()) : ops::Shape{};
    if (shape && std::ranges::all_of(*shape, [](const auto& dim) { return dim == Dim::size(1); })) continue;
    if (!shaped) shaped = use.value();
    if (!rw.same_shape(shaped, use.value())) return false;
  }
  return true;
}

// Whether the node computes the same in every iteration and cannot fail.
bool may_move(const Node& node, const Graph& body, const Rewriter& rw) {
  const ops::Op* op = rw.op_of(node);
  const bool is_safe = op && !op->has(ops::kRandom) && !op->has(ops::kHasBodies) &&
                       (op->has(ops::kElementwise) || node.is("Transpose") || node.is("Identity")) &&
                       is_float(rw.element_of(node.input(0))) && are_sure_to_fit(node, rw);
  return is_safe && node.input_count() > 0 && node.output_count() == 1 && !node.output()->is_output() &&
         !rw.is_constant(node.output()) && std::ranges::all_of(node.inputs(), [&](const Use& use) {
           return !use.value() || !is_inside(*use.value(), body) || constant_tensor(*use.value());
         });
}

// The operands for use outside the body, with copies of the constants inside; nullopt if one cannot be copied.
std::optional<std::vector<Value*>> operands_outside(const Node& node, const Graph& body, Rewriter& rw) {
  std::vector<Value*> operands;
  for (const Use& use : node.inputs()) {
    const bool is_copied = use.value() && is_inside(*use.value(), body);
    operands.push_back(is_copied ? rw.copied_constant(*use.value()) : use.value());
    if (is_copied && !operands.back()) return std::nullopt;
  }
  return operands;
}

bool apply_hoist_invariants(Node& loop, Rewriter& rw) {
  Graph* body = rw.params(loop).graph("body");
  if (!body) return false;
  bool moved = false;
  for (Node& node : body->nodes()) {
    if (node.is("Constant") || !may_move(node, *body, rw)) continue;
    const auto inputs = operands_outside(node, *body, rw);
    if (!inputs) continue;
    Graph& outer = *loop.graph();
    Value* result = outer.create_value({}, node.output()->type());
    outer.insert_before(&loop, {.op_type = node.op_type(),
                                .domain = node.domain(),
                                .name = node.name(),
                                .doc = node.doc(),
                                .inputs = *inputs,
                                .outputs = {&result, 1},
                                .attributes = node.attributes(),
                                .metadata = node.metadata()});
    moved |= rw.replace_value(node.output(), result);
  }
  return moved;
}

constexpr std::string_view kHoistInvariantsRoots[] = {"Loop", "Scan"};

}  // namespace

extern const Rewrite hoist_invariants;
const Rewrite hoist_invariants = {
    .name = "hoist-invariants",
    .summary = "moves nodes that compute the same in every iteration out of a Loop or Scan",
    .exactness = Exactness::kExact,
    .group = "control_flow",
    .roots = kHoistInvariantsRoots,
    .apply = apply_hoist_invariants};

}  // namespace onnxpress::passes
