// What the steps of quantize share: the model, the request, and what is known so far.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/quantize/apply.h"
#include "onnxpress/tasks/quantize/changes.h"
#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/quantize/request.h"
#include "onnxpress/tasks/quantize/weight_plan.h"
#include "onnxpress/tasks/shrink/pipeline.h"

namespace onnxpress {

class Work {
 public:
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;
  Work(Model& changed, const Request& wanted, const Progress& listener)
      : model(changed), request(wanted), progress(listener) {}

  Model& model;
  const Request& request;
  const Progress& progress;
  StepWish steps;                      // the lossless steps before and after rounding
  std::vector<PlannedWeight> weights;  // empty until they are planned
  Changes changes;
  WeightLoss integers;  // of weights that became integers of static layers
  QuantizeReport report;

  // Runs the original model on the first call, which must come before its nodes change.
  OutputError& outputs();
  // The same, but throws Error if the model cannot be run: a quality that is asked for must be measured.
  OutputError& working_outputs();
  void add_note(const std::string& text);

 private:
  std::optional<OutputError> outputs_;
};

}  // namespace onnxpress
