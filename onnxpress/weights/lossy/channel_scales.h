// Numbers that the channels between layers are scaled by (find/channel_links.h), so that rounding the weights behind
// them does less harm. All are powers of two, so that scaling itself changes no bit of any result.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "onnxpress/weights/lossy/compensate.h"

namespace onnxpress::weights {

// Rounds scales to powers of two around 1, from 2^-8 to 2^8. Channels without a positive finite number get 1.
std::vector<float> powers_of_two(std::span<const double> wanted);

// Activation-aware: columns with large inputs are scaled up, so that they are rounded more finely in proportion (Lin et
// al., "AWQ", 2023). `power` is from 0, which scales nothing, to 1, with which the inputs of all channels get the same
// size.
std::vector<float> activation_scales(const LayerSample& sample, std::size_t channels, double power);

// Cross-layer equalization: channels get the same range on both sides (Nagel et al., "Data-Free Quantization", 2019).
// `before` and `behind` are the largest weights of each channel in the two layers.
std::vector<float> equalizing_scales(std::span<const double> before, std::span<const double> behind);

}  // namespace onnxpress::weights
