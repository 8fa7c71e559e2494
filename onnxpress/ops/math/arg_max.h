// ArgMax and ArgMin.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_arg_extreme(Inference& in);
bool evaluate_arg_max(Call& call);
bool evaluate_arg_min(Call& call);

}  // namespace onnxpress::ops
