// Cast and CastLike.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_cast(Inference& in);
bool evaluate_cast(Call& call);
void infer_cast_like(Inference& in);
bool evaluate_cast_like(Call& call);

}  // namespace onnxpress::ops
