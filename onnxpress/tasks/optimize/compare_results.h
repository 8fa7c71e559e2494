// Do two models compute the same? Both run on made-up inputs, in our evaluator and in other runtimes that the caller
// has; differences are judged against how sensitive the original is by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/call.h"
#include "onnxpress/tasks/inputs/bindings.h"

namespace onnxpress::tasks {

using NamedArrays = std::vector<std::pair<std::string, ops::Array>>;
// Runs a model that was loaded: all outputs, or nullopt and why not; an empty text: it would take too long.
using RunLoaded = std::function<std::optional<std::vector<ops::Datum>>(const NamedArrays& inputs, std::string& why)>;

// Something that runs models. A name for reports: "the evaluator", "ONNX Runtime 1.31.1".
struct ModelRunner {
  std::string name;
  // The model may be given names for its values, as if it were written. An empty function: it cannot be loaded there.
  std::function<RunLoaded(Model& model, std::string& why)> load;
  // Models are made for it. Where another one cannot run the result, that counts only if no runtime ran it before.
  bool is_runtime = false;
};

// Ours. `quick`: gives up on models that take long, for those who have a faster one as well.
ModelRunner evaluator_runner(bool quick);

struct ResultComparison {
  bool done = false;     // both ran, somewhere
  bool differs = false;  // the second does not run, has other shapes, or is further off than the floor allows
  std::string reason;    // why it was not done, or what differs
  std::vector<std::string> runners;  // that ran both
  std::uint64_t runs = 0;
  double largest_difference = 0;  // as a share of the largest element of the output
  double floor = 0;               // the same for the original with inputs changed by a millionth
};

// `exact`: every bit must be the same, but for NaNs.
ResultComparison compare_results(const Model& original, const Model& result, const BindingOptions& bindings,
                                 const std::vector<ModelRunner>& runners, bool exact);

}  // namespace onnxpress::tasks
