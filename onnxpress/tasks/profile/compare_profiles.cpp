// Totals, operators and nodes of two profiles.
#include "onnxpress/tasks/profile/compare_profiles.h"

#include <algorithm>
#include <limits>
#include <map>

#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

std::uint64_t size_of_change(const ChangedFigure& figure) {
  const std::uint64_t before = figure.before.value_or(0), after = figure.after.value_or(0);
  return before > after ? before - after : after - before;
}

template <typename Row, typename KeyOf>
std::vector<ChangedFigure> changed(const std::vector<Row>& before, const std::vector<Row>& after, KeyOf key_of) {
  std::map<std::string, ChangedFigure> found;
  std::vector<std::string> order;
  const auto add = [&](const Row& row, bool is_after) {
    const std::string key = key_of(row);
    const auto [at, is_new] = found.try_emplace(key);
    if (is_new) order.push_back(key);
    at->second.what = key;
    std::optional<std::uint64_t>& figure = is_after ? at->second.after : at->second.before;
    figure = figure.value_or(0) + std::optional<std::uint64_t>(row.work).value_or(0);
  };
  for (const Row& row : after) add(row, true);
  for (const Row& row : before) add(row, false);
  std::vector<ChangedFigure> out;
  for (const std::string& key : order) {
    if (found[key].before != found[key].after) out.push_back(found[key]);
  }
  std::ranges::stable_sort(out, std::greater<>(), size_of_change);
  return out;
}

}  // namespace

std::optional<double> ChangedFigure::change() const {
  if (!before || !after || *before == 0) return std::nullopt;
  return static_cast<double>(*after) / static_cast<double>(*before) - 1;
}

ProfileDifference compare_profiles(const ProfileReport& before, const ProfileReport& after) {
  ProfileDifference out;
  out.file = after.file;
  out.against = before.file;
  out.count = after.count;
  out.totals.push_back({std::string(unit_of(after.count)), before.work.value, after.work.value});
  if (after.count != Count::kFlop) out.totals.push_back({"FLOPs", before.flops.value, after.flops.value});
  out.totals.push_back({"parameters", before.parameters, after.parameters});
  out.totals.push_back({"weight bytes", before.weight_bytes, after.weight_bytes});
  out.totals.push_back({"bytes read", before.read.value, after.read.value});
  out.totals.push_back({"bytes written", before.written.value, after.written.value});
  out.totals.push_back({"activation peak", before.memory.peak, after.memory.peak});
  out.totals.push_back({"pool", before.memory.pool, after.memory.pool});
  out.totals.push_back({"nodes", before.nodes, after.nodes});
  out.ops = changed(before.ops, after.ops, [](const OpProfile& op) { return op.op; });
  out.nodes = changed(before.node_list, after.node_list, [](const NodeProfile& node) { return node.name; });
  return out;
}

double largest_growth(const ProfileDifference& difference) {
  double largest = 0;
  for (const ChangedFigure& each : difference.totals) {
    if (each.what == "nodes") continue;  // more nodes do not make a model worse if they do less work
    if (each.before == 0u && each.after.value_or(0) > 0) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, each.change().value_or(0));
  }
  return largest;
}

std::string to_json(const ProfileDifference& difference) { return json_text(difference); }

}  // namespace onnxpress
