// Compares two matching graphs: nodes, wiring and bodies.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/diff/differences_parts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

std::string value_text(const Value* value) { return value ? quote_name(value->name()) : "nothing"; }

std::string op_text(const Node& node) {
  return quote_name(function_id(node.domain(), node.op_type(), node.overload()));
}

// The same name on both sides is the same connection, unless one of the two values has another partner. A change of the
// value's producer is reported at the producer.
bool same_connection(const Value* before, const Value* after, const Matching& matching) {
  if (matching.same(before, after)) return true;
  if (!before || !after || before->name().empty() || before->name() != after->name()) return false;
  return !matching.after(*before) && !matching.before(*after);
}

// The value, with its former name if only that shows the difference: "'a' -> 'a', formerly 'b'".
std::string value_text_after(const Value* before, const Value* after, const Matching& matching) {
  std::string text = value_text(after);
  const Value* was = after ? matching.before(*after) : nullptr;
  if (before && was && before->name() == after->name()) text += fmt::format(", formerly {}", value_text(was));
  return text;
}

void compare_wiring(const Node& before, const Node& after, std::vector<Detail>& details, const Matching& matching) {
  for (std::size_t i = 0; i < std::max(before.input_count(), after.input_count()); ++i) {
    const Value *a = before.input(i), *b = after.input(i);
    if (!same_connection(a, b, matching))
      details.push_back({fmt::format("input {}", i), value_text(a), value_text_after(a, b, matching)});
  }
  if (before.output_count() != after.output_count()) {
    details.push_back({"outputs", std::to_string(before.output_count()), std::to_string(after.output_count())});
  }
}

// Compares node and value names, which runtimes ignore.
std::vector<Detail> compare_names(const Node& before, const Node& after) {
  std::vector<Detail> details;
  compare_texts("name", before.name(), after.name(), details);
  for (std::size_t i = 0; i < std::min(before.output_count(), after.output_count()); ++i) {
    const Value *a = before.output(i), *b = after.output(i);
    if ((a ? a->name() : "") != (b ? b->name() : ""))
      details.push_back({fmt::format("output {}", i), value_text(a), value_text(b)});
  }
  return details;
}

void compare_nodes(const Node& before, const Node& after, const std::string& where, DiffContext& context) {
  const auto what = [&] { return context.before_places.short_of(before); };
  std::vector<Detail> details;
  if (!same_op(before, after)) details.push_back({"op", op_text(before), op_text(after)});
  compare_wiring(before, after, details, context.matching);
  if (!before.attributes().empty() || !after.attributes().empty()) {
    compare_attributes(before.attributes(), after.attributes(), where, &before, details, context);
  }
  if (!std::equal(before.device_configurations().begin(), before.device_configurations().end(),
                  after.device_configurations().begin(), after.device_configurations().end())) {
    details.push_back({"device configurations", "", ""});
  }
  const bool changed = !details.empty();
  if (context.settings.names) {
    std::vector<Detail> names = compare_names(before, after);
    std::move(names.begin(), names.end(), std::back_inserter(details));
  }
  if (!details.empty())
    context.add(changed ? Change::kChanged : Change::kRenamed, Subject::kNode, where, what(), std::move(details));
  if (before.doc() != after.doc()) compare_docs(before.doc(), after.doc(), where, what(), context);
  if (!before.metadata().empty() || !after.metadata().empty()) {
    compare_metadata(before.metadata(), after.metadata(), where, what(), context);
  }
}

// A Constant node that became an initializer, or the reverse, is reported as a tensor that is stored elsewhere, not as
// a node.
bool stands_for_initializer(const Node& node, const Value* partner) {
  return node.output() && constant_of(*node.output()) && partner && partner->initializer();
}

// Nodes in the order of the file: readers assign ids in that order, and may sort the nodes afterwards.
std::vector<const Node*> in_file_order(const Graph& graph) {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  if (!graph.changed())
    std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->id() < b->id(); });
  return nodes;
}

void compare_node_lists(const Graph& before, const Graph& after, const std::string& where, DiffContext& context) {
  const Matching& matching = context.matching;
  const std::vector<const Node*> old = in_file_order(before), now = in_file_order(after);
  for (std::uint32_t i = 0; i < now.size(); ++i) context.after_positions[now[i]->id()] = i;
  std::vector<std::uint32_t> positions;
  for (const Node* node : old) {
    if (const Node* partner = matching.after(*node)) {
      compare_nodes(*node, *partner, where, context);
      positions.push_back(context.after_positions[partner->id()]);
    } else if (!stands_for_initializer(*node, node->output() ? matching.after(*node->output()) : nullptr)) {
      context.add(Change::kRemoved, Subject::kNode, where, context.before_places.short_of(*node));
    }
  }
  for (const Node* node : now) {
    if (matching.before(*node) ||
        stands_for_initializer(*node, node->output() ? matching.before(*node->output()) : nullptr))
      continue;
    context.add(Change::kAdded, Subject::kNode, where, context.after_places.short_of(*node));
  }
  compare_order(positions, Subject::kNode, where, "nodes", context);
}

// The main graph is not mentioned, because nearly everything is in it.
std::string place_of(const Graph& graph, const DiffContext& context) {
  const Graph* root = &graph;
  while (root->parent()) root = root->parent();
  std::string place = context.before_places.of(graph);
  if (root != context.main_graph) return place;
  place.erase(0, context.before_places.of(*root).size());
  return place.starts_with(", ") ? place.substr(2) : place;
}

}  // namespace

void compare_graphs(const Graph& before, const Graph& after, DiffContext& context) {
  match_graphs(before, after, context.matching);
  const std::string where = place_of(before, context);
  if (context.settings.names && before.name() != after.name()) {
    context.add(Change::kRenamed, Subject::kGraph, "", where.empty() ? "main graph" : where,
                {{"name", quote_name(before.name()), quote_name(after.name())}});
  }
  compare_docs(before.doc(), after.doc(), where, "graph", context);
  compare_metadata(before.metadata(), after.metadata(), where, "", context);
  compare_interface(before, after, where, context);
  compare_initializers(before, after, where, context);
  compare_value_infos(before, after, where, context);
  compare_annotations(before, after, where, context);
  compare_node_lists(before, after, where, context);
}

}  // namespace onnxpress::analysis
