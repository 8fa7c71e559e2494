// The totals of a profile, without its tables.
#include "onnxpress/tasks/profile/compute_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/profile/profile.h"
#include "onnxpress/tasks/profile/profile_names.h"
#include "onnxpress/tasks/settings/bindings.h"
#include "onnxpress/tasks/settings/constant_defaults.h"

namespace onnxpress {

namespace {

// Branches may depend on sizes, which a full profile takes into account.
void count_with_sizes(const Model& model, ComputeLine& line) {
  ProfileOptions options;
  options.details = false;
  const ProfileReport report = profile(model, options);
  if (report.macs.at_least || report.ops.empty()) return;
  line.macs = report.macs.value;
  line.formula = report.macs.formula;
  line.at_least = false;
  line.op = report.ops.front().macs > 0 ? report.ops.front().op : "";
  if (line.macs && *line.macs > 0)
    line.share = static_cast<double>(report.ops.front().macs) / static_cast<double>(*line.macs);
}

}  // namespace

ComputeLine compute_of(const Model& original) {
  constexpr std::size_t kMostInputs = 8;
  std::optional<Model> copy = with_constant_defaults(original, {});
  const Model& model = copy ? *copy : original;
  const analysis::Facts facts(model);
  AssumedSizes sizes(facts);
  sizes.add_inputs(model);
  const std::size_t of_inputs = sizes.all().size();
  const auto note_sizes = [&](std::size_t, const analysis::NodeCost& cost) {
    sizes.add_results(*cost.node);
    sizes.add(cost.times);
  };
  const analysis::ModelCosts costs = analysis::costs_of(facts, model, {.on_node = note_sizes});
  const auto size_of = [&sizes](const Symbol& symbol) { return sizes.of(symbol); };
  ComputeLine line;
  line.macs = costs.macs.value(facts.dims(), size_of);
  line.at_least = !costs.macs.is_exact() || !costs.unknown.empty() || costs.is_cut;
  line.formula = costs.macs.formula();
  std::map<std::string, double> by_op;
  std::uint64_t known = 0;
  bool fits = true, all = true;
  for (const analysis::NodeCost& cost : costs.nodes) {
    const auto macs = cost.is_counted && cost.is_known ? facts.dims().value_of(cost.macs, size_of) : std::nullopt;
    all &= macs.has_value() || !cost.is_counted;
    fits &=
        !__builtin_add_overflow(known, static_cast<std::uint64_t>(std::max<std::int64_t>(macs.value_or(0), 0)), &known);
    if (macs && *macs > 0) by_op[op_name(*cost.node)] += static_cast<double>(*macs);
  }
  if (!line.macs && !all && fits) {
    line.macs = known;
    line.at_least = true;
  }
  double most = 0;
  for (const auto& [op, macs] : by_op) {
    if (macs <= most) continue;
    most = macs;
    line.op = op;
  }
  if (line.macs && *line.macs > 0) line.share = most / static_cast<double>(*line.macs);
  const bool guessed = sizes.all().size() > of_inputs;  // sizes that have no formula
  if ((line.at_least || guessed) && costs.unknown.empty() && !costs.is_cut) count_with_sizes(model, line);
  for (const ValueInfo* input : inputs::inputs_to_give(model)) {
    if (line.inputs.size() == kMostInputs) break;
    line.inputs.push_back(fmt::format("{} {}", input->value->name(), sized_type_text(facts, *input->value, size_of)));
  }
  return line;
}

}  // namespace onnxpress
