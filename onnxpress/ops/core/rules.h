// Rules for operands and attributes that many ops share. Violations are reported to Inference::contradict().
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
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
bool require_text(Inference& in, std::string_view attribute, std::initializer_list<std::string_view> allowed);
// At most one of these attributes is given; with `needs_one`, exactly one.
bool require_one_of(Inference& in, std::initializer_list<std::string_view> attributes, bool needs_one = false);
// An integer list, if given, has `count` entries that are at least `least`. An empty one counts as absent with
// `may_be_empty`.
bool require_list(Inference& in, std::string_view attribute, std::size_t count, std::int64_t least, bool may_be_empty);
// For windows of Conv and pooling ops: kernel_shape, strides, dilations and pads match the number of spatial axes, and
// auto_pad has one of the values of the standard. ONNX's own inference reads these attributes only if it knows the
// shapes of all operands (`knows_shapes`); otherwise runtimes take an empty list for an absent one, and pads below 0.
bool require_windows(Inference& in, std::size_t axes, bool knows_shapes);
// For convolutions, which runtimes refuse with both pads and auto_pad.
bool require_one_padding(Inference& in);

// What a node says although the standard forbids it and nobody refuses it, as a warning; empty if there is no such
// thing. Pools may have both pads and auto_pad, of which runtimes ignore one.
std::string tolerated_misuse(const Params& params);

}  // namespace onnxpress::ops
