// Walks back from the node, as long as nothing else needs the nodes it finds.
#include "onnxpress/passes/shared/freed_bytes.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "onnxpress/ir/constants.h"

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kNodeBytes = 64;  // the least that a node takes: op, names, attributes
constexpr std::size_t kMostNodes = 256;   // the walk stops after this many nodes

using Nodes = std::unordered_set<const Node*>;

bool is_read_only_by(const Nodes& nodes, const Value& value) {
  if (value.is_output()) return false;
  for (const Use* use = value.first_use(); use; use = use->next()) {
    if (!nodes.contains(use->user())) return false;
  }
  return true;
}

bool goes_with(const Nodes& nodes, const Node& node) {
  return std::ranges::all_of(node.outputs(),
                             [&](const Value* output) { return !output || is_read_only_by(nodes, *output); });
}

}  // namespace

Freed freed_with(const Node& node) {
  Nodes gone = {&node};
  std::unordered_set<const Value*> constants;
  std::vector<const Node*> open = {&node};
  while (!open.empty()) {
    const Node& each = *open.back();
    open.pop_back();
    for (const Use& use : each.inputs()) {
      const Value* value = use.value();
      if (!value) continue;
      const Node* maker = value->producer();
      if (constant_tensor(*value)) {
        constants.insert(value);
      } else if (maker && !gone.contains(maker) && gone.size() < kMostNodes && goes_with(gone, *maker)) {
        gone.insert(maker);
        open.push_back(maker);
      }
    }
  }
  Freed freed{.bytes = gone.size() * kNodeBytes, .nodes = gone.size()};
  for (const Value* value : constants) {
    if (!is_read_only_by(gone, *value)) continue;
    const Tensor* tensor = constant_tensor(*value);
    const auto count = tensor->element_count();
    freed.bytes += (count ? raw_size(tensor->type, *count) : std::nullopt).value_or(0);
  }
  return freed;
}

}  // namespace onnxpress::passes
