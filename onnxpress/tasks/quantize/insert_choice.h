// Puts the chosen forms of weights into the model, and into the report.
#pragma once

#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress::tasks {

// Errors and values of all weights together, as sums of squares.
struct WeightLoss {
  double noise = 0, signal = 0;
};

// Adds a line for each weight to the report, and the totals. `before` is the loss of weights that it already lists.
void describe_choice(const std::vector<PlannedWeight>& planned, const CompressOptions& options, WeightLoss before,
                     WeightReport& report);
// Moves the chains out of the forms, into the model.
void insert_choice(Model& model, std::vector<PlannedWeight>& planned, const CompressOptions& options,
                   CompressedWeights& done);

}  // namespace onnxpress::tasks
