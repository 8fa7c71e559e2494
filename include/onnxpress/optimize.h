/// \file
/// Makes a model simpler without changing what it computes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/engine.h"
#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// Which operators the result may use: those of the standard, or also those of ONNX Runtime.
enum class OptimizeTarget : std::uint8_t {
  kStandard,  ///< only operators of the standard, for any runtime
  kOrt,       ///< also ONNX Runtime's own, where its CPU kernels have them
};

/// Told of the model after each step, and of the rewrite that was applied; not while option `verify` tries rewrites.
using StepListener = std::function<void(const Model& model, std::string_view rewrite)>;

/// Options of optimize().
struct OptimizeOptions {
  /// only rewrites that keep every bit of the outputs
  bool exact = false;
  /// also rewrites that change numbers slightly: the faster Gelu, ArgMax without the Softmax before it
  bool approximate = false;
  /// runtime that the result is for: standard (default: any), or ort: uses ONNX Runtime's own operators where its CPU
  /// kernels have them
  OptimizeTarget target = OptimizeTarget::kStandard;
  /// also make the file as small as possible, as `onnxpress shrink` does
  bool shrink = false;
  /// remove texts in which exporters say where nodes come from, such as stack traces (option `shrink` does that, too)
  bool strip = false;
  /// with `strip` and `shrink`: keep the names of layers, which `profile` shows
  bool keep_layers = false;
  /// turn initializers that callers could override into constants (old models)
  bool freeze = false;
  /// [inline] replace calls of these functions by their bodies; `all` for all functions
  Names inline_functions;
  /// convert the model to this version of the standard operator set first
  std::optional<std::uint64_t> opset;
  /// your own rewrites: a model whose functions are patterns and replacements (docs/commands/fuse.md)
  std::optional<std::string> rules;
  /// compute constants even if the file grows, and write the result even if it is larger
  bool allow_growth = false;
  /// run the model before and after on made-up inputs, and leave out rewrites that change the outputs
  bool verify = false;
  /// also count multiply-adds, parameters and bytes by op, before and after
  bool costs = false;
  /// report, but write nothing
  bool dry_run = false;
  /// use only these rewrites (option `list` shows them)
  Names only;
  /// also use these rewrites, which are off by default (option `list` shows them)
  Names also;
  /// skip these rewrites
  Names skip;
  /// leave constants of more bytes than this to the runtime
  std::optional<std::uint64_t> fold_limit;
  /// stop after this many rewrites, to find the one that matters
  std::optional<std::uint64_t> stop_after;
  /// [] its fields stand here
  BindingOptions bindings;
  /// [] its fields stand here
  LoadOptions load;
  /// [] its fields stand here
  EngineOptions asked_engine;                     // for commands and calls by name, which turn it into `engine`
  std::shared_ptr<const engines::Engine> engine;  ///< for option `verify`; null: the built-in evaluator, which also
                                                  ///< runs what the engine refuses
  std::vector<std::string> why;                   ///< nodes for which the report says what happened to them
  bool records_nodes = false;                     ///< steps list the nodes that they remove and add

  /// Do the options change inputs, their types, or which of them there are?
  bool changes_interface() const { return !bindings.empty() || freeze; }
  /// Do the options ask for a different model, which is then written even if it is larger?
  bool wants_another_model() const { return changes_interface() || opset || rules || !inline_functions.empty(); }
};

/// Costs of all nodes of one op, or of a whole model.
struct OpCosts {
  /// multiply-adds, with open dims assumed as in `profile`
  std::uint64_t macs = 0;
  /// elements of weights, each tensor at its first user
  std::uint64_t parameters = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// bytes read and written
  std::uint64_t traffic = 0;
};

/// Nodes of one operator, before and after (OptimizeReport::ops).
struct OpChange {
  /// operator, with its domain where that is not the standard one
  std::string op;
  /// nodes in the original, including bodies and functions
  std::uint64_t before = 0;
  /// nodes in the result
  std::uint64_t after = 0;
  /// with `costs`: what they cost
  std::optional<OpCosts> costs_before;
  /// the same for the result
  std::optional<OpCosts> costs_after;
};

