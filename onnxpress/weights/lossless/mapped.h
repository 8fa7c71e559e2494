// A tensor that was quantized twice: each code of one copy stands for one or two values of the other.
#pragma once

#include <optional>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

// Can others be computed from a tensor of this type, with a table of its values?
bool gives_by_table(ElementType type);

// The candidate as a function of `base`, a tensor of bytes that is in the model as `value`: with the same dims, or with
// the two of a matrix swapped. Cheap if the two tensors are unrelated.
//
//   w = Gather(table, Cast(base) + 256 * Cast(bits)), and exceptions scattered over it
std::optional<Chain> chain_from_codes(const Candidate& candidate, Value* value, const Tensor& base);

}  // namespace onnxpress::weights
