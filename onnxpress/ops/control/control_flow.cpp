// Ops with bodies: If is here; Loop and Scan have their own files.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/control/iterations.h"
#include "onnxpress/ops/control/loop.h"
#include "onnxpress/ops/control/scan.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// The kind of a fact and its element type, as far as both are known, cannot be those of the other one.
bool types_differ(const Fact& a, const Fact& b) {
  if (a.kind == Fact::Kind::kUnknown || b.kind == Fact::Kind::kUnknown) return false;
  if (a.kind != b.kind) return true;
  if (a.is_tensor()) return is_known(a.element) && is_known(b.element) && a.element != b.element;
  return a.inner && b.inner && types_differ(*a.inner, *b.inner);
}

bool require_equal_types(Inference& in, std::span<const Fact> yes, std::span<const Fact> no) {
  for (std::size_t i = 0; i < yes.size() && i < no.size(); ++i) {
    if (!types_differ(yes[i], no[i])) continue;
    in.contradict(fmt::format("output {} has another type in the other branch", i));
    return false;
  }
  return true;
}

// No one gives a branch inputs. In old models initializers are also inputs.
bool takes_nothing(const Graph& branch) {
  return std::ranges::all_of(branch.inputs(),
                             [](const ValueInfo* input) { return input->value && input->value->initializer(); });
}

void infer_if(Inference& in) {
  Graph *then_branch = in.params.graph("then_branch"), *else_branch = in.params.graph("else_branch");
  if (!in.infer_body || !then_branch || !else_branch) return;
  const std::size_t yes_count = then_branch->outputs().size(), no_count = else_branch->outputs().size();
  if (yes_count != no_count) {
    in.contradict(fmt::format("its branches have {} and {} outputs", yes_count, no_count));
    return;
  }
  if (yes_count != in.result_count())
    return in.contradict(fmt::format("has {} outputs, but its branches have {}", in.result_count(), yes_count));
  if (!takes_nothing(*then_branch) || !takes_nothing(*else_branch))
    return in.contradict("a branch has inputs, but nothing is given to it");
  // A branch that is never taken does not affect the results, but its values are inferred, too, because they are shown.
  const Array* condition = in.constant(0);
  if (const auto truth = condition ? truth_of(*condition) : std::nullopt) {
    const std::vector<Fact> others = in.infer_body(*truth ? *else_branch : *then_branch, {});
    std::vector<Fact> outputs = in.infer_body(*truth ? *then_branch : *else_branch, {});
    if (!require_equal_types(in, outputs, others)) return;
    for (std::size_t i = 0; i < outputs.size(); ++i) in.set(i, std::move(outputs[i]));
    return;
  }
  const std::vector<Fact> yes = in.infer_body(*then_branch, {}), no = in.infer_body(*else_branch, {});
  if (!require_equal_types(in, yes, no)) return;
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
