// Matrix products of 8-bit integers: MatMulInteger, QLinearMatMul and ONNX Runtime's forms.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_matmul_integer(Inference& in);
bool evaluate_matmul_integer(Call& call);
void infer_qlinear_matmul(Inference& in);
bool evaluate_qlinear_matmul(Call& call);
bool evaluate_matmul_integer_to_float(Call& call);
bool evaluate_dynamic_quantize_matmul(Call& call);
void infer_qgemm(Inference& in);
bool evaluate_qgemm(Call& call);

inline bool is_byte(ElementType type) { return type == ElementType::kUint8 || type == ElementType::kInt8; }

// The result of DynamicQuantizeLinear for an array of floats.
struct DynamicallyQuantized {
  Array values;  // uint8
  float scale = 1;
  std::uint8_t zero = 0;
};
DynamicallyQuantized quantized_dynamically(const Array& array);

// Rounds to the nearest integer, half to even, adds the zero point and saturates to the type.
template <typename T>
T requantized(float value, std::int32_t zero) {
  const float rounded = __builtin_nearbyintf(value) + static_cast<float>(zero);
  constexpr float kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  return static_cast<T>(rounded > kLow ? (rounded < kHigh ? rounded : kHigh) : kLow);
}

// The numbers of a scale (float, float16 or bfloat16); empty when it has another type.
std::vector<float> scales_of(const Array& array);

}  // namespace onnxpress::ops
