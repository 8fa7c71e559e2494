// Removes values that a Loop or Scan carries from iteration to iteration without need.
//
//   before: y, z = Loop(n, c, a, b) <body = (i, c, p, q) => {r = Add(p, q)} (c, r, q)>
//   after:  y = Loop(n, c, a) <body = (i, c, p) => {r = Add(p, b)} (c, r)>, and readers of z read b
//
// A value that the body returns unchanged is the same in every iteration. A value that neither the body nor anything
// after the loop reads is not needed at all.
#include <algorithm>

#include "onnxpress/passes/regions/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

// Where carried values start among the inputs of node and body and among the outputs of the body, and how many.
struct Places {
  std::size_t inputs = 0, outputs = 0, count = 0;
};

std::optional<Places> places_of(const Node& node, const Graph& body, const Rewriter& rw) {
  Places places{2, 1};  // the number of the iteration and the condition come first
  if (node.is("Scan")) {
    const auto scanned = rw.params(node).integer("num_scan_inputs");
    if (!scanned || *scanned < 1 || node.input_count() < static_cast<std::size_t>(*scanned)) return std::nullopt;
    places = {0, 0, node.input_count() - static_cast<std::size_t>(*scanned)};
  } else if (body.inputs().size() >= 2) {
    places.count = body.inputs().size() - 2;
  }
  const bool fits = node.input_count() == body.inputs().size() && node.output_count() >= places.count &&
                    body.outputs().size() == places.outputs + node.output_count();
  return fits ? std::optional(places) : std::nullopt;
}

bool apply_drop_carried_values(Node& node, Rewriter& rw) {
  const Graph* body = rw.params(node).graph("body");
  if (!body || !body->sparse_initializers().empty()) return false;
  const auto places = places_of(node, *body, rw);
  if (!places) return false;
  bool changed = false;
  for (std::size_t i = 0; i < places->count; ++i) {
    const std::size_t in = places->inputs + i, out = places->outputs + i;
    Value *inside = body->inputs()[in]->value, *first = node.input(in), *result = node.output(i);
    const Value* last = body->outputs()[out]->value;
    while (const Node* identity = rw.producer(last, "Identity")) last = identity->input(0);
    const bool stays = first && last == inside;
    if (stays && inside->first_use()) {
      node.graph()->replace_operands(inside, first);
      changed = true;
    }
    if (stays && result && result->is_used()) changed |= rw.replace_value(result, first);
    const bool is_given_elsewhere = std::ranges::any_of(body->outputs(), [&](const ValueInfo* output) {
      return output->value == inside && output != body->outputs()[out];
    });
    if (inside->first_use() || (result && result->is_used()) || is_given_elsewhere) continue;
    Graph* smaller = body_without(*body, in, out, rw.model());
    rebuild_without(node, in, i, attributes_with(node, "body", smaller, rw.model()), rw);
    return true;  // the new node is visited again
  }
  return changed;
}

constexpr std::string_view kDropCarriedValuesRoots[] = {"Loop", "Scan"};

}  // namespace

extern const Rewrite drop_carried_values;
const Rewrite drop_carried_values = {.name = "drop-carried-values",
                                     .summary = "removes values that a Loop or Scan carries without need",
                                     .exactness = Exactness::kExact,
                                     .group = "control_flow",
                                     .roots = kDropCarriedValuesRoots,
                                     .apply = apply_drop_carried_values};

}  // namespace onnxpress::passes
