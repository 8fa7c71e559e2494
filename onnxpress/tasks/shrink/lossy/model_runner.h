// How a model is run to see what rounded weights do to its outputs: by our evaluator, or by what the caller passes
// (onnxpress/runtime/run_in_session.h has ONNX Runtime, which is much faster).
#pragma once

#include <functional>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::tasks {

// All outputs in their order. Throws Error when it cannot run.
using RunModel = std::function<std::vector<ops::Datum>(const analysis::Evaluator::Inputs& inputs)>;
// Makes the model as it is now ready to run, until it changes. Throws Error when it cannot be loaded.
using LoadModel = std::function<RunModel(Model& model)>;

// Thrown when a run takes more memory or work than it may: another input will hardly take less.
class TooMuchToRun : public Error {
 public:
  using Error::Error;
};

// With our evaluator.
RunModel load_for_evaluator(Model& model);

}  // namespace onnxpress::tasks
