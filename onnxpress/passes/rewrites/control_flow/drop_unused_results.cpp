// Removes results of If, Loop and Scan that nothing reads, and the nodes that compute them.
//
//   before: y, z = If(c) <then_branch = {a = Neg(x); b = Exp(x)} (a, b), else_branch = {p = Abs(x); q = Sin(x)} (p, q)>
//   after:  y = If(c) <then_branch = {a = Neg(x)} (a), else_branch = {p = Abs(x)} (p)>   if nothing reads z
//
// For Loop and Scan this applies to scan outputs; drop-carried-values handles carried values.
#include <algorithm>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/regions/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

// The first result that is not a carried value; nullopt when it is not known.
std::optional<std::size_t> first_collected(const Node& node, const Graph& body, const Rewriter& rw) {
  if (node.is("If")) return 0;
  if (node.is("Loop")) return body.inputs().size() < 2 ? std::nullopt : std::optional(body.inputs().size() - 2);
  const auto scanned = rw.params(node).integer("num_scan_inputs");
  if (!scanned || *scanned < 1 || node.input_count() < static_cast<std::size_t>(*scanned)) return std::nullopt;
  return node.input_count() - static_cast<std::size_t>(*scanned);
}

// Removes element i from attributes of a Scan that are lists with one element for each scan output.
Attribute* list_without(Attribute* attribute, std::size_t i, Model& model) {
  const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute->value);
  if (!attribute->name.starts_with("scan_output_") || !list || i >= list->size()) return attribute;
  std::vector<std::int64_t> left(list->begin(), list->end());
  left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
  return make_attribute(model.arena(), attribute->name, std::span<const std::int64_t>(left));
}

bool apply_drop_unused_results(Node& node, Rewriter& rw) {
  const auto unused = std::ranges::find_if(node.outputs(), [](const Value* each) { return !each || !each->is_used(); });
  if (unused == node.outputs().end()) return rw.refuse("all its results are used");
  if (node.output_count() < 2) return false;
  const bool is_if = node.is("If");
  const Graph* body = rw.params(node).graph(is_if ? "then_branch" : "body");
  const auto first = body ? first_collected(node, *body, rw) : std::nullopt;
  if (!first) return false;
  std::size_t i = *first;
  while (i < node.output_count() && node.output(i) && node.output(i)->is_used()) ++i;
  if (i >= node.output_count())
    return rw.refuse("the results that nothing uses are carried from run to run of the body");
  const std::size_t inside = node.is("Loop") ? i + 1 : i;
  std::vector<Attribute*> attributes;
  for (Attribute* each : node.attributes()) {
    const auto* graph = std::get_if<Graph*>(&each->value);
    if (!graph) {
      attributes.push_back(list_without(each, i - *first, rw.model()));
      continue;
    }
    if ((*graph)->outputs().size() != node.output_count() + (node.is("Loop") ? 1 : 0) ||
        !(*graph)->sparse_initializers().empty())
      return false;
  }
  for (Attribute* each : node.attributes()) {
    const auto* graph = std::get_if<Graph*>(&each->value);
    if (graph)
      attributes.push_back(
          make_attribute(rw.model().arena(), each->name, body_without(**graph, std::nullopt, inside, rw.model())));
  }
  rebuild_without(node, std::nullopt, i, attributes, rw);
  return true;
}

constexpr std::string_view kDropUnusedResultsRoots[] = {"If", "Loop", "Scan"};

}  // namespace

extern const Rewrite drop_unused_results;
const Rewrite drop_unused_results = {.name = "drop-unused-results",
                                     .summary = "removes results of If, Loop and Scan that nothing reads",
                                     .exactness = Exactness::kExact,
                                     .group = "control_flow",
                                     .roots = kDropUnusedResultsRoots,
                                     .apply = apply_drop_unused_results};

}  // namespace onnxpress::passes
