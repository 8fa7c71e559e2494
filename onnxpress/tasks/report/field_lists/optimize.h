// The fields of the structs in onnxpress/optimize.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/optimize.h"
#include "onnxpress/tasks/report/field_lists/engine.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<OptimizeTarget> {
  static constexpr std::pair<std::string_view, OptimizeTarget> kAll[] = {
      {"standard", OptimizeTarget::kStandard},
      {"ort", OptimizeTarget::kOrt},
  };
};

template <>
struct Fields<OptimizeOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("exact", &OptimizeOptions::exact, "only rewrites that keep every bit of the outputs");
    visit("approximate", &OptimizeOptions::approximate, "also rewrites that change numbers slightly: the faster Gelu, ArgMax without the Softmax before it");
    visit("target", &OptimizeOptions::target, "runtime that the result is for: standard (default: any), or ort: uses ONNX Runtime's own operators where its CPU kernels have them");
    visit("shrink", &OptimizeOptions::shrink, "also make the file as small as possible, as `onnxpress shrink` does");
    visit("strip", &OptimizeOptions::strip, "remove texts in which exporters say where nodes come from, such as stack traces (option `shrink` does that, too)");
    visit("keep_layers", &OptimizeOptions::keep_layers, "with `strip` and `shrink`: keep the names of layers, which `profile` shows");
    visit("freeze", &OptimizeOptions::freeze, "turn initializers that callers could override into constants (old models)");
    visit("inline", &OptimizeOptions::inline_functions, "replace calls of these functions by their bodies; `all` for all functions");
    visit("opset", &OptimizeOptions::opset, "convert the model to this version of the standard operator set first");
    visit("rules", &OptimizeOptions::rules, "your own rewrites: a model whose functions are patterns and replacements (docs/commands/fuse.md)");
    visit("allow_growth", &OptimizeOptions::allow_growth, "compute constants even if the file grows, and write the result even if it is larger");
    visit("verify", &OptimizeOptions::verify, "run the model before and after on made-up inputs, and leave out rewrites that change the outputs");
    visit("costs", &OptimizeOptions::costs, "also count multiply-adds, parameters and bytes by op, before and after");
    visit("dry_run", &OptimizeOptions::dry_run, "report, but write nothing");
    visit("only", &OptimizeOptions::only, "use only these rewrites (option `list` shows them)");
    visit("also", &OptimizeOptions::also, "also use these rewrites, which are off by default (option `list` shows them)");
    visit("skip", &OptimizeOptions::skip, "skip these rewrites");
    visit("fold_limit", &OptimizeOptions::fold_limit, "leave constants of more bytes than this to the runtime");
    visit("stop_after", &OptimizeOptions::stop_after, "stop after this many rewrites, to find the one that matters");
    visit("", &OptimizeOptions::bindings, "");
    visit("", &OptimizeOptions::load, "");
    visit("", &OptimizeOptions::asked_engine, "");
  }
};

template <>
struct Fields<OpCosts> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("macs", &OpCosts::macs, "multiply-adds, with open dims assumed as in `profile`");
    visit("parameters", &OpCosts::parameters, "elements of weights, each tensor at its first user");
    visit("weight_bytes", &OpCosts::weight_bytes, "their bytes");
    visit("traffic", &OpCosts::traffic, "bytes read and written");
  }
};

template <>
struct Fields<OpChange> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("op", &OpChange::op, "operator, with its domain where that is not the standard one");
    visit("before", &OpChange::before, "nodes in the original, including bodies and functions");
    visit("after", &OpChange::after, "nodes in the result");
    visit("costs_before", &OpChange::costs_before, "with `costs`: what they cost");
    visit("costs_after", &OpChange::costs_after, "the same for the result");
  }
};

template <>
struct Fields<RewriteCount> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("rewrite", &RewriteCount::rewrite, "name of the rewrite");
    visit("summary", &RewriteCount::summary, "what it does");
    visit("count", &RewriteCount::count, "how often it was applied");
  }
};

template <>
struct Fields<RewriteLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("rewrite", &RewriteLine::rewrite, "name of the rewrite");
    visit("node", &RewriteLine::node, "the node it started from");
    visit("op", &RewriteLine::op, "its operator");
    visit("text", &RewriteLine::text, "more about it");
    visit("removed", &RewriteLine::removed, "with `log` and `why`: ops and names of the nodes that it removed");
    visit("added", &RewriteLine::added, "with `log` and `why`: ops and names of the nodes that it added");
  }
};

template <>
struct Fields<NodeFate> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("node", &NodeFate::node, "name, as given");
    visit("found", &NodeFate::found, "false if the original has no node and no value of that name");
    visit("kept", &NodeFate::kept, "true when it is still there");
    visit("steps", &NodeFate::steps, "rewrites that started from it, removed it or made it");
    visit("refusals", &NodeFate::refusals, "rewrites that start from such nodes, and why each did not apply");
  }
};

template <>
struct Fields<OptimizeCheck> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("done", &OptimizeCheck::done, "true when both models ran");
    visit("reason", &OptimizeCheck::reason, "why they did not run");
    visit("runners", &OptimizeCheck::runners, "the runtimes that ran both models");
    visit("runs", &OptimizeCheck::runs, "sets of inputs");
    visit("largest_difference", &OptimizeCheck::largest_difference, "largest difference in any output, as a share of its largest element");
    visit("floor", &OptimizeCheck::floor, "the same for the original when its inputs change by a millionth; smaller differences mean nothing");
    visit("left_out", &OptimizeCheck::left_out, "rewrites that changed outputs and were left out");
  }
};

template <>
struct Fields<OptimizeReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &OptimizeReport::file, "path, as given");
    visit("output", &OptimizeReport::output, "the result");
    visit("nodes_before", &OptimizeReport::nodes_before, "nodes of the original, without Constant nodes");
    visit("nodes_after", &OptimizeReport::nodes_after, "nodes of the result, counted the same way");
    visit("bytes_before", &OptimizeReport::bytes_before, "bytes of the original, external data included");
    visit("bytes_after", &OptimizeReport::bytes_after, "bytes of the result");
    visit("origin_bytes", &OptimizeReport::origin_bytes, "bytes of the result in which exporters say where nodes come from");
    visit("unchanged", &OptimizeReport::unchanged, "true when the result is the original, byte for byte");
    visit("dry_run", &OptimizeReport::dry_run, "true when nothing was written");
    visit("looping", &OptimizeReport::looping, "a rewrite that was stopped because it did not end; empty if there is none");
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
    visit("peak_memory", &OptimizeReport::peak_memory, "peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell");
    visit("peak_anonymous", &OptimizeReport::peak_anonymous, "the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up every 4 ms, so a shorter peak may be missed; 0 if the system does not tell");
  }
};

}  // namespace onnxpress
