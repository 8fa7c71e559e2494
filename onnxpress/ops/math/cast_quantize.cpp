// Casts and quantization: Cast, CastLike, QuantizeLinear, DequantizeLinear, and com.microsoft's QLinear ops.
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/bit_cast.h"
#include "onnxpress/ops/math/cast.h"
#include "onnxpress/ops/math/quantize.h"
#include "onnxpress/ops/microsoft/qlinear.h"

namespace onnxpress::ops {

namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr OpDef kRows[] = {
    {.name = "BitCast", .traits = kElementwise, .infer = infer_bit_cast, .evaluate = evaluate_bit_cast},
    {.name = "Cast", .traits = kElementwise, .infer = infer_cast, .evaluate = evaluate_cast},
    {.name = "CastLike", .infer = infer_cast_like, .evaluate = evaluate_cast_like},
    {.name = "DequantizeLinear", .infer = infer_dequantize_linear, .evaluate = evaluate_dequantize_linear},
    {.name = "DynamicQuantizeLinear",
     .infer = infer_dynamic_quantize_linear,
     .evaluate = evaluate_dynamic_quantize_linear},
    {.name = "QuantizeLinear", .infer = infer_quantize_linear, .evaluate = evaluate_quantize_linear},
    {.name = "DequantizeLinear",
     .domain = kMicrosoft,
     .infer = infer_dequantize_linear,
     .evaluate = evaluate_dequantize_linear},
    {.name = "QLinearAdd", .domain = kMicrosoft, .infer = infer_qlinear_binary, .evaluate = evaluate_qlinear_add},
    {.name = "QLinearConcat", .domain = kMicrosoft, .infer = infer_qlinear_concat, .evaluate = evaluate_qlinear_concat},
    {.name = "QLinearLeakyRelu",
     .domain = kMicrosoft,
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_qlinear_leaky_relu},
    {.name = "QLinearMul", .domain = kMicrosoft, .infer = infer_qlinear_binary, .evaluate = evaluate_qlinear_mul},
    {.name = "QLinearSigmoid",
     .domain = kMicrosoft,
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_qlinear_sigmoid},
    {.name = "QLinearSoftmax", .domain = kMicrosoft, .infer = infer_same_shape, .evaluate = evaluate_qlinear_softmax},
    {.name = "QuantizeLinear",
     .domain = kMicrosoft,
     .infer = infer_quantize_linear,
     .evaluate = evaluate_quantize_linear},
};

}  // namespace

Family cast_quantize() { return kRows; }

}  // namespace onnxpress::ops
