// Reductions along axes (ReduceSum, ...), places of extremes (ArgMax, ArgMin) and running totals (CumSum, CumProd).
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/math/arg_max.h"
#include "onnxpress/ops/math/cumulate.h"
#include "onnxpress/ops/math/reduce.h"

namespace onnxpress::ops {

namespace {

template <Reduction kKind>
constexpr OpDef row(std::string_view name) {
  return {.name = name,
          .infer = [](Inference& in) { infer_reduction(in, kKind); },
          .evaluate = [](Call& call) { return evaluate_reduction(call, kKind); },
          .cost = cost_reduction};
}

constexpr OpDef kReductionRows[] = {
    {.name = "ArgMax", .infer = infer_arg_extreme, .evaluate = evaluate_arg_max, .cost = cost_reduction},
    {.name = "ArgMin", .infer = infer_arg_extreme, .evaluate = evaluate_arg_min, .cost = cost_reduction},
    {.name = "CumProd", .infer = infer_cumulated, .evaluate = evaluate_cum_prod, .cost = cost_per_result},
    {.name = "CumSum",
     .traits = kDecodes,
     .infer = infer_cumulated,
     .evaluate = evaluate_cum_sum,
     .cost = cost_per_result},
    row<Reduction::kL1>("ReduceL1"),
    row<Reduction::kL2>("ReduceL2"),
    row<Reduction::kLogSum>("ReduceLogSum"),
    row<Reduction::kLogSumExp>("ReduceLogSumExp"),
    row<Reduction::kMax>("ReduceMax"),
    row<Reduction::kMean>("ReduceMean"),
    row<Reduction::kMin>("ReduceMin"),
    row<Reduction::kProd>("ReduceProd"),
    row<Reduction::kSum>("ReduceSum"),
    row<Reduction::kSumSquare>("ReduceSumSquare"),
};

}  // namespace

Family reduction() { return kReductionRows; }

}  // namespace onnxpress::ops
