// The walk over nodes, bodies and functions.
#include "onnxpress/analysis/cost/node_costs.h"

#include <algorithm>

#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/cost.h"

namespace onnxpress::analysis {

namespace {

using ops::Fact;

constexpr std::uint32_t kMostDepth = 64;
constexpr std::size_t kMostRows = 2'000'000;  // nested function calls multiply

class Walk {
 public:
  Walk(const Facts& facts, const CostOptions& options, ModelCosts& costs)
      : facts_(facts), dims_(facts.dims()), options_(options), costs_(costs) {}

  void graph(const Graph& graph, Dim times, std::uint32_t depth, bool counted, const ops::AttributeScope* scope) {
    for (const Node& node : graph.nodes()) {
      if (depth > kMostDepth || costs_.nodes.size() >= kMostRows) {
        costs_.is_cut = true;
        return;
      }
      visit(node, times, depth, counted, scope);
    }
  }

 private:
  // Bytes of a value: elements times their width; sub-byte elements are rounded up to whole bytes at the end.
  Dim bytes_of(const Fact& fact, Dim elements) const {
    const int bits = fact.is_tensor() ? bits_of(fact.element) : 0;
    if (bits <= 0) return {};
    if (bits % 8 == 0) return dims_.mul(elements, Dim::size(bits / 8));
    return dims_.ceil_div(dims_.mul(elements, Dim::size(bits)), Dim::size(8));
  }

  void visit(const Node& node, Dim times, std::uint32_t depth, bool counted, const ops::AttributeScope* scope) {
    const std::size_t row = costs_.nodes.size();
    costs_.nodes.push_back({.node = &node, .times = times, .depth = depth, .is_counted = counted});
    const ops::Op* op = facts_.ops().op_of(node);
    const bool is_call = facts_.ops().function_of(node) != nullptr;
    const bool has_bodies = !is_call && op && op->has(ops::kHasBodies) && !op->def->cost;
    if (is_call || has_bodies) {
      set_zero(costs_.nodes[row]);
    } else {
      leaf(node, op, row, scope);
    }
    if (options_.on_node) options_.on_node(row, costs_.nodes[row]);
    if (has_bodies) bodies(node, row, times, depth, counted, scope);
    if (is_call && !facts_.in_call(node, scope, [&](const ops::AttributeScope& inside) {
          graph(*facts_.ops().function_of(node)->body, times, depth + 1, counted, &inside);
        }))
      costs_.is_cut = true;
  }

  static void set_zero(NodeCost& cost) {
    cost.has_bodies = cost.is_known = true;
    cost.macs = cost.flops = cost.read = cost.written = cost.counted = Dim::size(0);
  }

  // A node without bodies: an op of the registry, or one that only a user's rule describes.
  void leaf(const Node& node, const ops::Op* op, std::size_t row, const ops::AttributeScope* scope) {
    std::vector<const Fact*>&operands = operands_, &results = results_;
    operands.clear(), results.clear();
    for (const Use& use : node.inputs()) {
      const Value* value = use.value();
      operands.push_back(value && !facts_.is_left_out(*value) ? &facts_.of(*value) : nullptr);
    }
    for (const Value* output : node.outputs()) results.push_back(output ? &facts_.of(*output) : nullptr);
    NodeCost& cost = costs_.nodes[row];
    const auto said = options_.rules ? options_.rules->work(node, operands, dims_) : std::nullopt;
    static const ops::Op kNoOp;
    const ops::Op& known = op && op->schema ? *op : kNoOp;
    if (!known.schema && !said) return;
    if (known.schema) {
      ops::Inference in(node, known, operands, dims_, scope);
      ops::CostQuery query(in, results);
      cost.is_known = ops::cost_of(known, query);
      cost.is_estimate = query.cost.is_estimate;
      cost.is_view = query.cost.is_view;
      cost.macs = query.cost.macs;
      cost.flops = query.cost.flops;
      if (cost.is_known) count(query, node, cost);
      set_traffic(known, query.cost, operands, results, cost);
    } else {
      set_traffic(known, {}, operands, results, cost);
    }
    if (said) {
      cost.is_known = true;
      cost.is_estimate = cost.is_view = false;
      cost.macs = cost.counted = said->macs;
      cost.flops = said->flops;
    }
    for (Dim* each : {&cost.macs, &cost.flops, &cost.counted, &cost.read, &cost.written})
      *each = dims_.mul(*each, cost.times);
    const bool is_open = cost.macs.is_unknown() || cost.flops.is_unknown();
    cost.is_too_large = is_open && cost.is_known &&
                        std::ranges::all_of(results_, [](const Fact* result) { return !result || result->sizes(); });
  }

