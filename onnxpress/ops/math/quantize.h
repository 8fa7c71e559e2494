// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_quantize_linear(Inference& in);
bool evaluate_quantize_linear(Call& call);
void infer_dequantize_linear(Inference& in);
bool evaluate_dequantize_linear(Call& call);
void infer_dynamic_quantize_linear(Inference& in);
bool evaluate_dynamic_quantize_linear(Call& call);

}  // namespace onnxpress::ops
