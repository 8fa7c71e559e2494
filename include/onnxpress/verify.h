/// \file
/// Do two models compute the same? Runs both on the same inputs and compares their outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/engine.h"
#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// A value that both models have, on the path from where they begin to differ to an output.
struct LocationStep {
  /// name of the node in the first model
  std::string node;
  /// its operator
  std::string op;
  /// name of its result
  std::string value;
  /// name of the result in the second model that it was compared with
  std::string other_value;
  /// signal-to-noise ratio in dB; null: no difference, or not numbers
  std::optional<double> snr;
  /// largest difference of an element
  double max_abs = 0;
};

/// Where two models begin to differ (VerifyReport::location).
struct Location {
  /// name in the first model of the node that causes the difference; empty if it was not found
  std::string node;
  /// its operator
  std::string op;
  /// its first result that differs
  std::string value;
  /// the node of the second model in its place
  std::string other_node;
  /// its operator
  std::string other_op;
  /// what differs in the node, or why none was found
  std::string why;
  /// results of nodes in the first model, including branches that were taken
  std::uint64_t values = 0;
  /// how many of them were found in the second model
  std::uint64_t matched = 0;
  /// matched values before it that have the same bits
  std::uint64_t same_before = 0;
  /// If nodes that were replaced by the branch that was taken
  std::uint64_t inlined = 0;
  /// how the difference travels from there to an output of the model
  std::vector<LocationStep> path;
};

/// What VerifiedOutput::verdict can be.
enum class Verdict : std::uint8_t {
  kIdentical,  ///< the same bits
  kEqual,      ///< within the floor, or the tolerance that was given
  kDiffers,    ///< anything else
};

/// Options of verify().
struct VerifyOptions {
  /// where to run both models: ort, onnxpress (the built-in evaluator) or both (default: ort if it is found)
  std::optional<RuntimeChoice> engine;  // which engines are passed; if set, no other is tried
  /// a folder of inputs (.npz, .npy, .pb, or folders with a file for each input) instead of made-up ones
  std::optional<std::string> samples;
  /// how many sets of inputs to make up (default: all kinds, for about 20 seconds)
  std::optional<std::uint64_t> sets;
  /// try no further inputs after this many seconds, and stop a run that takes longer (default: no limit)
  double time_limit = 0;  // 0: none
  /// execution provider of ONNX Runtime: cpu (default), cuda, or another one that it has
  std::string provider;  // for commands, as `engine`
  /// seed of made-up inputs (default 0)
  std::uint64_t seed = 0;
  /// accept differences up to this share of the output's largest element
  double tolerance = 0;
  /// accept outputs whose signal-to-noise ratio is at least this, in dB
  double quality = 0;
  /// if the models differ, find the node where the difference begins
  bool locate = false;
  /// labels for the inputs (.npy): classes give cross-entropy and top-1 of both models, floats the mean squared error
  std::optional<std::string> labels;  // for commands, which compute them from the outputs that are kept
  /// a Python file with metric(outputs, labels): called for both models, with a dict of arrays for each input
  std::optional<std::string> metric;
  /// [] its fields stand here
  BindingOptions bindings;
  /// [] its fields stand here
  LoadOptions load;
};

/// How one output differs (EngineReport::outputs).
struct VerifiedOutput {
  /// name of the output
  std::string output;
  /// element type and shape in the first run
  std::string type;
  /// `identical`: the same bits; `equal`: within the floor; `differs`
  Verdict verdict = Verdict::kIdentical;
  /// what is wrong with it, and for which inputs; empty if nothing is
  std::string why;
  /// elements that were compared, in all runs
  std::uint64_t elements = 0;
  /// how many of them have other bits
  std::uint64_t different = 0;
  /// how many are infinite or not a number in one model only
  std::uint64_t not_finite = 0;
  /// largest difference of an element; null: no floats that could be compared
  std::optional<double> max_abs;
  /// largest difference relative to the element, among elements of at least a thousandth of the largest
  std::optional<double> max_rel;
  /// largest difference in units in the last place
  std::optional<double> ulps;
  /// largest difference as a share of the output's largest element, the largest of all runs: option `tolerance` limits
  /// it
  std::optional<double> max_share;
  /// signal-to-noise ratio in dB, the lowest of all runs; null: no difference
  std::optional<double> snr;
  /// cosine of the angle between both outputs, the lowest of all runs
  std::optional<double> cosine;
  /// share of rows with the same best class; null: not scores of classes
  std::optional<double> top1;
  /// share of the five best classes that are the same
  std::optional<double> top5;
  /// largest difference of the first model from itself when its inputs change by a millionth
  double floor_max_abs = 0;
  /// the same as a share of the output's largest element
  double floor_share = 0;
  /// the same as a signal-to-noise ratio, the lowest of all runs
  std::optional<double> floor_snr;
};

/// The result of one engine.
struct EngineReport {
  /// what ran the models, with its version
  std::string engine;
  /// the worst of its outputs; null when they could not be compared
  std::optional<Verdict> verdict;
  /// why they could not be compared, or why the second model failed
  std::string reason;
  /// why the first model gives different bits in each run; empty if it does not
  std::string varies;
  /// where the time limit stopped it; empty if it did not
  std::string stopped;
  /// the inputs of each run
  std::vector<std::string> runs;
  /// sizes that dims had in these runs if the model leaves them open, such as N=1 to 3
  std::vector<std::string> sizes;
  /// each output
  std::vector<VerifiedOutput> outputs;
};

/// A loss or metric of both models.
struct MetricLine {
  /// what was computed from outputs and labels
  std::string name;
  /// value for the first model
  double first = 0;
  /// value for the second model
  double second = 0;
};

/// The report of verify().
struct VerifyReport {
  /// the reference model
  std::string first;
  /// the model that is compared with it
  std::string second;
  /// the worst of all: `identical`, `equal` or `differs`
  Verdict verdict = Verdict::kIdentical;
  /// true if `equal` means the tolerance that was given, not the floor
  bool within_tolerance = false;
  /// differences in inputs and outputs
  std::vector<std::string> interface;
  /// how names that differ were handled
  std::vector<std::string> notes;
  /// the first difference in nodes and constants; empty if there is none, which proves that both compute the same
  std::string structure;
  /// the result of each runtime
  std::vector<EngineReport> engines;
  /// with option `locate`: where the difference begins
  std::optional<Location> location;
  /// with option `labels` or option `metric`: losses and metrics of both
  std::vector<MetricLine> metrics;
  /// time in seconds
  double seconds = 0;
};

/// The first model is the reference. The options choose the engine; without a choice, it is ONNX Runtime if that is
/// installed and runs the first model, else the built-in evaluator. Throws Error when no engine runs the first model
/// (unless both are the same, node by node), when the runtime crashes or hangs on it, or when the options do not fit
/// it. If the second one does not run, that is no error: the models differ.
VerifyReport verify(const Model& first, const Model& second, const VerifyOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const VerifyReport& report);

}  // namespace onnxpress
