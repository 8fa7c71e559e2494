// Numbers that the channels between layers are scaled by (choose/channel_links.h), so that rounding the weights behind
// them does less harm. All are powers of two, so that scaling itself changes no bit of any result.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "onnxpress/weights/lossy/compensate.h"

namespace onnxpress::weights {

// To the nearest powers of two around 1, none farther from it than 2^8. Channels without a number stay as they are.
std::vector<float> powers_of_two(std::span<const double> wanted);

// Activation-aware: columns that meet large inputs grow, and are rounded more finely in proportion (Lin et al., "AWQ",
// 2023). `power` is from 0, which scales nothing, to 1, where all channels end up as loud as each other.
std::vector<float> activation_scales(const LayerSample& sample, std::size_t channels, double power);

// Cross-layer equalization: channels get the same range on both sides (Nagel et al., "Data-Free Quantization", 2019).
// The largest weights of each channel, before and behind.
std::vector<float> equalizing_scales(std::span<const double> before, std::span<const double> behind);

}  // namespace onnxpress::weights
