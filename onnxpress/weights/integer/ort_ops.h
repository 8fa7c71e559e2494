// Weights that stay codes while the model runs: ops of ONNX Runtime that take them as they are (com.microsoft). They
// need less memory, and decode tokens faster; other runtimes do not have them.
#pragma once

#include <memory>

#include "onnxpress/weights/choose/weight_roles.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// Can all users of the weight take codes of this scheme? MatMul with a matrix of constants on the right, and Gather of
// rows: integers of 4 or 8 bits, in blocks of 16, 32, 64, 128 or 256.
bool takes_codes(const Weight& weight, const Scheme& scheme);
// Bytes that the codes take then, with scales and zero points.
std::uint64_t code_bytes(const Quantized& quantized);
// MatMul becomes MatMulNBits and Gather GatherBlockQuantized, for all users; the weight goes away. `quantized` has
// blocks that are not evened out.
void replace_users(Model& model, const Weight& weight, const std::shared_ptr<const Quantized>& quantized);

}  // namespace onnxpress::weights
