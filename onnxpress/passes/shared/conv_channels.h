// Constants along the output channels of a Conv or ConvTranspose, and weights scaled by them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// The Conv or ConvTranspose that computes `result`, if nothing else reads the result and its weights are constant and
// used only there; null otherwise. The caller may change its weights and bias.
Node* own_conv(const Value* result, const Rewriter& rw);
// How many channels the result of the Conv has.
std::optional<std::int64_t> output_channels(const Node& conv, const Rewriter& rw);
// The constant as one number per channel, [channels]; null when it differs along another axis or has more axes than the
// result of the Conv.
Value* per_channel(Value* c, const Node& conv, Rewriter& rw);
// The weights times `k` (or divided by it), one number per output channel; null when they would not be constant.
Value* scaled_weights(const Node& conv, Value* k, Rewriter& rw, std::string_view op = "Mul");

}  // namespace onnxpress::passes
