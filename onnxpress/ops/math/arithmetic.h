// The parts of the family 'arithmetic' that have their own files.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

// arithmetic_infer.cpp: shapes, and integers (mostly sizes of shapes) as expressions.
void infer_add(Inference& in);
void infer_sub(Inference& in);
void infer_mul(Inference& in);
void infer_div(Inference& in);
void infer_mod(Inference& in);
void infer_pow(Inference& in);
void infer_sum(Inference& in);
void infer_max(Inference& in);
void infer_min(Inference& in);
void infer_variadic(Inference& in);
void infer_neg(Inference& in);
void infer_abs(Inference& in);
void infer_sign(Inference& in);
void infer_clip(Inference& in);
void infer_function(Inference& in);     // of one number: keeps the shape
void infer_nonnegative(Inference& in);  // also: results >= 0
void infer_within_one(Inference& in);   // also: results in [-1, 1], up to rounding
void infer_rounding(Inference& in);     // also: keeps integer bounds

// pow.cpp
bool evaluate_pow(Call& call);
// clip.cpp
bool evaluate_clip(Call& call);

}  // namespace onnxpress::ops
