// The steps after the rewrites, with their names and order.
#include "onnxpress/tasks/optimize/tidy_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "onnxpress/passes/whole/constants_to_initializers.h"
#include "onnxpress/passes/whole/narrow_types.h"
#include "onnxpress/passes/whole/share_tensors.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"

namespace onnxpress {

namespace {

constexpr std::string_view kDead = "remove-dead", kNarrow = "narrow-types", kLift = "lift-constants",
                           kShare = "share-tensors";

constexpr RewriteInfo kSteps[] = {
    {kDead, "removes nodes, initializers, functions and imports that no output needs", "exact", "whole graph"},
    {kNarrow, "stores int64 constants as int32 and float64 constants as float32, if all their readers accept that",
     "exact", "whole graph", true},
    {kLift, "turns Constant nodes into initializers", "exact", "whole graph"},
    {kShare, "stores equal tensors once", "exact", "whole graph"},
};

void add(const RewriteInfo& step, std::uint64_t count, OptimizeReport& report) {
  if (count == 0) return;
  report.rewrites.push_back({std::string(step.name), std::string(step.summary), count});
  report.steps.push_back({std::string(step.name), "", "", fmt::format("{} times", count), {}, {}});
}

// Exporters write -1 for a size that is open. Checkers report it as a wrong size once they can infer the real one,
// which rewrites may enable.
void open_negative_dims(Model& model) {
  const auto is_negative = [](Dim dim) { return dim.size().value_or(0) < 0; };
  Graph& graph = model.graph();
  for (ValueInfo* output : graph.outputs()) {
    if (!output->type || std::ranges::none_of(output->type->dims, is_negative)) continue;
    std::vector<Dim> dims(output->type->dims.begin(), output->type->dims.end());
    std::ranges::replace_if(dims, is_negative, Dim());
    auto* type = model.arena().make<Type>(*output->type);
    type->origin = {};
    type->dims = model.arena().copy(std::span<const Dim>(dims));
    graph.set_type(*output, type);
  }
}

}  // namespace

std::vector<RewriteInfo> tidying() { return {std::begin(kSteps), std::end(kSteps)}; }

void tidy(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
          const passes::Removed& removed, OptimizeReport& report) {
  add(kSteps[0], removed.nodes + removed.initializers + removed.functions + removed.opsets, report);
  if (options.stop_after) return;  // stop_after counts rewrites for bisecting, so nothing else may change
  if (is_wanted(kNarrow, driver)) add(kSteps[1], passes::narrow_types(model), report);
  if (is_wanted(kLift, driver)) add(kSteps[2], passes::constants_to_initializers(model), report);
  if (is_wanted(kShare, driver)) add(kSteps[3], passes::share_tensors(model).size(), report);
  if (!report.steps.empty() || !options.bindings.empty()) open_negative_dims(model);
}

}  // namespace onnxpress
