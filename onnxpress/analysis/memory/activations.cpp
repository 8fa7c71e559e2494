// One walk in node order: computes lifetimes, then finds values that can share a buffer.
#include "onnxpress/analysis/memory/activations.h"

#include <algorithm>

#include "onnxpress/ir/model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/in_place.h"

namespace onnxpress::analysis {

namespace {

constexpr int kMostDepth = 64;
constexpr std::uint32_t kNotKept = ~std::uint32_t{0};

// Tables by node id and value id, shared by a graph and its bodies: each graph fills in its own entries before it reads
// them.
struct Positions {
  std::vector<std::uint32_t> steps;   // positions of nodes
  std::vector<std::uint32_t> values;  // index of the activation; kNotKept if there is none
};

class Lifetimes {
 public:
  Lifetimes(const Facts& facts, const Graph& graph, const ActivationOptions& options, int depth,
            const ops::AttributeScope* scope, Positions& positions)
      : facts_(facts), graph_(graph), options_(options), depth_(depth), scope_(scope), positions_(positions) {}

  ActivationMemory measure() {
    std::uint32_t step = 0;
    memory_.values.reserve(graph_.nodes().size());
    for (const Node& node : graph_.nodes()) {
      positions_.steps[node.id()] = step;
      add_results(node, step);
      add_bodies(node, step);
      ++step;
    }
    end_lives(step);
    share();
    plan();
    return std::move(memory_);
  }

 private:
  // A function body has no owner, like the main graph, but has a depth.
  bool is_function() const { return depth_ > 0 && !graph_.owner(); }

  // Values that are the same in every run, such as the shape of a value with known sizes: runtimes compute these while
  // loading.
  bool is_fixed(const ops::Fact& fact) const {
    return fact.is_constant || (fact.elements && std::ranges::all_of(*fact.elements, [this](Dim each) {
                                  return facts_.dims().resolve(each).is_size();
                                }));
  }

  void add_results(const Node& node, std::uint32_t step) {
    for (const Value* output : node.outputs()) {
      if (!output) continue;
      positions_.values[output->id()] = kNotKept;
      if (is_fixed(facts_.of(*output))) continue;
      if (is_function() && output->is_output()) continue;  // counted as a result of the call
      const auto bytes = bytes_of(facts_, *output, options_.size_of);
      if (!bytes) {
        memory_.unknown.push_back(output);
        continue;
      }
      positions_.values[output->id()] = static_cast<std::uint32_t>(memory_.values.size());
      memory_.values.push_back({.value = output, .node = &node, .bytes = *bytes, .first = step, .last = step});
    }
  }

  // While a node with bodies or a function call runs, the largest of its bodies needs memory of its own.
  void add_bodies(const Node& node, std::uint32_t step) {
    std::uint64_t most = 0;
    if (depth_ >= kMostDepth) return;
    const auto take = [&](const Graph& body, const ops::AttributeScope* scope) {
      most = std::max(most, Lifetimes(facts_, body, options_, depth_ + 1, scope, positions_).measure().plan.pool);
    };
    for (Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](Graph& body) { take(body, scope_); });
    if (const Function* function = facts_.ops().function_of(node))
      facts_.in_call(node, scope_, [&](const ops::AttributeScope& inside) { take(*function->body, &inside); });
    if (most > 0) memory_.values.push_back({.node = &node, .bytes = most, .first = step, .last = step});
  }

  // The node of this graph that contains `user`, through any number of bodies; null if there is none.
  const Node* outer_node(const Node* user) const {
    while (user && user->graph() != &graph_) user = user->graph()->owner();
    return user;
  }

  void end_lives(std::uint32_t steps) {
    for (Activation& each : memory_.values) {
      if (!each.value) continue;
      for (const Use* use = each.value->first_use(); use; use = use->next()) {
        if (const Node* user = outer_node(use->user())) each.last = std::max(each.last, positions_.steps[user->id()]);
      }
      if (each.value->is_output()) each.last = steps;
    }
  }

  // --- Sharing

