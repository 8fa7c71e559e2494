// The list of a graph's nodes, and numbers that grow along it, so that one comparison tells which of two nodes comes
// first.
//
// A new node gets a number between those of its neighbours. Where there is none left, the smallest aligned range of
// numbers around it that is sparsely filled is numbered evenly (Bender et al., "Two simplified algorithms for
// maintaining order in a list"): O(log n) amortised, wherever nodes are inserted.
#include "onnxpress/ir/graph.h"

namespace onnxpress {

namespace {

constexpr std::uint64_t kFirstNumber = std::uint64_t{1} << 62, kStep = std::uint64_t{1} << 32;

}  // namespace

void Graph::insert_links(Node& node, Node* position) {
  node.next_ = position;
  node.previous_ = position ? position->previous_ : nodes_.last_;
  (node.previous_ ? node.previous_->next_ : nodes_.first_) = &node;
  (position ? position->previous_ : nodes_.last_) = &node;
  ++nodes_.size_;
  give_order_number(node);
}

void Graph::remove_links(Node& node) {
  (node.previous_ ? node.previous_->next_ : nodes_.first_) = node.next_;
  (node.next_ ? node.next_->previous_ : nodes_.last_) = node.previous_;
  --nodes_.size_;  // node keeps its own next_, so that a loop that is visiting it can continue
}

void Graph::reorder(std::span<Node* const> nodes) {
  nodes_ = NodeList();
  for (Node* node : nodes) insert_links(*node, nullptr);
}

void Graph::give_order_number(Node& node) {
  const Node *before = node.previous_, *after = node.next_;
  if (!before && !after) {
    node.order_ = kFirstNumber;
  } else if (!after && before->order_ <= ~std::uint64_t{0} - kStep) {
    node.order_ = before->order_ + kStep;
  } else {
    const std::uint64_t low = before ? before->order_ : 0;
    const std::uint64_t high = after ? after->order_ : ~std::uint64_t{0};
    if (high - low >= 2) {
      node.order_ = low + (high - low) / 2;
    } else {
      node.order_ = low;
      make_order_room(node);
    }
  }
}

void Graph::make_order_room(Node& node) {
  Node *first = &node, *last = &node;
  std::uint64_t count = 1;
  double most = 1;  // a range of 2^bits numbers may hold (4/3)^bits nodes: larger ranges are sparser
  for (int bits = 1; bits <= 64; ++bits) {
    most *= 4.0 / 3;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const std::uint64_t low = node.order_ & ~mask, high = low | mask;
    for (; first->previous_ && first->previous_->order_ >= low; ++count) first = first->previous_;
    for (; last->next_ && last->next_->order_ <= high; ++count) last = last->next_;
    if (bits < 64 && static_cast<double>(count) >= most) continue;
    const std::uint64_t step = mask / count;
    std::uint64_t number = low + step / 2;
    for (Node* each = first;; each = each->next_, number += step) {
      each->order_ = number;
      if (each == last) return;
    }
  }
}

}  // namespace onnxpress
