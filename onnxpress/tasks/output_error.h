// How much the outputs of a model change when its weights do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/tasks/bindings.h"
#include "onnxpress/tasks/weight_plan.h"

namespace onnxpress::tasks {

// Runs the model as it is once, on random inputs, and then as it has become, with other weights, as often as asked.
class OutputError {
 public:
  OutputError(Model& model, const BindingOptions& bindings);
  // Could it be run? Else why() says why not.
  bool works() const { return !reference_.empty(); }
  const std::string& why() const { return why_; }
  // Energy of the outputs over that of their change, in dB, with the chosen forms; the mean over all outputs of floats.
  double snr_with(std::vector<PlannedWeight>& planned);

 private:
  Model& model_;
  analysis::Evaluator::Inputs inputs_;
  std::vector<ops::Datum> reference_;
  std::string why_;
};

}  // namespace onnxpress::tasks
