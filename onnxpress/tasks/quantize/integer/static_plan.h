// Which layers compute with integers whose scales are known in advance (`onnxpress quantize --activations static`), and
// with which ranges of activations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "onnxpress/tasks/quantize/output_error.h"

namespace onnxpress {

struct StaticResult {
  std::vector<WeightLine> lines;  // the weights that are codes now
  double noise = 0, signal = 0;   // of all of them, sums of squares
  std::string note;
};

// Changes the model; `outputs` has what it computed before. If a quality is given, the layers that do most harm stay
// floats, as many as it takes. Throws Error for models that do not allow it.
StaticResult quantize_statically(Model& model, const QuantizeOptions& options, OutputError& outputs, double quality,
                                 const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
