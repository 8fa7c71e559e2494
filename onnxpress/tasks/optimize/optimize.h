// Makes a model simpler without changing what it computes: the work behind `onnxpress optimize`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::tasks {

// Which operators the result may use: those of the standard, or also those of ONNX Runtime.
enum class OptimizeTarget : std::uint8_t { kStandard, kOrt };
template <>
struct Words<OptimizeTarget> {
  static constexpr std::pair<std::string_view, OptimizeTarget> kAll[] = {{"standard", OptimizeTarget::kStandard},
                                                                         {"ort", OptimizeTarget::kOrt}};
};

// Told of the model after each step, and of the rewrite that was applied; not while option `verify` tries rewrites.
using StepListener = std::function<void(const Model& model, std::string_view rewrite)>;

struct OptimizeOptions {
  OptimizeTarget target = OptimizeTarget::kStandard;
  bool exact = false, approximate = false, freeze = false, shrink = false, costs = false, allow_growth = false,
       verify = false, dry_run = false;
  Names only, also, skip, inline_functions;
  std::optional<std::uint64_t> opset, stop_after, fold_limit;
  std::optional<std::string> rules;
  BindingOptions bindings;
  LoadOptions load;
  // Set by the command, which knows runtimes and files.
  // For verify: null is the built-in evaluator, which also runs what the engine refuses.
  std::shared_ptr<const engines::Engine> engine;
  std::vector<std::string> why;  // nodes for which the report says what happened to them
  bool records_nodes = false;    // steps list the nodes that they remove and add

  bool changes_interface() const { return !bindings.empty() || freeze; }
  // The user asked for a different model, so it is written even if it is larger.
  bool wants_another_model() const { return changes_interface() || opset || rules || !inline_functions.empty(); }

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("exact", &OptimizeOptions::exact, "only rewrites that keep every bit of the outputs");
    visit("approximate", &OptimizeOptions::approximate,
          "also rewrites that change numbers slightly: the faster Gelu, ArgMax without the Softmax before it");
    visit("target", &OptimizeOptions::target,
          "runtime that the result is for: standard (default: any), or ort: uses ONNX Runtime's own operators where "
          "its CPU kernels have them");
    visit("shrink", &OptimizeOptions::shrink, "also make the file as small as possible, as `onnxpress shrink` does");
    visit("freeze", &OptimizeOptions::freeze,
          "turn initializers that callers could override into constants (old models)");
    visit("inline", &OptimizeOptions::inline_functions,
          "replace calls of these functions by their bodies; `all` for all functions");
    visit("opset", &OptimizeOptions::opset, "convert the model to this version of the standard operator set first");
    visit("rules", &OptimizeOptions::rules,
          "your own rewrites: a model whose functions are patterns and replacements (docs/commands/fuse.md)");
    visit("allow_growth", &OptimizeOptions::allow_growth, "write the result even if it is larger");
    visit("verify", &OptimizeOptions::verify,
          "run the model before and after on made-up inputs, and leave out rewrites that change the outputs");
    visit("costs", &OptimizeOptions::costs, "also count multiply-adds, parameters and bytes by op, before and after");
    visit("dry_run", &OptimizeOptions::dry_run, "report, but write nothing");
    visit("only", &OptimizeOptions::only, "use only these rewrites (option `list` shows them)");
    visit("also", &OptimizeOptions::also,
          "also use these rewrites, which are off by default (option `list` shows them)");
    visit("skip", &OptimizeOptions::skip, "skip these rewrites");
    visit("fold_limit", &OptimizeOptions::fold_limit, "leave constants larger than this to the runtime");
    visit("stop_after", &OptimizeOptions::stop_after, "stop after this many rewrites, to find the one that matters");
    visit("", &OptimizeOptions::bindings, "");
    visit("", &OptimizeOptions::load, "");
  }
};

// Costs of all nodes of one op, or of a whole model.
struct OpCosts {
  std::uint64_t macs = 0, parameters = 0, weight_bytes = 0, traffic = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("macs", &OpCosts::macs, "multiply-adds, with open dims assumed as in `profile`");
    visit("parameters", &OpCosts::parameters, "elements of weights, each tensor at its first user");
    visit("weight_bytes", &OpCosts::weight_bytes, "their bytes");
    visit("traffic", &OpCosts::traffic, "bytes read and written");
  }
};

struct OpChange {
  std::string op;
  std::uint64_t before = 0, after = 0;
  std::optional<OpCosts> costs_before, costs_after;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("op", &OpChange::op, "operator, with its domain where that is not the standard one");
    visit("before", &OpChange::before, "nodes in the original, including bodies and functions");
    visit("after", &OpChange::after, "nodes in the result");
    visit("costs_before", &OpChange::costs_before, "with `costs`: what they cost");
    visit("costs_after", &OpChange::costs_after, "the same for the result");
  }
};

struct RewriteCount {
  std::string rewrite, summary;
  std::uint64_t count = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("rewrite", &RewriteCount::rewrite, "name of the rewrite");
    visit("summary", &RewriteCount::summary, "what it does");
    visit("count", &RewriteCount::count, "how often it was applied");
  }
};

