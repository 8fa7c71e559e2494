// How well outputs fit labels.
#pragma once

#include <vector>

#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

// Outputs of each run; the first output is compared with the labels, row by row in the order of the runs. Integer
// labels are classes: cross-entropy (of probabilities, or of scores before a Softmax) and top-1. Float labels have the
// shape of the outputs: mean squared error. Throws Error when the counts do not agree.
std::vector<MetricLine> label_metrics(const std::vector<std::vector<ops::Datum>>& first,
                                      const std::vector<std::vector<ops::Datum>>& second, const ops::Array& labels);

}  // namespace onnxpress
