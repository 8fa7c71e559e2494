// Puts the chosen forms of weights into the model, and lists them in the report.
#pragma once

#include <vector>

#include "onnxpress/tasks/quantize/changes.h"
#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Errors and values of all weights together, as sums of squares.
struct WeightLoss {
  double noise = 0, signal = 0;
};

// Adds a line for each weight to the report, and the totals. `before` is the loss of weights that it already lists.
void describe_choice(const std::vector<PlannedWeight>& planned, const QuantizeOptions& options, WeightLoss before,
                     QuantizeReport& report);

struct Inserted {
  Changes changes;
  std::vector<CorrectedBias> biases;
};
// Moves the chains out of the forms, into the model.
Inserted insert_choice(Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options);

}  // namespace onnxpress
