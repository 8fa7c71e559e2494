// Finds numbers that an input is compared with, which decide the branch that a model takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::inputs {

// Whole numbers that the model compares an input with (`sr == 16000`), directly or through ops that only move or
// convert it; each once, in the order of its users.
std::vector<std::int64_t> compared_numbers(const Value& input, const analysis::Facts& facts);

// The smallest and largest of several numbers that each element is compared with, as in a model that implements OneHot
// by itself (Equal with 0, 1, 2, ...); nullopt if there are none.
struct CodeRange {
  std::int64_t low = 0, high = 0;
};
std::optional<CodeRange> compared_codes(const Value& input, const analysis::Facts& facts);

// Several floats that a single float is compared with: it is a limit, such as the lowest frequency to look at.
struct FloatLimit {
  double low = 0, high = 0;  // the smallest and the largest of them
  bool is_lower = false;     // those above the limit pass; otherwise those below it
};
std::optional<FloatLimit> compared_floats(const Value& input, const analysis::Facts& facts);

}  // namespace onnxpress::inputs
