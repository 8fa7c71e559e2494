// Counts nodes in one walk; costs come from the profiler.
#include "onnxpress/tasks/optimize/op_changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress {

namespace {

std::string op_name(const Node& node) {
  return is_standard_domain(node.domain()) ? std::string(node.op_type())
                                           : fmt::format("{}.{}", node.domain(), node.op_type());
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (const auto& [op, count] : counts) sum += count;
  return sum;
}

std::optional<OpCosts> costs_in(const OpCounts& counts, const std::string& op) {
  if (!counts.all) return std::nullopt;
  const auto found = counts.costs.find(op);
  return found == counts.costs.end() ? OpCosts() : found->second;
}

}  // namespace

OpCounts count_ops(Model& model, const OptimizeOptions& options) {
  OpCounts counts;
  // Without Constant nodes, because exporters store weights either in those or in initializers.
  for_each_node(model, [&](const Node& node) {
    if (!node.is("Constant")) ++counts.nodes[op_name(node)];
  });
  if (!options.costs) return counts;
  const ProfileReport profiled = profile(model, {.bindings = options.bindings});
  counts.all = OpCosts{profiled.macs.value.value_or(0), profiled.parameters, profiled.weight_bytes,
                       profiled.read.value.value_or(0) + profiled.written.value.value_or(0)};
  for (const OpProfile& each : profiled.ops)
    counts.costs[each.op] = {each.macs, each.parameters, each.weight_bytes, each.read + each.written};
  return counts;
}

void add_op_changes(const OpCounts& before, const OpCounts& after, OptimizeReport& report) {
  report.nodes_before = sum_of(before.nodes);
  report.nodes_after = sum_of(after.nodes);
  report.costs_before = before.all;
  report.costs_after = after.all;
  report.ops.clear();
  std::map<std::string, OpChange> changes;
  for (const auto& [op, count] : before.nodes) changes[op].before = count;
  for (const auto& [op, count] : after.nodes) changes[op].after = count;
  for (auto& [op, change] : changes) {
    change.op = op;
    change.costs_before = costs_in(before, op);
    change.costs_after = costs_in(after, op);
    report.ops.push_back(std::move(change));
  }
  std::ranges::stable_sort(report.ops, std::greater<>(), &OpChange::before);
}

}  // namespace onnxpress
