// Softmax, LogSoftmax, Hardmax and ops built from them.
#pragma once

#include <optional>

#include "onnxpress/ops/kernels/axis_layout.h"

namespace onnxpress::ops {

class Call;
class Inference;
class Params;

enum class SoftmaxKind : std::uint8_t { kSoftmax, kLogSoftmax, kHardmax };

// Computes over the middle axis; elements are floats or doubles.
Array softmax(const Array& x, const AxisLayout& layout, SoftmaxKind kind);

// From opset 13 on, along `axis`; before that (flat), over all axes from `axis` on.
bool evaluate_softmax(Call& call);
bool evaluate_flat_softmax(Call& call);
bool evaluate_log_softmax(Call& call);
bool evaluate_flat_log_softmax(Call& call);
bool evaluate_hardmax(Call& call);
bool evaluate_flat_hardmax(Call& call);
bool evaluate_bias_softmax(Call& call);  // com.microsoft: of data + bias

void infer_softmax(Inference& in);
void infer_log_softmax(Inference& in);
// The same for the versions that require an axis of the operand, which a scalar does not have.
void infer_softmax_along_axis(Inference& in);
void infer_log_softmax_along_axis(Inference& in);

}  // namespace onnxpress::ops
