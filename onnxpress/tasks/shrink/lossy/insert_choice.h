// Puts the chosen forms of weights into the model, and into the report.
#pragma once

#include <vector>

#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// What all weights together lose.
struct WeightLoss {
  double noise = 0, signal = 0;
};

// Adds a line for each weight, and the sums over all; `before` is what the lines that are there already lost.
void describe_choice(const std::vector<PlannedWeight>& planned, const CompressOptions& options, WeightLoss before,
                     WeightReport& report);
// Takes the chains out of the forms.
void insert_choice(Model& model, std::vector<PlannedWeight>& planned, const CompressOptions& options,
                   WeightReport& report);

}  // namespace onnxpress::tasks