  void count(ops::CostQuery& query, const Node& node, NodeCost& cost) {
    if (!is_standard_domain(node.domain())) {
      cost.counted = options_.style == CountStyle::kFvcore ? cost.macs : Dim::size(0);
    } else if (options_.style == CountStyle::kOnnxTool) {
      cost.counted = onnx_tool_count(query);
    } else if (options_.style == CountStyle::kFvcore) {
      cost.counted = fvcore_count(query);
    } else if (options_.style == CountStyle::kThop) {
      cost.counted = thop_count(query);
    } else {
      cost.counted = Dim::size(0);
    }
  }

  void set_traffic(const ops::Op& op, const ops::Cost& cost, std::vector<const Fact*>& operands,
                   const std::vector<const Fact*>& results, NodeCost& out) {
    out.read = out.written = Dim::size(0);
    if (out.is_view) return;
    // Results that depend only on constants are computed once, while loading.
    const auto is_constant = [](const Fact* fact) { return !fact || fact->is_constant; };
    if (!results.empty() && std::ranges::all_of(results, is_constant)) return;
    if (op.has(ops::kReadsOnlyShape)) operands.clear();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i]) continue;
      const Dim elements = i == 0 && cost.reads_part ? cost.read : elements_of(*operands[i]);
      out.read = dims_.add(out.read, bytes_of(*operands[i], elements));
    }
    for (const Fact* result : results) {
      if (result) out.written = dims_.add(out.written, bytes_of(*result, elements_of(*result)));
    }
  }

  Dim elements_of(const Fact& fact) const {
    if (!fact.is_tensor() || !fact.shape) return {};
    Dim count = Dim::size(1);
    for (const Dim dim : *fact.shape) count = dims_.mul(count, dims_.resolve(dim));
    return count;
  }

  // --- Bodies

  void bodies(const Node& node, std::size_t row, Dim times, std::uint32_t depth, bool counted,
              const ops::AttributeScope* scope) {
    if (node.is("If")) return branches(node, row, times, depth, counted, scope);
    const Dim trips = trips_of(node);
    for_each_body(node, [&](const Graph& body) { graph(body, dims_.mul(times, trips), depth + 1, counted, scope); });
  }

  template <typename Visit>
  static void for_each_body(const Node& node, Visit visit) {
    for (Attribute* attribute : node.attributes()) for_each_graph_in(*attribute, [&](Graph& body) { visit(body); });
  }

  struct Branch {
    std::size_t begin = 0, end = 0;
    Amount macs, flops;
  };

  Branch branch(const Node& node, std::string_view name, Dim times, std::uint32_t depth, bool counted,
                const ops::AttributeScope* scope) {
    Branch made{.begin = costs_.nodes.size()};
    if (const Attribute* attribute = node.attribute(name)) {
      for_each_graph_in(*attribute, [&](const Graph& body) { graph(body, times, depth + 1, counted, scope); });
    }
    made.end = costs_.nodes.size();
    for (std::size_t i = made.begin; i < made.end; ++i) {
      if (!costs_.nodes[i].is_counted) continue;
      made.macs.add(dims_, costs_.nodes[i].macs);
      made.flops.add(dims_, costs_.nodes[i].flops);
    }
    return made;
  }

  // Counts the branch that is taken if the condition is known, otherwise the one with more work.
  void branches(const Node& node, std::size_t row, Dim times, std::uint32_t depth, bool counted,
                const ops::AttributeScope* scope) {
    const Fact& condition = node.input(0) ? facts_.of(*node.input(0)) : Fact::unknown();
    std::optional<bool> taken;
    if (condition.elements && condition.elements->size() == 1) {
      if (const auto value = dims_.resolve((*condition.elements)[0]).size()) taken = *value != 0;
    }
    const Branch then_branch = branch(node, "then_branch", times, depth, counted && taken.value_or(true), scope);
    const Branch else_branch = branch(node, "else_branch", times, depth, counted && !taken.value_or(false), scope);
    if (taken || !counted) return;
    const bool counts_then = !is_larger(else_branch, then_branch);
    const Branch& smaller = counts_then ? else_branch : then_branch;
    for (std::size_t i = smaller.begin; i < smaller.end; ++i) costs_.nodes[i].is_counted = false;
    costs_.choices.push_back({row, then_branch.macs, else_branch.macs, counts_then});
  }

  // Compares with 64 for every symbol: which branch is larger may depend on the sizes, but a choice has to be made.
  bool is_larger(const Branch& a, const Branch& b) {
    const auto size_of = [](const Symbol&) { return std::optional<std::int64_t>(64); };
    const auto work = [&](const Branch& each) {
      return 2 * each.macs.value(dims_, size_of).value_or(0) + each.flops.value(dims_, size_of).value_or(0);
    };
    return work(a) > work(b);
  }

  // The number of iterations of a Loop or Scan; a new symbol where it depends on the data.
  Dim trips_of(const Node& node) {
    if (node.is("Loop")) {
      const Value *most = node.input(0), *condition = node.input(1);
      if (most && (!condition || is_true(facts_.of(*condition)))) {
        const Fact& fact = facts_.of(*most);
        if (fact.elements && fact.elements->size() == 1 && !(*fact.elements)[0].is_unknown())
          return dims_.resolve((*fact.elements)[0]);
      }
    } else if (node.is("Scan") && node.input_count() > 0) {
      const Attribute* count = node.attribute("num_scan_inputs");
      const auto* scanned = count ? std::get_if<std::int64_t>(&count->value) : nullptr;
      if (scanned && *scanned > 0 && static_cast<std::size_t>(*scanned) <= node.input_count()) {
        const Value* first = node.input(node.input_count() - static_cast<std::size_t>(*scanned));
        const Fact& fact = first ? facts_.of(*first) : Fact::unknown();
        if (fact.shape && !fact.shape->empty()) return dims_.resolve((*fact.shape)[0]);
      }
    }
    return dims_.fresh(node.name().empty() ? "trips" : std::string(node.name()) + ".trips");
  }

  bool is_true(const Fact& fact) {
    if (!fact.elements || fact.elements->size() != 1) return false;
    const auto value = dims_.resolve((*fact.elements)[0]).size();
    return value && *value != 0;
  }

  const Facts& facts_;
  ops::DimMath& dims_;
  const CostOptions& options_;
  ModelCosts& costs_;
  std::vector<const Fact*> operands_, results_;  // of the current node
};

}  // namespace

ModelCosts costs_of(const Facts& facts, const Model& model, const CostOptions& options) {
  ModelCosts costs;
  costs.nodes.reserve(model.graph().nodes().size());
  Walk(facts, options, costs).graph(model.graph(), Dim::size(1), 0, true, nullptr);
  // Choices inside a branch that does not count are dropped.
  std::erase_if(costs.choices, [&](const BranchChoice& choice) { return !costs.nodes[choice.row].is_counted; });
  for (const NodeCost& each : costs.nodes) {
    if (!each.is_counted) continue;
    if (!each.is_known) costs.unknown.push_back(each.node);
    costs.macs.add(facts.dims(), each.macs);
    costs.flops.add(facts.dims(), each.flops);
    costs.counted.add(facts.dims(), each.counted);
    costs.read.add(facts.dims(), each.read);
    costs.written.add(facts.dims(), each.written);
  }
  return costs;
}

}  // namespace onnxpress::analysis
