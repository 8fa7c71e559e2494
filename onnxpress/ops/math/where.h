// Where: elements of one tensor or of another, as a third says.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_where(Inference& in);
bool evaluate_where(Call& call);

}  // namespace onnxpress::ops
