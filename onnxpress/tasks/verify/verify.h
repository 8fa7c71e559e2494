// Do two models compute the same? Runs both on the same inputs, and says for each output how far apart they are, and
// how far the first is from itself when its inputs move by a millionth. The work behind `onnxpress verify`, and behind
// --verify of other commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/find_engine.h"
#include "onnxpress/inputs/samples.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/field_lists/verify.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

// What other tasks may ask for besides.
struct VerifyCall : VerifyOptions {
  std::vector<inputs::InputSet> given = {};  // inputs from elsewhere, as `samples` would read them
  double seconds = 20;               // no more inputs are generated after that; ignored when `sets` says how many
  bool exact = false;                // equal means the same numbers: only signs of zeros may differ
  bool stops_at_difference = false;  // stop after the first one
};

// What they get besides.
struct VerifyResult : VerifyReport {
  // With option `labels` or `metric`: outputs of each run, in the order of EngineReport::outputs.
  std::vector<std::vector<ops::Datum>> kept_first, kept_second;
  std::optional<inputs::InputSet> guilty;  // inputs of the first run with a difference
};

// verify() in these engines, without metrics.
VerifyResult verify_models(const Model& first, const Model& second, const VerifyCall& options,
                           const engines::Engines& engines);

// The same without comparing the structure, and without an Error when the first model does not run; for callers that
// compared the structure themselves.
VerifyResult verify_outputs(const Model& first, const Model& second, const VerifyCall& options,
                            const engines::Engines& engines);

// The engines that the options choose, within their time limit. `library`: the path of ONNX Runtime, if it is known.
engines::Engines engines_for(const VerifyOptions& options, const std::string& library = {});

// Names of the models in messages.
inline constexpr const char *kFirstModel = "the first model", *kSecondModel = "the second model";

}  // namespace onnxpress
