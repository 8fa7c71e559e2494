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
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"
#include "onnxpress/tasks/verify/location.h"

namespace onnxpress::tasks {

using engines::RuntimeChoice;
template <>
struct Words<RuntimeChoice> {
  static constexpr std::pair<std::string_view, RuntimeChoice> kAll[] = {
      {"ort", RuntimeChoice::kOrt}, {"onnxpress", RuntimeChoice::kOnnxpress}, {"both", RuntimeChoice::kBoth}};
};

enum class Verdict : std::uint8_t { kIdentical, kEqual, kDiffers };
template <>
struct Words<Verdict> {
  static constexpr std::pair<std::string_view, Verdict> kAll[] = {
      {"identical", Verdict::kIdentical}, {"equal", Verdict::kEqual}, {"differs", Verdict::kDiffers}};
};

struct VerifyOptions {
  std::optional<RuntimeChoice> engine;  // which engines are passed; if set, no other is tried
  std::optional<std::string> samples;
  std::optional<std::uint64_t> sets;
  std::uint64_t seed = 0;
  double tolerance = 0, quality = 0;
  bool locate = false;
  std::optional<std::string> labels, metric;  // for commands, which compute them from the outputs that are kept
  BindingOptions bindings;
  LoadOptions load;
  double time_limit = 0;  // 0: none
  std::string provider;   // for commands, as `engine`

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("engine", &VerifyOptions::engine,
          "where to run both models: ort, onnxpress (the built-in evaluator) or both (default: ort if it is found)");
    visit("samples", &VerifyOptions::samples,
          "a folder of inputs (.npz, .npy, .pb, or folders with a file for each input) instead of made-up ones");
    visit("sets", &VerifyOptions::sets,
          "how many sets of inputs to make up (default: all kinds, for about 20 seconds)");
    visit("time_limit", &VerifyOptions::time_limit,
          "try no further inputs after this many seconds, and stop a run that takes longer (default: no limit)");
    visit("provider", &VerifyOptions::provider,
          "execution provider of ONNX Runtime: cpu (default), cuda, or another one that it has");
    visit("seed", &VerifyOptions::seed, "seed of made-up inputs (default 0)");
    visit("tolerance", &VerifyOptions::tolerance,
          "accept differences up to this share of the output's largest element");
    visit("quality", &VerifyOptions::quality, "accept outputs whose signal-to-noise ratio is at least this, in dB");
    visit("locate", &VerifyOptions::locate, "if the models differ, find the node where the difference begins");
    visit("labels", &VerifyOptions::labels,
          "labels for the inputs (.npy): classes give cross-entropy and top-1 of both models, floats the mean squared "
          "error");
    visit("metric", &VerifyOptions::metric,
          "a Python file with metric(outputs, labels): called for both models, with a dict of arrays for each input");
    visit("", &VerifyOptions::bindings, "");
    visit("", &VerifyOptions::load, "");
  }
};

struct VerifiedOutput {
  std::string output, type, why;
  Verdict verdict = Verdict::kIdentical;
  std::uint64_t elements = 0, different = 0, not_finite = 0;
  std::optional<double> max_abs, max_rel, ulps, max_share, snr, cosine, top1, top5;
  double floor_max_abs = 0, floor_share = 0;
  std::optional<double> floor_snr;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("output", &VerifiedOutput::output, "name of the output");
    visit("type", &VerifiedOutput::type, "element type and shape in the first run");
    visit("verdict", &VerifiedOutput::verdict, "`identical`: the same bits; `equal`: within the floor; `differs`");
    visit("why", &VerifiedOutput::why, "what is wrong with it, and for which inputs; empty if nothing is");
    visit("elements", &VerifiedOutput::elements, "elements that were compared, in all runs");
    visit("different", &VerifiedOutput::different, "how many of them have other bits");
    visit("not_finite", &VerifiedOutput::not_finite, "how many are infinite or not a number in one model only");
    visit("max_abs", &VerifiedOutput::max_abs,
          "largest difference of an element; null: no floats that could be compared");
    visit("max_rel", &VerifiedOutput::max_rel,
          "largest difference relative to the element, among elements of at least a thousandth of the largest");
    visit("ulps", &VerifiedOutput::ulps, "largest difference in units in the last place");
    visit("max_share", &VerifiedOutput::max_share,
          "largest difference as a share of the output's largest element, the largest of all runs: option `tolerance` "
          "limits it");
    visit("snr", &VerifiedOutput::snr, "signal-to-noise ratio in dB, the lowest of all runs; null: no difference");
    visit("cosine", &VerifiedOutput::cosine, "cosine of the angle between both outputs, the lowest of all runs");
    visit("top1", &VerifiedOutput::top1, "share of rows with the same best class; null: not scores of classes");
    visit("top5", &VerifiedOutput::top5, "share of the five best classes that are the same");
    visit("floor_max_abs", &VerifiedOutput::floor_max_abs,
          "largest difference of the first model from itself when its inputs change by a millionth");
    visit("floor_share", &VerifiedOutput::floor_share, "the same as a share of the output's largest element");
    visit("floor_snr", &VerifiedOutput::floor_snr, "the same as a signal-to-noise ratio, the lowest of all runs");
  }
};

