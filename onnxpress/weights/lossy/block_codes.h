// Quantized weights in the layout of ONNX Runtime's MatMulNBits and GatherBlockQuantized.
#pragma once

#include <cstdint>
#include <memory>

#include "onnxpress/passes/integer/ort_ops.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Can these ops decode the scheme? They take integers of 4 or 8 bits, in blocks of 16, 32, 64, 128 or 256.
bool has_block_codes(const Scheme& scheme);
// Bytes that the weight takes in this layout, with scales, zero points and the node.
std::uint64_t code_bytes(const Quantized& quantized);
// The grid must have been made without `even` (grid_of()).
passes::BlockCodes block_codes(const std::shared_ptr<const Quantized>& quantized, bool by_column);

}  // namespace onnxpress::weights
