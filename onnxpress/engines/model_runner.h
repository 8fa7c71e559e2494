// How a model is run to see what rounded weights do to its outputs: by our evaluator, or by a function that the caller
// passes (onnxpress/runtime/run_in_session.h has one for ONNX Runtime, which is much faster).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::engines {

// Returns all outputs, in order. Throws Error if the model cannot run.
using RunModel = std::function<std::vector<ops::Datum>(const analysis::Evaluator::Inputs& inputs)>;
// Prepares runs of the model as it is now; they are valid until the model changes. Throws Error if it cannot be loaded.
using LoadModel = std::function<RunModel(Model& model)>;

// Thrown when a run takes more memory or work than it may. Other inputs would hardly take less.
class TooMuchToRun : public Error {
 public:
  using Error::Error;
};

// Runs the model in our evaluator; by default, within the budget for a model of its size.
RunModel load_for_evaluator(Model& model, std::optional<ops::EvaluationBudget> budget = std::nullopt);

}  // namespace onnxpress::engines
