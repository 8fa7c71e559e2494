// How many elements of each weight are zero, and in which pattern. Reads the weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/sparsity/patterns.h"
#include "onnxpress/analysis/tensor_list.h"

namespace onnxpress::analysis {

struct WeightSparsity {
  std::uint32_t tensor = 0;  // index in the list
  std::uint64_t elements = 0, zeros = 0;
  // Only for weights with at least two axes and enough zeros; rows are the first axis, columns the second.
  bool has_pattern = false;
  std::uint64_t rows = 0, columns = 0;
  BlockPattern block;
  GroupPattern groups;
  ZeroLines lines;
  std::string problem;  // why it could not be read

  double ratio() const { return elements == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(elements); }
};

// Weights are tensors with at least `least_elements`. Quantized ones are compared with their zero point. Patterns are
// searched for where more than `pattern_from` of the elements are zero.
struct SparsityOptions {
  std::uint64_t least_elements = 2;
  double pattern_from = 0.05;
};

// In the order of the list. Runs in parallel, with the same result for any number of threads.
std::vector<WeightSparsity> sparsity_of(const TensorList& list, const Facts& facts, const Model& model,
                                        const SparsityOptions& options = {});

}  // namespace onnxpress::analysis
