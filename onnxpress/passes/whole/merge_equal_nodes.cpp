// Merges nodes that compute the same (common subexpression elimination).
//
//   before: a = Relu(x)
//           b = Relu(x)
//   after:  readers of b read a
//
// Nodes are equal if they have the same op, operands (or constants with the same bits) and attributes, or if the facts
// know that their results are the same sizes, as for Shape(x) and Shape(Relu(x)). A body sees the graphs around it, so
// a node in a body may be replaced by one outside, never the other way round. Random ops, ops with bodies, functions
// and unknown ops are left alone.
#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/same_value.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/whole_graph.h"

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kSmallConstant = 4096;  // bytes
constexpr std::size_t kMostNodesAlike = 16;     // compared per hash; nodes with large weights may share one

// The tensor of a constant whose bits can be compared without opening files or decoding much; null for others.
const Tensor* comparable_constant(const Value* value) {
  const Tensor* tensor = value ? constant_tensor(*value) : nullptr;
  if (!tensor || tensor->type == ElementType::kString || std::holds_alternative<FileRange>(tensor->content))
    return nullptr;
  const bool is_there = std::holds_alternative<Bytes>(tensor->content);
  return is_there || tensor->expected_bytes().value_or(kSmallConstant + 1) <= kSmallConstant ? tensor : nullptr;
}

// For large constants, hashes only type and rank: reading all weights would be too slow.
std::size_t hash_of_constant(const Tensor& tensor) {
  const std::size_t kind = 64 * static_cast<std::size_t>(tensor.type) + tensor.dims.size();
  if (tensor.expected_bytes().value_or(kSmallConstant + 1) > kSmallConstant) return kind;
  try {
    return kind ^ std::hash<std::string_view>()(tensor.bytes().view());
  } catch (const Error&) {
    return kind;
  }
}

bool same_or_equal(const Value* a, const Value* b) {
  if (a == b) return true;
  const Tensor *x = comparable_constant(a), *y = comparable_constant(b);
  if (!x || !y || x->type != y->type || !std::ranges::equal(x->dims, y->dims)) return false;
  try {
    return x->bytes().view() == y->bytes().view();
  } catch (const Error&) {  // damaged
    return false;
  }
}

// The numbers that a node computes from sizes, as expressions; empty where they are not all known.
std::vector<Dim> numbers_of(const Node& node, const Rewriter& rw) {
  const ops::Fact& fact = rw.fact(node.output_count() == 1 ? node.output(0) : nullptr);
  std::vector<Dim> numbers;
  if (!fact.elements || !fact.sizes()) return numbers;
  for (const Dim each : *fact.elements) {
    numbers.push_back(rw.dims().resolve(each));
    if (numbers.back().is_unknown()) return {};
  }
  return numbers;
}

class Merger {
 public:
  explicit Merger(Rewriter& rw) : rw_(rw) {}

  std::size_t merge(Graph& graph) {
    std::vector<std::uint64_t> added;
    std::size_t merged = 0;
    for (Node& node : graph.nodes()) {
      if (merge(node, added)) {
        ++merged;
        continue;
      }
      for (const Attribute* attribute : node.attributes())
        for_each_graph_in(*attribute, [&](Graph& body) { merged += merge(body); });
    }
    for (const std::uint64_t key : added) seen_[key].pop_back();  // values of a body are not visible outside
    return merged;
  }

 private:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }

  static std::uint64_t key_of(const std::vector<Dim>& numbers) {
    std::uint64_t hash = numbers.size();
    for (const Dim each : numbers) {
      const auto address = reinterpret_cast<std::uintptr_t>(each.symbol());
      hash = mixed(hash, each.is_size() ? static_cast<std::uint64_t>(*each.size()) : address);
    }
    return hash;
  }

  static std::uint64_t key_of(const Node& node) {
    std::uint64_t hash = mixed(node.op_id(), node.output_count());
    for (const Use& use : node.inputs()) {
      const Tensor* constant = comparable_constant(use.value());
      const std::uint64_t id = use.value() ? use.value()->id() + 1 : 0;
      hash = mixed(hash, constant ? hash_of_constant(*constant) : id);
    }
    return mixed(hash, node.attributes().size());
  }

  static bool same(const Node& a, const Node& b) {
    if (a.op_id() != b.op_id() || a.input_count() != b.input_count() || a.output_count() != b.output_count() ||
        a.attributes().size() != b.attributes().size())
      return false;
    for (std::size_t i = 0; i < a.input_count(); ++i) {
      if (!same_or_equal(a.input(i), b.input(i))) return false;
    }
    // b's readers can only read outputs that a has.
    for (std::size_t i = 0; i < a.output_count(); ++i) {
      if (b.output(i) && b.output(i)->is_used() && !a.output(i)) return false;
    }
    for (const Attribute* attribute : a.attributes()) {
      const Attribute* other = b.attribute(attribute->name);
      if (!other || attribute->is_reference() || other->is_reference() ||
          !same_plain_value(attribute->value, other->value))
        return false;
    }
    return true;
  }

  bool same_numbers(const Node& a, const std::vector<Dim>& numbers, const Node& b) const {
    const ops::Fact &x = rw_.fact(a.output(0)), &y = rw_.fact(b.output(0));
    return x.element == y.element && x.sizes() == y.sizes() && numbers_of(a, rw_) == numbers;
  }

  bool can_merge(const Node& node) const {
    const ops::Op* op = rw_.op_of(node);
    return op && op->def && !op->has(ops::kRandom) && !op->has(ops::kHasBodies) && node.output_count() > 0;
  }

  bool merge(Node& node, std::vector<std::uint64_t>& added) {
    if (!can_merge(node)) return false;
    const std::vector<Dim> numbers = numbers_of(node, rw_);
    const std::uint64_t key = numbers.empty() ? key_of(node) : key_of(numbers);
    std::vector<Node*>& alike = seen_[key];
    for (std::size_t i = 0; i < std::min(alike.size(), kMostNodesAlike); ++i) {
      if (numbers.empty() ? same(*alike[i], node) : same_numbers(*alike[i], numbers, node))
        return replace(node, *alike[i]);
    }
    alike.push_back(&node);
    added.push_back(key);
    return false;
  }

  // If the node's result is a graph output, the first node takes over its name. If it cannot (because its result is an
  // output, too), an Identity would be needed, which gains nothing.
  bool replace(Node& node, Node& first) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) && node.output(i)->is_output() && !rw_.can_carry_name(*first.output(i), *node.output(i)))
        return false;
    }
    bool changed = false;
    rw_.begin(node);
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (node.output(i) && node.output(i)->is_used()) changed |= rw_.replace_value(node.output(i), first.output(i));
    }
    if (changed && !node.erased() && node.used_outputs() == 0) node.graph()->erase(node);
    return changed;
  }

  Rewriter& rw_;
  std::unordered_map<std::uint64_t, std::vector<Node*>> seen_;
};

std::size_t apply(Rewriter& rw) {
  std::size_t merged = Merger(rw).merge(rw.model().graph());
  for (const Function* function : rw.model().functions) merged += Merger(rw).merge(*function->body);
  return merged;
}

}  // namespace

extern const WholeGraphPass merge_equal_nodes;
const WholeGraphPass merge_equal_nodes = {.name = "merge-equal-nodes",
                                          .summary = "merges nodes that compute the same",
                                          .exactness = Exactness::kExact,
                                          .apply = apply};

}  // namespace onnxpress::passes
