// Gelu and its relatives in com.microsoft.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

bool evaluate_gelu(Call& call);        // exact, or by tanh if `approximate` is "tanh"
bool evaluate_bias_gelu(Call& call);   // exact, of A + B
bool evaluate_fast_gelu(Call& call);   // by tanh, of X + bias
bool evaluate_quick_gelu(Call& call);  // x * sigmoid(alpha * x)
// Splits the last axis of X + bias into two halves: left * Gelu(right).
void infer_bias_split_gelu(Inference& in);
bool evaluate_bias_split_gelu(Call& call);

}  // namespace onnxpress::ops