  void share() {
    memory_.buffers.reserve(memory_.values.size());
    for (Activation& each : memory_.values) {
      Activation* from = options_.share && each.value ? source_of(each) : nullptr;
      if (from) {
        each.buffer = from->buffer;
      } else {
        each.buffer = static_cast<std::int64_t>(memory_.buffers.size());
        memory_.buffers.push_back({each.bytes, each.first, each.last});
      }
      Buffer& buffer = memory_.buffers[static_cast<std::size_t>(each.buffer)];
      buffer.bytes = std::max(buffer.bytes, each.bytes);
      buffer.last = std::max(buffer.last, each.last);
    }
  }

  Activation* activation(const Value* value) {
    // Captured values belong to the outer graph.
    if (!value || !value->producer() || value->producer()->graph() != &graph_) return nullptr;
    const std::uint32_t place = positions_.values[value->id()];
    const bool is_kept = place < memory_.values.size() && memory_.values[place].value == value;
    return is_kept ? &memory_.values[place] : nullptr;
  }

  // The value whose memory this one can reuse. A view reuses that of its operand. The result of an op that works in
  // place reuses that of an operand of the same size that nothing needs after this node.
  Activation* source_of(Activation& each) {
    const Node& node = *each.node;
    const ops::Op* op = facts_.ops().op_of(node);
    if (!op || !op->def) return nullptr;
    if (op->def->cost == ops::cost_view && each.value == node.output(0)) {
      Activation* operand = activation(node.input(0));
      each.is_view = operand != nullptr;
      return operand;
    }
    return ops::may_overwrite(*op) && each.value == node.output(0) ? oldest_free_operand(each) : nullptr;
  }

  // Takes the oldest operand: a residual that is added to, block after block, then stays where it is instead of moving
  // between the large values of the blocks.
  Activation* oldest_free_operand(Activation& each) {
    Activation* oldest = nullptr;
    for (const Use& use : each.node->inputs()) {
      Activation* operand = activation(use.value());
      if (!operand || operand->buffer < 0 || operand->bytes != each.bytes) continue;
      const Buffer& buffer = memory_.buffers[static_cast<std::size_t>(operand->buffer)];
      if (buffer.last != each.first || buffer.bytes != each.bytes) continue;
      if (!oldest || buffer.first < memory_.buffers[static_cast<std::size_t>(oldest->buffer)].first) oldest = operand;
    }
    if (oldest) each.in_place = true;
    return oldest;
  }

  void plan() {
    std::vector<Buffer> plain;
    plain.reserve(memory_.values.size());
    for (const Activation& each : memory_.values) {
      memory_.all += each.bytes;
      plain.push_back({each.bytes, each.first, each.last});
    }
    memory_.plain_peak = live_peak_of(plain);
    memory_.plan = plan_memory(memory_.buffers, {.alignment = options_.alignment});
  }

  const Facts& facts_;
  const Graph& graph_;
  const ActivationOptions& options_;
  int depth_;
  const ops::AttributeScope* scope_;
  Positions& positions_;
  ActivationMemory memory_;
};

}  // namespace

std::optional<std::uint64_t> bytes_of(const Facts& facts, const Value& value, const ops::DimMath::SizeOf& size_of) {
  const ops::Fact& fact = facts.of(value);
  const int bits = fact.is_tensor() ? bits_of(fact.element) : 0;
  if (!fact.shape || bits <= 0) return std::nullopt;
  std::uint64_t elements = 1;
  for (const Dim dim : *fact.shape) {
    const auto size = facts.dims().value_of(facts.dims().resolve(dim), size_of);
    if (!size || *size < 0 || __builtin_mul_overflow(elements, static_cast<std::uint64_t>(*size), &elements) ||
        elements > (std::uint64_t{1} << 56))
      return std::nullopt;
  }
  return (elements * static_cast<std::uint64_t>(bits) + 7) / 8;
}

ActivationMemory activations_of(const Facts& facts, const Graph& graph, const ActivationOptions& options) {
  const Context& context = graph.context();
  Positions positions{std::vector<std::uint32_t>(context.node_count),
                      std::vector<std::uint32_t>(context.value_count, kNotKept)};
  return Lifetimes(facts, graph, options, 0, nullptr, positions).measure();
}

}  // namespace onnxpress::analysis
