// Shows inputs and outputs that differ only by a number (the 48 key and value caches of a decoder) on one line.
#pragma once

#include <vector>

#include "onnxpress/analysis/summary.h"

namespace onnxpress::cli {

// "past.0.key" ... "past.5.key" of one type become "past.{0-5}.key", at the position of the first of them. Short lists
// stay as they are.
std::vector<InterfaceLine> grouped_by_number(const std::vector<InterfaceLine>& lines);

}  // namespace onnxpress::cli
