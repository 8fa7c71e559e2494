// Checks the order of nodes: each comes after the nodes it needs, and there are no cycles.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/node_order.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

std::string cycle_text(const std::vector<const Node*>& cycle, const Places& places) {
  constexpr std::size_t kShown = 8;
  if (cycle.size() == 1) return "needs its own output";
  std::string text = "needs itself: ";
  for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) text += places.short_of(*cycle[i]) + " -> ";
  if (cycle.size() > kShown) text += fmt::format("{} more -> ", cycle.size() - kShown);
  return text + places.short_of(*cycle.front());
}

}  // namespace

void check_order(const Model& model, FindingList& found) {
  std::unordered_set<const Graph*> circular;
  for (const auto& cycle : find_cycles(model)) {
    circular.insert(cycle.front()->graph());
    found.add(Severity::kError, "cycle", *cycle.front(), cycle_text(cycle, found.places));
  }
  // One finding per graph: a file written backwards would give one per node.
  std::unordered_set<const Graph*> reported(circular);  // graphs with cycles cannot be sorted
  std::vector<std::uint32_t> place(model.context().node_count);
  std::uint32_t next = 0;
  const bool was_sorted =
      std::any_of(model.notes.begin(), model.notes.end(), [](const Note& note) { return note.code == "node-order"; });
  for_each_graph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      // A reader sorts unsorted nodes and adds a note; the node ids still have the order of the file.
      place[node.id()] = was_sorted ? node.id() : next++;
    }
  });
  for_each_node(model, [&](const Node& node) {
    for_each_dependency(node, [&](const Node& from, const Node& to, const Use& use) {
      if (&from == &to || place[from.id()] < place[to.id()] || !reported.insert(to.graph()).second) return;
      // ONNX Runtime sorts them, and so does our reader, but the standard requires them to be sorted, and other tools
      // rely on it.
      found.add(Severity::kError, "node-order", to,
                fmt::format("reads {}, which {} computes only later; the nodes of a graph must be sorted",
                            quote_name(use.value()->name()), found.places.short_of(from)));
    });
  });
}

}  // namespace onnxpress::analysis
