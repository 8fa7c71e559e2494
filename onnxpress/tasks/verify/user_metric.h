// A metric that the user wrote in Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

struct UserMetric {
  std::string file;                   // defines metric(outputs, labels), which returns a number or a dict of numbers
  std::optional<std::string> labels;  // an .npy file; absent: the metric gets None
  std::vector<std::string> names;     // of the outputs
  double limit = 600;                 // seconds
};

// Calls the metric once for each model, in a separate Python process; `outputs` is a list with a dict of arrays for
// each run. Throws Error with Python's message.
std::vector<MetricLine> user_metrics(const UserMetric& metric, const VerifyResult& report);

// Adds the losses and metrics that the options ask for, computed from the outputs of both models for the user's inputs.
void add_metrics(const VerifyOptions& options, VerifyResult& report);

}  // namespace onnxpress