struct RewriteLine {
  std::string rewrite, node, op, text;
  std::vector<std::string> removed, added;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("rewrite", &RewriteLine::rewrite, "name of the rewrite");
    visit("node", &RewriteLine::node, "the node it started from");
    visit("op", &RewriteLine::op, "its operator");
    visit("text", &RewriteLine::text, "more about it");
    visit("removed", &RewriteLine::removed, "with `log` and `why`: ops and names of the nodes that it removed");
    visit("added", &RewriteLine::added, "with `log` and `why`: ops and names of the nodes that it added");
  }
};

// What happened to a node.
struct NodeFate {
  std::string node;
  bool found = false, kept = false;
  std::vector<std::string> steps, refusals;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &NodeFate::node, "name, as given");
    visit("found", &NodeFate::found, "false if the original has no node and no value of that name");
    visit("kept", &NodeFate::kept, "true when it is still there");
    visit("steps", &NodeFate::steps, "rewrites that started from it, removed it or made it");
    visit("refusals", &NodeFate::refusals, "rewrites that start from such nodes, and why each did not apply");
  }
};

// How the outputs of the model before and after compare on generated inputs.
struct OptimizeCheck {
  bool done = false;
  std::string reason;
  std::uint64_t runs = 0;
  double largest_difference = 0, floor = 0;
  std::vector<std::string> left_out, runners;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("done", &OptimizeCheck::done, "true when both models ran");
    visit("reason", &OptimizeCheck::reason, "why they did not run");
    visit("runners", &OptimizeCheck::runners, "the runtimes that ran both models");
    visit("runs", &OptimizeCheck::runs, "sets of inputs");
    visit("largest_difference", &OptimizeCheck::largest_difference,
          "largest difference in any output, as a share of its largest element");
    visit("floor", &OptimizeCheck::floor,
          "the same for the original when its inputs change by a millionth; smaller differences mean nothing");
    visit("left_out", &OptimizeCheck::left_out, "rewrites that changed outputs and were left out");
  }
};

struct OptimizeReport {
  std::string file, output;
  std::uint64_t nodes_before = 0, nodes_after = 0, bytes_before = 0, bytes_after = 0;
  bool unchanged = false, dry_run = false;
  std::string looping;
  std::vector<std::string> remarks;
  std::optional<OpCosts> costs_before, costs_after;
  std::vector<NodeFate> nodes;
  std::vector<OpChange> ops;
  std::vector<RewriteCount> rewrites;
  std::vector<RewriteLine> steps;
  std::optional<OptimizeCheck> check;
  std::vector<WrittenFile> files;
  double seconds = 0;
  std::uint64_t peak_memory = 0, peak_anonymous = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &OptimizeReport::file, "path, as given");
    visit("output", &OptimizeReport::output, "the result");
    visit("nodes_before", &OptimizeReport::nodes_before, "nodes of the original, without Constant nodes");
    visit("nodes_after", &OptimizeReport::nodes_after, "nodes of the result, counted the same way");
    visit("bytes_before", &OptimizeReport::bytes_before, "bytes of the original, external data included");
    visit("bytes_after", &OptimizeReport::bytes_after, "bytes of the result");
    visit("unchanged", &OptimizeReport::unchanged, "true when the result is the original, byte for byte");
    visit("dry_run", &OptimizeReport::dry_run, "true when nothing was written");
    visit("looping", &OptimizeReport::looping,
          "a rewrite that was stopped because it did not end; empty if there is none");
    visit("remarks", &OptimizeReport::remarks, "requests that could not be fulfilled, or were already fulfilled");
    visit("costs_before", &OptimizeReport::costs_before, "with `costs`: what the original costs");
    visit("costs_after", &OptimizeReport::costs_after, "the same for the result");
    visit("ops", &OptimizeReport::ops, "nodes by operator, before and after");
    visit("rewrites", &OptimizeReport::rewrites, "what was applied, most often first");
    visit("steps", &OptimizeReport::steps, "every application, in order");
    visit("nodes", &OptimizeReport::nodes, "with `why`: what happened to these nodes");
    visit("check", &OptimizeReport::check, "with `verify`: how the outputs compare");
    visit("files", &OptimizeReport::files, "files that were written");
    visit("seconds", &OptimizeReport::seconds, "time in seconds, including reading and writing");
    visit("peak_memory", &OptimizeReport::peak_memory, kPeakMemoryText);
    visit("peak_anonymous", &OptimizeReport::peak_anonymous, kPeakAnonymousText);
  }
};

struct RewriteInfo {
  std::string_view name, summary, exactness;
  std::string_view group;   // the folder in passes/rewrites/, or "whole graph"
  bool on_request = false;  // applied only if the user names it
};
// All rewrites, in the order in which they are tried.
std::vector<RewriteInfo> rewrites();

// In memory. Throws Error when an option does not fit, or verifying fails; then the model is as it was.
OptimizeReport optimize(Model& model, const OptimizeOptions& options, const StepListener& after_step = {});

// One line of JSON for each step.
std::string to_json_lines(const std::vector<RewriteLine>& steps);

std::string to_json(const OptimizeReport& report);
std::string to_json(const std::vector<ReportRow<OptimizeReport>>& rows);

}  // namespace onnxpress::tasks
