// The steps after the rewrites, with their names and order.
#include "onnxpress/tasks/optimize/tidy_model.h"

#include <fmt/format.h>

#include "onnxpress/passes/constants_to_initializers.h"
#include "onnxpress/passes/share_tensors.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"

namespace onnxpress::tasks {

namespace {

constexpr std::string_view kDead = "remove-dead", kLift = "lift-constants", kShare = "share-tensors";

constexpr RewriteInfo kSteps[] = {
    {kDead, "removes nodes, initializers, functions and imports that no output needs", "exact", "whole model"},
    {kLift, "turns Constant nodes into initializers", "exact", "whole model"},
    {kShare, "stores equal tensors once", "exact", "whole model"},
};

void add(const RewriteInfo& step, std::uint64_t count, OptimizeReport& report) {
  if (count == 0) return;
  report.rewrites.push_back({std::string(step.name), std::string(step.summary), count});
  report.steps.push_back({std::string(step.name), "", "", fmt::format("{} times", count), {}, {}});
}

}  // namespace

std::vector<RewriteInfo> tidying() { return {std::begin(kSteps), std::end(kSteps)}; }

void tidy(Model& model, const OptimizeOptions& options, const passes::DriverOptions& driver,
          const passes::Removed& removed, OptimizeReport& report) {
  add(kSteps[0], removed.nodes + removed.initializers + removed.functions + removed.opsets, report);
  if (options.stop_after) return;  // bisecting counts rewrites, so nothing else may change
  if (is_wanted(kLift, driver)) add(kSteps[1], passes::constants_to_initializers(model), report);
  if (is_wanted(kShare, driver)) add(kSteps[2], passes::share_tensors(model).size(), report);
}

}  // namespace onnxpress::tasks
