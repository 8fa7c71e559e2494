// Decides whether images given as floats range from 0 to 1 or from 0 to 255.
#pragma once

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::inputs {

// Does the model treat an input of floats as pixels from 0 to 255? It does if it first divides them by a number like
// 127.5, or subtracts a mean of that size.
bool takes_bytes_as_floats(const Value& input, const analysis::Facts& facts);

}  // namespace onnxpress::inputs
