// The nodes that decode a quantized weight: a chain that ONNX Runtime folds, or DequantizeLinear.
#pragma once

#include <memory>
#include <optional>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Standard ops of opset 11 (older: codes of 8 bits only). `whole_bytes`: one code per byte where it is not 4 bits,
// which compressors like better. nullopt where the opset or the target lacks an op.
std::optional<Chain> folded_chain(const Candidate& tensor, std::shared_ptr<const Quantized> quantized,
                                  bool whole_bytes = false);
// DequantizeLinear. nullopt where the opset has none that fits: per channel since 13, blocks since 21.
std::optional<Chain> dequantize_chain(const Candidate& tensor, const std::shared_ptr<const Quantized>& quantized,
                                      const WeightRole& role);

}  // namespace onnxpress::weights
