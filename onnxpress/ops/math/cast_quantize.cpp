// Casts and quantization: Cast, CastLike, QuantizeLinear, DequantizeLinear, and com.microsoft's QLinear ops.
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/bit_cast.h"
#include "onnxpress/ops/math/cast.h"
#include "onnxpress/ops/math/quantize.h"
#include "onnxpress/ops/microsoft/qlinear.h"

namespace onnxpress::ops {

namespace {

constexpr OpDef kCastQuantizeRows[] = {
    {.name = "BitCast", .traits = kElementwise | kDecodes, .infer = infer_bit_cast, .evaluate = evaluate_bit_cast},
    {.name = "Cast", .traits = kElementwise | kDecodes | kConvertsData, .infer = infer_cast, .evaluate = evaluate_cast},
    {.name = "CastLike",
     .traits = kConvertsData,
     .infer = infer_cast_like,
     .evaluate = evaluate_cast_like,
     .cost = cost_per_result},
    {.name = "DequantizeLinear",
     .traits = kMarksCodes,
     .infer = infer_dequantize_linear,
     .evaluate = evaluate_dequantize_linear,
     .cost = cost_times_result<2>},
    {.name = "DynamicQuantizeLinear",
     .infer = infer_dynamic_quantize_linear,
     .evaluate = evaluate_dynamic_quantize_linear,
     .cost = cost_times_operand<4>},
    {.name = "QuantizeLinear",
     .traits = kMarksCodes,
     .infer = infer_quantize_linear,
     .evaluate = evaluate_quantize_linear,
     .cost = cost_times_result<2>},
    {.name = "DequantizeLinear",
     .domain = "com.microsoft",
     .traits = kMarksCodes,
     .infer = infer_dequantize_linear,
     .evaluate = evaluate_dequantize_linear,
     .cost = cost_times_result<2>},
    {.name = "QLinearAdd",
     .domain = "com.microsoft",
     .infer = infer_qlinear_binary,
     .evaluate = evaluate_qlinear_add,
     .cost = cost_times_result<5>},
    {.name = "QLinearConcat",
     .domain = "com.microsoft",
     .infer = infer_qlinear_concat,
     .evaluate = evaluate_qlinear_concat,
     .cost = cost_per_result},
    {.name = "QLinearLeakyRelu",
     .domain = "com.microsoft",
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_qlinear_leaky_relu},
    {.name = "QLinearMul",
     .domain = "com.microsoft",
     .infer = infer_qlinear_binary,
     .evaluate = evaluate_qlinear_mul,
     .cost = cost_times_result<5>},
    {.name = "QLinearSigmoid",
     .domain = "com.microsoft",
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_qlinear_sigmoid},
    {.name = "QLinearSoftmax",
     .domain = "com.microsoft",
     .infer = infer_same_shape,
     .evaluate = evaluate_qlinear_softmax,
     .cost = cost_times_operand<7>},
    {.name = "QuantizeLinear",
     .domain = "com.microsoft",
     .traits = kMarksCodes,
     .infer = infer_quantize_linear,
     .evaluate = evaluate_quantize_linear,
     .cost = cost_times_result<2>},
};

}  // namespace

Family cast_quantize() { return kCastQuantizeRows; }

}  // namespace onnxpress::ops
