// Reads both files again, converts the input to the form that the options require, and compares.
#include "onnxpress/tasks/shrink/verify_shrunk.h"

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/passes/extract_constants.h"
#include "onnxpress/passes/freeze_inputs.h"
#include "onnxpress/passes/narrow_types.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/files/read_back.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress::tasks {

namespace {

compare::RoundedWeights rounded_weights(const ShrinkReport& report) {
  compare::RoundedWeights rounded;
  if (!report.weights) return rounded;
  for (const WeightLine& line : report.weights->tensors) {
    if (!line.kept.empty() || !line.largest_error) continue;
    double& error = rounded[line.tensor];
    error = std::max(error, *line.largest_error);
  }
  for (const CorrectedBias& each : report.weights->biases) {
    double& error = rounded[each.tensor];
    error = std::max(error, each.largest_change);
  }
  for (const ScaledTensor& each : report.weights->scaled) rounded[each.tensor] += each.largest_change;
  return rounded;
}

// Applies the steps that change types or inputs on purpose to the input model as well, and compares.
void compare(Model& before, Model& after, const ShrinkOptions& options, const ShrinkReport& report) {
  if (options.extraction.narrow_types) passes::narrow_types(before);
  const auto extracted = passes::extract_constants(before, options.extraction.wish());
  for (std::size_t i = 0; i < extracted.size(); ++i)
    before.graph().rename(*extracted[i].input, before.arena().text(report.extracted.at(i).input));
  for (Model* model : {&before, &after}) {
    if (options.freeze) passes::freeze_inputs(*model);
    passes::remove_dead(*model);
  }
  compare::require_same_model(before, after, rounded_weights(report));
}

bool replaces_nodes(const ShrinkReport& report) { return report.weights && report.weights->replaces_nodes; }

}  // namespace

void check_structure(const ShrunkFile& file, const ShrinkOptions& options, const ShrinkReport& report) {
  begin_stage("checking the result");
  try {
    LoadedModel after = load_model(file.path, options.load);
    if (replaces_nodes(report)) {
      compare::require_same_model(file.model.model, after.model);
    } else {
      LoadedModel before = load_model(file.original, options.load);
      compare(before.model, after.model, options, report);
    }
  } catch (Error& error) {
    error.set_file(report.output);
    throw;
  }
}

void check_structure(LoadedModel& shrunk, Model original, const ShrinkOptions& options, const ShrinkReport& report) {
  begin_stage("checking the result");
  // A model that is too large for one message cannot be encoded in memory, but its graph can still be compared.
  const bool fits = format::encoded_size(shrunk.model).message <= format::kMaxMessageBytes;
  Model after = fits ? read_back(shrunk.model) : shrunk.model.clone();
  if (replaces_nodes(report))
    compare::require_same_model(shrunk.model, after);
  else
    compare(original, after, options, report);
}

void compare_outputs(const ShrunkFile& file, const ShrinkOptions& options,
                     const std::vector<passes::Extracted>& extracted, ShrinkReport& report) {
  report.verified = true;
  begin_stage("running both models");
  try {
    engines::NamedArrays further;
    for (std::size_t i = 0; i < extracted.size(); ++i)
      further.emplace_back(report.extracted[i].input, ops::Array::from(extracted[i].tensor));
    LoadedModel before = load_model(file.original, options.load), after = load_model(file.path, options.load);
    report.outputs = compare_outputs(options.engine, before.model, after.model, further);
  } catch (Error& error) {
    error.set_file(report.output);
    throw;
  }
}

}  // namespace onnxpress::tasks
