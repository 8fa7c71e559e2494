// Compares computed values with expected ones: numbers within a tolerance, everything else exactly.
#pragma once

#include <string>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::tests {

struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;  // those of the official test runner
};

// Empty when they agree; otherwise what differs, with numbers.
std::string difference(const ops::Datum& found, const ops::Datum& expected, const Tolerance& tolerance);

}  // namespace onnxpress::tests
