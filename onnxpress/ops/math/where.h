// Where: takes each element from one of two tensors, selected by a third.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_where(Inference& in);
bool evaluate_where(Call& call);

}  // namespace onnxpress::ops
