// The nodes that decode a quantized weight: a chain that ONNX Runtime folds, or DequantizeLinear.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Uses standard ops, since opset 7. `whole_bytes`: one byte per code unless it has 4 bits, because such codes compress
// better. nullopt if the opset or the target lacks an op.
std::optional<Chain> folded_chain(const Candidate& tensor, std::shared_ptr<const Quantized> quantized,
                                  bool whole_bytes = false);
// Why that opset cannot store weights in this scheme, as a folded chain or with DequantizeLinear; empty if it can.
std::string why_not_folded(const Scheme& scheme, std::optional<std::int64_t> opset);
std::string why_not_dequantized(const Scheme& scheme, std::optional<std::int64_t> opset);
// The width of the type in which DequantizeLinear takes codes of this many bits.
int dequantized_bits(int bits, std::optional<std::int64_t> opset);
// Can DequantizeLinear have a scale for each channel? Before opset 13, it has one scale for the tensor.
bool dequantizes_channels(std::optional<std::int64_t> opset);
// A chain with DequantizeLinear. nullopt if the op of that opset cannot do it: per channel since 13, blocks since 21.
std::optional<Chain> dequantize_chain(const Candidate& tensor, const std::shared_ptr<const Quantized>& quantized,
                                      const WeightRole& role);

}  // namespace onnxpress::weights
