// The fields of the structs in onnxpress/verify.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/tasks/report/field_lists/engine.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/verify.h"

namespace onnxpress {

template <>
struct Fields<LocationStep> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("node", &LocationStep::node, "name of the node in the first model");
    visit("op", &LocationStep::op, "its operator");
    visit("value", &LocationStep::value, "name of its result");
    visit("other_value", &LocationStep::other_value, "name of the result in the second model that it was compared with");
    visit("snr", &LocationStep::snr, "signal-to-noise ratio in dB; null: no difference, or not numbers");
    visit("max_abs", &LocationStep::max_abs, "largest difference of an element");
  }
};

template <>
struct Fields<Location> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("node", &Location::node, "name in the first model of the node that causes the difference; empty if it was not found");
    visit("op", &Location::op, "its operator");
    visit("value", &Location::value, "its first result that differs");
    visit("other_node", &Location::other_node, "the node of the second model in its place");
    visit("other_op", &Location::other_op, "its operator");
    visit("why", &Location::why, "what differs in the node, or why none was found");
    visit("values", &Location::values, "results of nodes in the first model, including branches that were taken");
    visit("matched", &Location::matched, "how many of them were found in the second model");
    visit("same_before", &Location::same_before, "matched values before it that have the same bits");
    visit("inlined", &Location::inlined, "If nodes that were replaced by the branch that was taken");
    visit("path", &Location::path, "how the difference travels from there to an output of the model");
  }
};

template <>
struct Words<Verdict> {
  static constexpr std::pair<std::string_view, Verdict> kAll[] = {
      {"identical", Verdict::kIdentical},
      {"equal", Verdict::kEqual},
      {"differs", Verdict::kDiffers},
  };
};

template <>
struct Fields<VerifyOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("engine", &VerifyOptions::engine, "where to run both models: ort, onnxpress (the built-in evaluator) or both (default: ort if it is found)");
    visit("samples", &VerifyOptions::samples, "a folder of inputs (.npz, .npy, .pb, or folders with a file for each input) instead of made-up ones");
    visit("sets", &VerifyOptions::sets, "how many sets of inputs to make up (default: all kinds, for about 20 seconds)");
    visit("time_limit", &VerifyOptions::time_limit, "try no further inputs after this many seconds, and stop a run that takes longer (default: no limit)");
    visit("provider", &VerifyOptions::provider, "execution provider of ONNX Runtime: cpu (default), cuda, or another one that it has");
    visit("seed", &VerifyOptions::seed, "seed of made-up inputs (default 0)");
    visit("tolerance", &VerifyOptions::tolerance, "accept differences up to this share of the output's largest element");
    visit("quality", &VerifyOptions::quality, "accept outputs whose signal-to-noise ratio is at least this, in dB");
    visit("locate", &VerifyOptions::locate, "if the models differ, find the node where the difference begins");
    visit("labels", &VerifyOptions::labels, "labels for the inputs (.npy): classes give cross-entropy and top-1 of both models, floats the mean squared error");
    visit("metric", &VerifyOptions::metric, "a Python file with metric(outputs, labels): called for both models, with a dict of arrays for each input");
    visit("", &VerifyOptions::bindings, "");
    visit("", &VerifyOptions::load, "");
  }
};

template <>
struct Fields<VerifiedOutput> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("output", &VerifiedOutput::output, "name of the output");
    visit("type", &VerifiedOutput::type, "element type and shape in the first run");
    visit("verdict", &VerifiedOutput::verdict, "`identical`: the same bits; `equal`: within the floor; `differs`");
    visit("why", &VerifiedOutput::why, "what is wrong with it, and for which inputs; empty if nothing is");
    visit("elements", &VerifiedOutput::elements, "elements that were compared, in all runs");
    visit("different", &VerifiedOutput::different, "how many of them have other bits");
    visit("not_finite", &VerifiedOutput::not_finite, "how many are infinite or not a number in one model only");
    visit("max_abs", &VerifiedOutput::max_abs, "largest difference of an element; null: no floats that could be compared");
    visit("max_rel", &VerifiedOutput::max_rel, "largest difference relative to the element, among elements of at least a thousandth of the largest");
    visit("ulps", &VerifiedOutput::ulps, "largest difference in units in the last place");
    visit("max_share", &VerifiedOutput::max_share, "largest difference as a share of the output's largest element, the largest of all runs: option `tolerance` limits it");
    visit("snr", &VerifiedOutput::snr, "signal-to-noise ratio in dB, the lowest of all runs; null: no difference");
    visit("cosine", &VerifiedOutput::cosine, "cosine of the angle between both outputs, the lowest of all runs");
    visit("top1", &VerifiedOutput::top1, "share of rows with the same best class; null: not scores of classes");
    visit("top5", &VerifiedOutput::top5, "share of the five best classes that are the same");
    visit("floor_max_abs", &VerifiedOutput::floor_max_abs, "largest difference of the first model from itself when its inputs change by a millionth");
    visit("floor_share", &VerifiedOutput::floor_share, "the same as a share of the output's largest element");
    visit("floor_snr", &VerifiedOutput::floor_snr, "the same as a signal-to-noise ratio, the lowest of all runs");
  }
};

template <>
struct Fields<EngineReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("engine", &EngineReport::engine, "what ran the models, with its version");
    visit("verdict", &EngineReport::verdict, "the worst of its outputs; null when they could not be compared");
    visit("reason", &EngineReport::reason, "why they could not be compared, or why the second model failed");
    visit("varies", &EngineReport::varies, "why the first model gives different bits in each run; empty if it does not");
    visit("stopped", &EngineReport::stopped, "where the time limit stopped it; empty if it did not");
    visit("runs", &EngineReport::runs, "the inputs of each run");
    visit("sizes", &EngineReport::sizes, "sizes that dims had in these runs if the model leaves them open, such as N=1 to 3");
    visit("outputs", &EngineReport::outputs, "each output");
  }
};

template <>
struct Fields<MetricLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &MetricLine::name, "what was computed from outputs and labels");
    visit("first", &MetricLine::first, "value for the first model");
    visit("second", &MetricLine::second, "value for the second model");
  }
};

template <>
struct Fields<VerifyReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("first", &VerifyReport::first, "the reference model");
    visit("second", &VerifyReport::second, "the model that is compared with it");
    visit("verdict", &VerifyReport::verdict, "the worst of all: `identical`, `equal` or `differs`");
    visit("within_tolerance", &VerifyReport::within_tolerance, "true if `equal` means the tolerance that was given, not the floor");
    visit("interface", &VerifyReport::interface, "differences in inputs and outputs");
    visit("notes", &VerifyReport::notes, "how names that differ were handled");
    visit("structure", &VerifyReport::structure, "the first difference in nodes and constants; empty if there is none, which proves that both compute the same");
    visit("engines", &VerifyReport::engines, "the result of each runtime");
    visit("location", &VerifyReport::location, "with option `locate`: where the difference begins");
    visit("metrics", &VerifyReport::metrics, "with option `labels` or option `metric`: losses and metrics of both");
    visit("seconds", &VerifyReport::seconds, "time in seconds");
  }
};

}  // namespace onnxpress
