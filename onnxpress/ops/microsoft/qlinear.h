// com.microsoft's ops on quantized tensors, each with its own scale and zero point: QLinearAdd, QLinearSigmoid...
#pragma once

namespace onnxpress::ops {

class Call;
class Inference;

void infer_qlinear_binary(Inference& in);
bool evaluate_qlinear_add(Call& call);
bool evaluate_qlinear_mul(Call& call);
bool evaluate_qlinear_sigmoid(Call& call);
bool evaluate_qlinear_leaky_relu(Call& call);
bool evaluate_qlinear_softmax(Call& call);
void infer_qlinear_concat(Inference& in);
bool evaluate_qlinear_concat(Call& call);

}  // namespace onnxpress::ops