// The result of one engine.
struct EngineReport {
  std::string engine, reason, varies, stopped;
  std::optional<Verdict> verdict;
  std::vector<std::string> runs, sizes;
  std::vector<VerifiedOutput> outputs;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("engine", &EngineReport::engine, "what ran the models, with its version");
    visit("verdict", &EngineReport::verdict, "the worst of its outputs; null when they could not be compared");
    visit("reason", &EngineReport::reason, "why they could not be compared, or why the second model failed");
    visit("varies", &EngineReport::varies,
          "why the first model gives different bits in each run; empty if it does not");
    visit("stopped", &EngineReport::stopped, "where the time limit stopped it; empty if it did not");
    visit("runs", &EngineReport::runs, "the inputs of each run");
    visit("sizes", &EngineReport::sizes,
          "sizes that dims had in these runs if the model leaves them open, such as N=1 to 3");
    visit("outputs", &EngineReport::outputs, "each output");
  }
};

// A loss or metric of both models.
struct MetricLine {
  std::string name;
  double first = 0, second = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &MetricLine::name, "what was computed from outputs and labels");
    visit("first", &MetricLine::first, "value for the first model");
    visit("second", &MetricLine::second, "value for the second model");
  }
};

struct VerifyReport {
  std::string first, second;
  Verdict verdict = Verdict::kIdentical;
  bool within_tolerance = false;
  std::vector<std::string> interface, notes;
  std::string structure;
  std::vector<EngineReport> engines;
  std::optional<Location> location;
  std::vector<MetricLine> metrics;
  double seconds = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("first", &VerifyReport::first, "the reference model");
    visit("second", &VerifyReport::second, "the model that is compared with it");
    visit("verdict", &VerifyReport::verdict, "the worst of all: `identical`, `equal` or `differs`");
    visit("within_tolerance", &VerifyReport::within_tolerance,
          "true if `equal` means the tolerance that was given, not the floor");
    visit("interface", &VerifyReport::interface, "differences in inputs and outputs");
    visit("notes", &VerifyReport::notes, "how names that differ were handled");
    visit(
        "structure", &VerifyReport::structure,
        "the first difference in nodes and constants; empty if there is none, which proves that both compute the same");
    visit("engines", &VerifyReport::engines, "the result of each runtime");
    visit("location", &VerifyReport::location, "with option `locate`: where the difference begins");
    visit("metrics", &VerifyReport::metrics, "with option `labels` or option `metric`: losses and metrics of both");
    visit("seconds", &VerifyReport::seconds, "time in seconds");
  }
};

// The first model is the reference. The options choose the engine; without a choice, it is ONNX Runtime if that is
// installed and runs the first model, else the built-in evaluator. Throws Error when no engine runs the first model
// (unless both are the same, node by node), when the runtime crashes or hangs on it, or when the options do not fit it.
// If the second one does not run, that is no error: the models differ.
VerifyReport verify(const Model& first, const Model& second, const VerifyOptions& options = {});

// What other tasks may ask for besides.
struct VerifyCall : VerifyOptions {
  engines::NamedArrays further = {};         // inputs that only the second model has
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

std::string to_json(const VerifyReport& report);

}  // namespace onnxpress::tasks
