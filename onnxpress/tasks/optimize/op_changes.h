// Nodes by op before and after, with their costs.
#pragma once

#include <map>
#include <string>

#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress {

struct OpCounts {
  std::map<std::string, std::uint64_t> nodes;  // without Constant nodes
  std::map<std::string, OpCosts> costs;        // empty unless they were asked for
  std::optional<OpCosts> all;
};

// Counting costs needs shape inference on the whole model.
OpCounts count_ops(Model& model, const OptimizeOptions& options);

void add_op_changes(const OpCounts& before, const OpCounts& after, OptimizeReport& report);

}  // namespace onnxpress
