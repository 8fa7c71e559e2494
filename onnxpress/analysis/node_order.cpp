// Finds cycles: strongly connected components by Tarjan's algorithm with an explicit stack, then a shortest cycle in
// each.
#include "onnxpress/analysis/node_order.h"

#include <algorithm>
#include <deque>

#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// The readers of each node, by node id: one array of targets, and where each node's part of it starts.
class FlowGraph {
 public:
  explicit FlowGraph(const Model& model)
      : nodes_(model.context().node_count), starts_(nodes_.size() + 1), sorted_(true) {
    std::vector<std::uint32_t> position(nodes_.size());
    std::uint32_t next = 0;
    for_each_node(model, [&](const Node& node) {
      nodes_[node.id()] = &node;
      position[node.id()] = next++;
    });
    for_each_node(model, [&](const Node& node) {
      for_each_dependency(node, [&](const Node& from, const Node& to, const Use&) {
        ++starts_[from.id() + 1];
        sorted_ = sorted_ && position[from.id()] < position[to.id()];
      });
    });
    if (!sorted_) fill_targets(model);
  }

  // True when every node comes after those it needs: then there is no cycle, and the targets are not filled in.
  bool sorted() const { return sorted_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  const Node* node(std::uint32_t id) const { return nodes_[id]; }
  std::uint32_t begin(std::uint32_t id) const { return starts_[id]; }
  std::uint32_t end(std::uint32_t id) const { return starts_[id + 1]; }
  std::uint32_t target(std::uint32_t at) const { return targets_[at]; }

 private:
  void fill_targets(const Model& model) {
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    targets_.resize(starts_.back());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for_each_node(model, [&](const Node& node) {
      for_each_dependency(node,
                          [&](const Node& from, const Node& to, const Use&) { targets_[next[from.id()]++] = to.id(); });
    });
  }

  std::vector<const Node*> nodes_;
  std::vector<std::uint32_t> starts_, targets_;
  bool sorted_;
};

class KnotFinder {
 public:
  explicit KnotFinder(const FlowGraph& flow)
      : flow_(flow), order_(flow.size(), kNone), low_(flow.size()), knot_(flow.size(), kNone) {}

  std::vector<std::vector<const Node*>> run() {
    for (std::uint32_t id = 0; id < flow_.size(); ++id) {
      if (flow_.node(id) && order_[id] == kNone) visit_from(id);
    }
    return std::move(cycles_);
  }

 private:
  struct Frame {
    std::uint32_t node, next;
  };

  void enter(std::uint32_t id) {
    order_[id] = low_[id] = visited_++;
    open_.push_back(id);
    frames_.push_back({id, flow_.begin(id)});
  }

  void visit_from(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::uint32_t id = frame.node;
      if (frame.next < flow_.end(id)) {
        const std::uint32_t target = flow_.target(frame.next++);
        if (order_[target] == kNone) {
          enter(target);
        } else if (knot_[target] == kNone) {
          low_[id] = std::min(low_[id], order_[target]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[id]);
      if (low_[id] == order_[id]) close_knot(id);
    }
  }

  void close_knot(std::uint32_t root) {
    const auto first = std::find(open_.rbegin(), open_.rend(), root).base() - 1;
    for (auto each = first; each != open_.end(); ++each) knot_[*each] = root;
    const bool alone = open_.end() - first == 1;
    const std::uint32_t start = *std::min_element(first, open_.end());
    open_.erase(first, open_.end());
    if (!alone || feeds_itself(root)) cycles_.push_back(shortest_circle(start, root));
  }

  bool feeds_itself(std::uint32_t id) const {
    for (std::uint32_t at = flow_.begin(id); at < flow_.end(id); ++at) {
      if (flow_.target(at) == id) return true;
    }
    return false;
  }

  // Breadth first from `start`, inside its strongly connected component, until an edge leads back to it.
  std::vector<const Node*> shortest_circle(std::uint32_t start, std::uint32_t knot) {
    if (came_from_.empty()) came_from_.assign(flow_.size(), kNone);
    std::deque<std::uint32_t> queue{start};
    came_from_[start] = start;
    while (!queue.empty()) {
      const std::uint32_t id = queue.front();
      queue.pop_front();
      for (std::uint32_t at = flow_.begin(id); at < flow_.end(id); ++at) {
        const std::uint32_t target = flow_.target(at);
        if (target == start) return way_from(start, id);
        if (knot_[target] != knot || came_from_[target] != kNone) continue;
        came_from_[target] = id;
        queue.push_back(target);
      }
    }
    return {};
  }

  std::vector<const Node*> way_from(std::uint32_t start, std::uint32_t last) const {
    std::vector<const Node*> way;
    for (std::uint32_t id = last; id != start; id = came_from_[id]) way.push_back(flow_.node(id));
    way.push_back(flow_.node(start));
    std::reverse(way.begin(), way.end());
    return way;
  }

  const FlowGraph& flow_;
  std::vector<std::uint32_t> order_, low_, knot_, came_from_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t visited_ = 0;
  std::vector<std::vector<const Node*>> cycles_;
};

}  // namespace

const Node* node_in(const Graph& graph, const Node& node) {
  for (const Node* at = &node; at; at = at->graph()->owner()) {
    if (at->graph() == &graph) return at;
  }
  return nullptr;
}

std::vector<std::vector<const Node*>> find_cycles(const Model& model) {
  const FlowGraph flow(model);
  if (flow.sorted()) return {};
  return KnotFinder(flow).run();
}

}  // namespace onnxpress::analysis