/// How often a rewrite was applied (OptimizeReport::rewrites).
struct RewriteCount {
  /// name of the rewrite
  std::string rewrite;
  /// what it does
  std::string summary;
  /// how often it was applied
  std::uint64_t count = 0;
};

/// One application of a rewrite (OptimizeReport::steps).
struct RewriteLine {
  /// name of the rewrite
  std::string rewrite;
  /// the node it started from
  std::string node;
  /// its operator
  std::string op;
  /// more about it
  std::string text;
  /// with `log` and `why`: ops and names of the nodes that it removed
  std::vector<std::string> removed;
  /// with `log` and `why`: ops and names of the nodes that it added
  std::vector<std::string> added;
};

/// What happened to a node.
struct NodeFate {
  /// name, as given
  std::string node;
  /// false if the original has no node and no value of that name
  bool found = false;
  /// true when it is still there
  bool kept = false;
  /// rewrites that started from it, removed it or made it
  std::vector<std::string> steps;
  /// rewrites that start from such nodes, and why each did not apply
  std::vector<std::string> refusals;
};

/// How the outputs of the model before and after compare on generated inputs.
struct OptimizeCheck {
  /// true when both models ran
  bool done = false;
  /// why they did not run
  std::string reason;
  /// the runtimes that ran both models
  std::vector<std::string> runners;
  /// sets of inputs
  std::uint64_t runs = 0;
  /// largest difference in any output, as a share of its largest element
  double largest_difference = 0;
  /// the same for the original when its inputs change by a millionth; smaller differences mean nothing
  double floor = 0;
  /// rewrites that changed outputs and were left out
  std::vector<std::string> left_out;
};

/// The report of optimize().
struct OptimizeReport {
  /// path, as given
  std::string file;
  /// the result
  std::string output;
  /// nodes of the original, without Constant nodes
  std::uint64_t nodes_before = 0;
  /// nodes of the result, counted the same way
  std::uint64_t nodes_after = 0;
  /// bytes of the original, external data included
  std::uint64_t bytes_before = 0;
  /// bytes of the result
  std::uint64_t bytes_after = 0;
  /// bytes of the result in which exporters say where nodes come from
  std::uint64_t origin_bytes = 0;
  /// true when the result is the original, byte for byte
  bool unchanged = false;
  /// true when nothing was written
  bool dry_run = false;
  /// a rewrite that was stopped because it did not end; empty if there is none
  std::string looping;
  /// requests that could not be fulfilled, or were already fulfilled
  std::vector<std::string> remarks;
  /// with `costs`: what the original costs
  std::optional<OpCosts> costs_before;
  /// the same for the result
  std::optional<OpCosts> costs_after;
  /// nodes by operator, before and after
  std::vector<OpChange> ops;
  /// what was applied, most often first
  std::vector<RewriteCount> rewrites;
  /// every application, in order
  std::vector<RewriteLine> steps;
  /// with `why`: what happened to these nodes
  std::vector<NodeFate> nodes;
  /// with `verify`: how the outputs compare
  std::optional<OptimizeCheck> check;
  /// files that were written
  std::vector<WrittenFile> files;
  /// time in seconds, including reading and writing
  double seconds = 0;
  /// peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell
  std::uint64_t peak_memory = 0;
  /// the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up
  /// every 4 ms, so a shorter peak may be missed; 0 if the system does not tell
  std::uint64_t peak_anonymous = 0;
};

/// One of the rewrites of optimize().
struct RewriteInfo {
  std::string_view name;       ///< for OptimizeOptions::only, skip and also
  std::string_view summary;    ///< what it does
  std::string_view exactness;  ///< whether bits of the outputs may change
  std::string_view group;      ///< the folder in passes/rewrites/, or "whole graph"
  bool on_request = false;     ///< applied only if the user names it
};

/// All rewrites, in the order in which they are tried.
std::vector<RewriteInfo> rewrites();

/// In memory. Throws Error when an option does not fit, or verifying fails; then the model is as it was.
OptimizeReport optimize(Model& model, const OptimizeOptions& options = {}, const StepListener& after_step = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const OptimizeReport& report);

}  // namespace onnxpress
