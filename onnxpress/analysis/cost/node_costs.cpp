// The walk over nodes, bodies and functions.
#include "onnxpress/analysis/cost/node_costs.h"

#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/cost.h"

namespace onnxpress::analysis {

namespace {

using ops::Fact;

constexpr std::uint32_t kMostDepth = 64;
constexpr std::size_t kMostRows = 10'000'000;  // calls of functions in functions multiply

class Walk {
 public:
  Walk(const Facts& facts, ModelCosts& costs) : facts_(facts), dims_(facts.dims()), costs_(costs) {}

  void graph(const Graph& graph, Dim times, std::uint32_t depth, bool counted) {
    if (depth > kMostDepth) return;
    for (const Node& node : graph.nodes()) {
      if (costs_.nodes.size() >= kMostRows) return;
      visit(node, times, depth, counted);
    }
  }

 private:
  // Bytes of a value: elements times their width, halves of bytes rounded up at the end.
  Dim bytes_of(const Fact& fact, Dim elements) const {
    const int bits = fact.is_tensor() ? bits_of(fact.element) : 0;
    if (bits <= 0) return {};
    if (bits % 8 == 0) return dims_.mul(elements, Dim::size(bits / 8));
    return dims_.ceil_div(dims_.mul(elements, Dim::size(bits)), Dim::size(8));
  }

  void visit(const Node& node, Dim times, std::uint32_t depth, bool counted) {
    const std::size_t row = costs_.nodes.size();
    costs_.nodes.push_back({.node = &node, .times = times, .depth = depth, .is_counted = counted});
    if (const Function* function = facts_.ops().function_of(node)) {
      costs_.nodes[row].has_bodies = costs_.nodes[row].is_known = true;
      set_zero(costs_.nodes[row]);
      graph(*function->body, times, depth + 1, counted);
      return;
    }
    const ops::Op* op = facts_.ops().op_of(node);
    if (!op || !op->schema) return;
    if (op->has(ops::kHasBodies) && !op->def->cost) return bodies(node, row, times, depth, counted);
    leaf(node, *op, row);
  }

  static void set_zero(NodeCost& cost) { cost.macs = cost.flops = cost.read = cost.written = Dim::size(0); }

  void leaf(const Node& node, const ops::Op& op, std::size_t row) {
    std::vector<const Fact*> operands, results;
    for (const Use& use : node.inputs()) operands.push_back(use.value() ? &facts_.of(*use.value()) : nullptr);
    for (const Value* output : node.outputs()) results.push_back(output ? &facts_.of(*output) : nullptr);
    ops::Inference in(node, op, operands, dims_);
    ops::CostQuery query(in, results);
    if (!ops::cost_of(op, query)) return;
    NodeCost& cost = costs_.nodes[row];
    cost.is_known = true;
    cost.is_estimate = query.cost.is_estimate;
    cost.is_view = query.cost.is_view;
    cost.macs = dims_.mul(query.cost.macs, cost.times);
    cost.flops = dims_.mul(query.cost.flops, cost.times);
    cost.read = cost.written = Dim::size(0);
    if (cost.is_view) return;
    if (op.has(ops::kReadsOnlyShape)) operands.clear();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!operands[i]) continue;
      const Dim elements = i == 0 && query.cost.reads_part ? query.cost.read : query.elements(*operands[i]);
      cost.read = dims_.add(cost.read, bytes_of(*operands[i], elements));
    }
    for (const Fact* result : results) {
      if (result) cost.written = dims_.add(cost.written, bytes_of(*result, query.elements(*result)));
    }
    cost.read = dims_.mul(cost.read, cost.times);
    cost.written = dims_.mul(cost.written, cost.times);
  }

  // --- Bodies

  void bodies(const Node& node, std::size_t row, Dim times, std::uint32_t depth, bool counted) {
    costs_.nodes[row].has_bodies = costs_.nodes[row].is_known = true;
    set_zero(costs_.nodes[row]);
    if (node.is("If")) return branches(node, times, depth, counted);
    const Dim trips = trips_of(node);
    for_each_body(node, [&](const Graph& body) { graph(body, dims_.mul(times, trips), depth + 1, counted); });
  }

  template <typename Visit>
  static void for_each_body(const Node& node, Visit visit) {
    for (Attribute* attribute : node.attributes()) for_each_graph_in(*attribute, [&](Graph& body) { visit(body); });
  }

  // The branch that is taken where the condition is known, else the one with more work.
  void branches(const Node& node, Dim times, std::uint32_t depth, bool counted) {
    const Fact& condition = facts_.of(*node.input(0));
    std::optional<bool> taken;
    if (condition.elements && condition.elements->size() == 1) {
      if (const auto value = dims_.resolve((*condition.elements)[0]).size()) taken = *value != 0;
    }
    struct Branch {
      std::size_t begin = 0, end = 0;
      Amount macs, flops;
    };
    std::vector<Branch> seen;
    for (const std::string_view name : {"then_branch", "else_branch"}) {
      Branch branch{.begin = costs_.nodes.size()};
      const bool counts = counted && (!taken || *taken == (name == "then_branch"));
      const Attribute* attribute = node.attribute(name);
      if (attribute) {
        for_each_graph_in(*attribute, [&](const Graph& body) { graph(body, times, depth + 1, counts); });
      }
      branch.end = costs_.nodes.size();
      for (std::size_t i = branch.begin; i < branch.end; ++i) {
        if (!costs_.nodes[i].is_counted) continue;
        branch.macs.add(dims_, costs_.nodes[i].macs);
        branch.flops.add(dims_, costs_.nodes[i].flops);
      }
      seen.push_back(std::move(branch));
    }
    if (taken || !counted) return;
    const Branch& smaller = is_larger(seen[1], seen[0]) ? seen[0] : seen[1];
    for (std::size_t i = smaller.begin; i < smaller.end; ++i) costs_.nodes[i].is_counted = false;
  }

  // By number with 64 for every symbol: which one is larger may depend on them, but a choice has to be made.
  template <typename Branch>
  bool is_larger(const Branch& a, const Branch& b) {
    const auto size_of = [](const Symbol&) { return std::optional<std::int64_t>(64); };
    const auto work = [&](const Branch& each) {
      return 2 * each.macs.value(dims_, size_of).value_or(0) + each.flops.value(dims_, size_of).value_or(0);
    };
    return work(a) > work(b);
  }

  // Iterations of a Loop or Scan; a symbol of its own where only the data tell.
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
  ModelCosts& costs_;
};

}  // namespace

ModelCosts costs_of(const Facts& facts, const Model& model) {
  ModelCosts costs;
  Walk(facts, costs).graph(model.graph(), Dim::size(1), 0, true);
  for (const NodeCost& each : costs.nodes) {
    if (!each.is_counted) continue;
    if (!each.is_known) costs.unknown.push_back(each.node);
    costs.macs.add(facts.dims(), each.macs);
    costs.flops.add(facts.dims(), each.flops);
    costs.read.add(facts.dims(), each.read);
    costs.written.add(facts.dims(), each.written);
  }
  return costs;
}

}  // namespace onnxpress::analysis
