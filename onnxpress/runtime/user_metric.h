// A metric that the user wrote in Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::runtime {

struct UserMetric {
  std::string file;                   // has metric(outputs, labels); returns a number, or a dict of them
  std::optional<std::string> labels;  // an .npy file; without: None
  std::vector<std::string> names;     // of the outputs
  double limit = 600;                 // seconds
};

// Called once for each model, in a Python of its own: `outputs` is a list with a dict of arrays for each run. Throws
// Error with what Python said.
std::vector<tasks::MetricLine> user_metrics(const UserMetric& metric, const tasks::VerifyReport& report);

// Losses and metrics that the options ask for, from the outputs that both models gave for the user's inputs.
void add_metrics(const tasks::VerifyOptions& options, tasks::VerifyReport& report);

}  // namespace onnxpress::runtime
