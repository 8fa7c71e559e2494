// RMSNormalization as exporters write it: x / sqrt(mean(x * x) + epsilon) * scale.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct RmsNormMatch {
  Value *x = nullptr, *scale = nullptr;  // the scale has the shape of the last axes of x
  std::int64_t axis = -1;                // the first of them, counted from the end
  double epsilon = 0;
  std::vector<Node*> nodes;  // all that it consists of, each before those that compute its operands
};

// `mul` is the last node. The mean must keep its axes and run over the last ones. Casts to float around the statistics
// of a float16 model are skipped.
std::optional<RmsNormMatch> find_rms_norm(Node& mul, Rewriter& rw);

}  // namespace onnxpress::passes
