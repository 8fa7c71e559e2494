// Ops with bodies: If is here; Loop and Scan have their own files.
#include <fmt/format.h>

#include "onnxpress/ops/control/iterations.h"
#include "onnxpress/ops/control/loop.h"
#include "onnxpress/ops/control/scan.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

void infer_if(Inference& in) {
  Graph *then_branch = in.params.graph("then_branch"), *else_branch = in.params.graph("else_branch");
  if (!in.infer_body || !then_branch || !else_branch) return;
  const std::size_t yes_count = then_branch->outputs().size(), no_count = else_branch->outputs().size();
  if (yes_count != no_count) {
    in.contradict(fmt::format("its branches have {} and {} outputs", yes_count, no_count));
    return;
  }
  // A branch that is never taken does not affect the results, but its values are inferred, too, because they are shown.
  const Array* condition = in.constant(0);
  if (const auto truth = condition ? truth_of(*condition) : std::nullopt) {
    in.infer_body(*truth ? *else_branch : *then_branch, {});
    std::vector<Fact> outputs = in.infer_body(*truth ? *then_branch : *else_branch, {});
    for (std::size_t i = 0; i < outputs.size(); ++i) in.set(i, std::move(outputs[i]));
    return;
  }
  const std::vector<Fact> yes = in.infer_body(*then_branch, {}), no = in.infer_body(*else_branch, {});
  for (std::size_t i = 0; i < in.result_count() && i < yes.size() && i < no.size(); ++i) {
    Fact joined = join(yes[i], no[i], in.dims);
    // Whichever branch runs, each axis has one size; an unknown one gets its own symbol.
    for (std::size_t axis = 0; joined.shape && axis < joined.shape->size(); ++axis)
      (*joined.shape)[axis] = known_or_fresh(in, (*joined.shape)[axis], i, axis);
    in.set(i, std::move(joined));
  }
}

bool evaluate_if(Call& call) {
  const auto truth = truth_of(call.array(0));
  if (!truth) return call.fail("the condition is not a single truth value");
  Graph* branch = call.params.graph(*truth ? "then_branch" : "else_branch");
  if (!branch || !call.run_body) return call.fail("there is no branch to run");
  std::vector<Datum> outputs;
  std::string why;
  if (!call.run_body(*branch, {}, outputs, why)) return call.fail(std::move(why));
  if (outputs.size() < call.result_count()) return call.fail("the branch has too few outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) call.set(i, std::move(outputs[i]));
  return true;
}

constexpr OpDef kControlFlowRows[] = {
    {.name = "If", .traits = kHasBodies, .infer = infer_if, .evaluate = evaluate_if},
    {.name = "Loop", .traits = kHasBodies, .infer = infer_loop, .evaluate = evaluate_loop},
    {.name = "Scan", .traits = kHasBodies, .infer = infer_batched_scan, .evaluate = evaluate_batched_scan},
    {.name = "Scan", .since = 9, .traits = kHasBodies, .infer = infer_scan, .evaluate = evaluate_scan},
};

}  // namespace

Family control_flow() { return kControlFlowRows; }

}  // namespace onnxpress::ops
