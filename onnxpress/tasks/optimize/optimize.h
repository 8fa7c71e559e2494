// Makes a model simpler without changing what it computes: the work behind `onnxpress optimize`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/convert.h"
#include "onnxpress/tasks/inputs/bindings.h"
#include "onnxpress/tasks/inputs/load_model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::tasks {

struct OptimizeOptions {
  bool exact = false, freeze = false, allow_growth = false, verify = false, dry_run = false;
  Names only, skip;
  std::optional<std::uint64_t> stop_after;
  BindingOptions bindings;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("exact", &OptimizeOptions::exact, "only rewrites that keep every bit of the outputs");
    visit("freeze", &OptimizeOptions::freeze,
          "make constants of initializers that callers could override (old models)");
    visit("allow_growth", &OptimizeOptions::allow_growth, "write the result even if it takes more bytes");
    visit("verify", &OptimizeOptions::verify,
          "run the model before and after on made-up inputs, and leave out rewrites that change its outputs");
    visit("dry_run", &OptimizeOptions::dry_run, "report, but write nothing");
    visit("only", &OptimizeOptions::only, "only these rewrites (--list shows them)");
    visit("skip", &OptimizeOptions::skip, "not these rewrites");
    visit("stop_after", &OptimizeOptions::stop_after, "stop after so many rewrites, to find the one that matters");
    visit("", &OptimizeOptions::bindings, "");
    visit("", &OptimizeOptions::load, "");
  }
};

struct OpChange {
  std::string op;
  std::uint64_t before = 0, after = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("op", &OpChange::op, "operator, with its domain where that is not the standard one");
    visit("before", &OpChange::before, "nodes in the original, bodies and functions included");
    visit("after", &OpChange::after, "nodes in the result");
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

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("rewrite", &RewriteLine::rewrite, "name of the rewrite");
    visit("node", &RewriteLine::node, "the node it started from");
    visit("op", &RewriteLine::op, "its operator");
    visit("text", &RewriteLine::text, "more about it");
  }
};

// How the model before and after compare on made-up inputs.
struct OptimizeCheck {
  bool done = false;
  std::string reason;
  std::uint64_t runs = 0;
  double largest_difference = 0, floor = 0;
  std::vector<std::string> left_out;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("done", &OptimizeCheck::done, "true when both models ran");
    visit("reason", &OptimizeCheck::reason, "why not, where they did not");
    visit("runs", &OptimizeCheck::runs, "sets of inputs");
    visit("largest_difference", &OptimizeCheck::largest_difference, "of any output, as a share of its largest element");
    visit("floor", &OptimizeCheck::floor,
          "the same for the original when its inputs change by a millionth: differences up to there mean nothing");
    visit("left_out", &OptimizeCheck::left_out, "rewrites that changed outputs and were left out");
  }
};

struct OptimizeReport {
  std::string file, output;
  std::uint64_t nodes_before = 0, nodes_after = 0, bytes_before = 0, bytes_after = 0;
  bool unchanged = false, dry_run = false;
  std::string looping;
  std::vector<OpChange> ops;
  std::vector<RewriteCount> rewrites;
  std::vector<RewriteLine> steps;
  std::optional<OptimizeCheck> check;
  std::vector<WrittenFile> files;
  double seconds = 0;

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
    visit("looping", &OptimizeReport::looping, "a rewrite that was stopped because it would not end; empty: none");
    visit("ops", &OptimizeReport::ops, "nodes by operator, before and after");
    visit("rewrites", &OptimizeReport::rewrites, "what was applied, most often first");
    visit("steps", &OptimizeReport::steps, "every application, in order");
    visit("check", &OptimizeReport::check, "with `--verify`: how the outputs compare");
    visit("files", &OptimizeReport::files, "files that were written");
    visit("seconds", &OptimizeReport::seconds, "time it took, reading and writing included");
  }
};

struct RewriteInfo {
  std::string_view name, summary, exactness, group;
};
// Every rewrite there is, in the order in which they are tried.
std::vector<RewriteInfo> rewrites();

// In memory. Throws Error when an option does not fit.
OptimizeReport optimize(Model& model, const OptimizeOptions& options);
OptimizeReport optimize(const std::string& input, const std::string& output, const OptimizeOptions& options,
                        const ConvertStreams& streams = {});

std::string to_json(const OptimizeReport& report);
std::string to_json(const std::vector<ReportRow<OptimizeReport>>& rows);

}  // namespace onnxpress::tasks
