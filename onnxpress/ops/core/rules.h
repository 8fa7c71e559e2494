// Rules for operands and attributes that many ops share. Violations are reported to Inference::contradict().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The axis in [0, rank); contradicts when it is not in [-rank, rank).
std::optional<std::size_t> required_axis(Inference& in, std::int64_t axis, std::size_t rank);

// These contradict and return false when the rule is broken. Unknown values do not break a rule.
bool require_rank(Inference& in, std::size_t operand, std::size_t rank);
bool require_rank_at_least(Inference& in, std::size_t operand, std::size_t least);
bool require_flag(Inference& in, std::string_view attribute);      // 0 or 1
bool require_positive(Inference& in, std::string_view attribute);  // an integer
// For windows of Conv and pooling ops: kernel_shape, strides, dilations and pads match the number of spatial axes, and
// auto_pad has one of the values of the standard.
bool require_windows(Inference& in, std::size_t axes);

}  // namespace onnxpress::ops
