// Gelu and its relatives in com.microsoft.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

bool evaluate_gelu(Call& call);        // exact, or by tanh when `approximate` says so
bool evaluate_bias_gelu(Call& call);   // exact, of A + B
bool evaluate_fast_gelu(Call& call);   // by tanh, of X + bias
bool evaluate_quick_gelu(Call& call);  // x * sigmoid(alpha * x)
// The last axis is cut in two halves: left * Gelu(right), of X + bias.
void infer_bias_split_gelu(Inference& in);
bool evaluate_bias_split_gelu(Call& call);

}  // namespace onnxpress::ops
