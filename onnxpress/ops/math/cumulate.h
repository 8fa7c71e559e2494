// CumSum and CumProd.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_cumulated(Inference& in);
bool evaluate_cum_sum(Call& call);
bool evaluate_cum_prod(Call& call);

}  // namespace onnxpress::ops
