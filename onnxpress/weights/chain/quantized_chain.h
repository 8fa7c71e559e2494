// The nodes that decode a quantized weight: a chain that ONNX Runtime folds, or DequantizeLinear.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Standard ops since opset 7. `whole_bytes`: one code per byte where it is not 4 bits,
// which compressors like better. nullopt where the opset or the target lacks an op.
std::optional<Chain> folded_chain(const Candidate& tensor, std::shared_ptr<const Quantized> quantized,
                                  bool whole_bytes = false);
// Why no weight can be stored so in that opset; empty when there is no such reason. The first for a folded chain, the
// second for DequantizeLinear.
std::string why_not_folded(const Scheme& scheme, std::optional<std::int64_t> opset);
std::string why_not_dequantized(const Scheme& scheme, std::optional<std::int64_t> opset);
// Bits of the type that DequantizeLinear takes codes of so many bits in.
int dequantized_bits(int bits, std::optional<std::int64_t> opset);
// Before opset 13, DequantizeLinear has one scale for the tensor.
bool dequantizes_channels(std::optional<std::int64_t> opset);
// DequantizeLinear. nullopt where the opset has none that fits: per channel since 13, blocks since 21.
std::optional<Chain> dequantize_chain(const Candidate& tensor, const std::shared_ptr<const Quantized>& quantized,
                                      const WeightRole& role);

}  // namespace onnxpress::weights
