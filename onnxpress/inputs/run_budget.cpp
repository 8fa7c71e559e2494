// Keeps lifetimes and costs as formulas, so that it is cheap to ask for memory and work with other sizes.
#include "onnxpress/inputs/run_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/analysis/liveness.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::inputs {

RunSizes::RunSizes(const Model& model, const analysis::Facts& facts)
    : facts_(facts), steps_(steps_of(model.graph(), 0)) {
  for (const analysis::NodeCost& cost : analysis::costs_of(facts, model).nodes) {
    const bool is_number = cost.macs.size() == 0 && cost.flops.size() == 0;
    if (cost.is_counted && !is_number) work_.emplace_back(cost.macs, cost.flops);
  }
}

RunSizes::Steps RunSizes::steps_of(const Graph& graph, int depth) const {
  constexpr int kMostDepth = 64;
  Steps steps;
  const analysis::Liveness lives(graph);
  steps.count = lives.node_count();
  std::size_t position = 0;
  for (const Node& node : graph.nodes()) {
    const ops::Op* op = facts_.ops().op_of(node);
    const bool is_view = op && op->has(ops::kView);
    for (const Value* value : node.outputs()) {
      const auto life = value ? lives.of(*value) : std::nullopt;
      if (!life || is_view) continue;
      const ops::Fact& fact = facts_.of(*value);
      auto shape = facts_.shape_of(*value);
      if (fact.is_constant || !fact.is_tensor() || !shape) continue;
      steps.values.push_back({std::move(*shape), bits_of(fact.element) / 8.0, position, life->last_use});
    }
    for (Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](Graph& body) {
        if (depth >= kMostDepth) return;
        steps.bodies.push_back(steps_of(body, depth + 1));
        steps.bodies.back().at = position;
      });
    }
    ++position;
  }
  return steps;
}

double RunSizes::peak_of(const Steps& steps, const ops::DimMath::SizeOf& size_of) const {
  std::vector<double> changes(steps.count + 2), extra(steps.count + 2);
  for (const Held& held : steps.values) {
    double bytes = held.bytes;
    for (const Dim dim : held.shape)
      bytes *= static_cast<double>(std::max<std::int64_t>(0, facts_.dims().value_of(dim, size_of).value_or(0)));
    changes[held.first] += bytes;
    changes[std::min(held.last, steps.count) + 1] -= bytes;
  }
  for (const Steps& body : steps.bodies) extra[body.at] = std::max(extra[body.at], peak_of(body, size_of));
  double now = 0, peak = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    now += changes[i];
    peak = std::max(peak, now + extra[i]);
  }
  return peak;
}

RunSize RunSizes::with(const ops::DimMath::SizeOf& size_of) const {
  RunSize size{.bytes = peak_of(steps_, size_of)};
  double macs = 0, others = 0;
  for (const auto& [multiplications, operations] : work_) {
    macs += static_cast<double>(facts_.dims().value_of(multiplications, size_of).value_or(0));
    others += static_cast<double>(facts_.dims().value_of(operations, size_of).value_or(0));
  }
  size.work = std::max(macs, others / 2);
  return size;
}

RunBudget::RunBudget(const Model& model, const analysis::Facts& facts, const SizePolicy& policy,
                     std::vector<OpenDims> sizes)
    : model_(model), facts_(facts), policy_(policy), sizes_(std::move(sizes)), symbols_(open_symbols(model, facts)) {}

RunSize RunBudget::size_with(const OpenDims& open) {
  if (!runs_) runs_.emplace(model_, facts_);
  return runs_->with([&](const Symbol& symbol) -> std::optional<std::int64_t> {
    if (std::ranges::find(symbols_, &symbol) == symbols_.end()) return std::nullopt;
    return open.size_of(symbol, facts_.dims());
  });
}

const RunSize& RunBudget::cheapest() {
  if (cheapest_) return *cheapest_;
  for (const OpenDims& open : sizes_) {
    const RunSize size = size_with(open);
    if (!cheapest_) cheapest_ = size;
    cheapest_->bytes = std::min(cheapest_->bytes, size.bytes);
    cheapest_->work = std::min(cheapest_->work, size.work);
  }
  return *cheapest_;
}

bool RunBudget::allows(const OpenDims& open) {
  constexpr double kTimesCheapest = 4;
  const RunSize size = size_with(open);
  if (size.bytes <= policy_.most_bytes && size.work <= policy_.most_work) return true;
  if (size.bytes <= std::max(policy_.most_bytes, kTimesCheapest * cheapest().bytes) &&
      size.work <= std::max(policy_.most_work, kTimesCheapest * cheapest().work))
    return true;
  if (refused_ && refused_->bytes <= size.bytes) return false;
  refused_ = size;
  refused_sizes_.clear();
  for (const Symbol* symbol : symbols_) {
    refused_sizes_ += fmt::format("{}{}={}", refused_sizes_.empty() ? "" : ", ", to_string(Dim::symbol(symbol)),
                                  open.size_of(*symbol, facts_.dims()));
  }
  return false;
}

std::string RunBudget::why() const {
  if (!refused_) return {};
  return fmt::format(
      "; larger sizes were not tried, because a run with {} takes {:.1f} GB of memory and {:.1g} "
      "multiply-adds",
      refused_sizes_, refused_->bytes / 1e9, refused_->work);
}

}  // namespace onnxpress::inputs
