// The fields of the structs in onnxpress/shrink.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/shrink.h"
#include "onnxpress/tasks/report/field_lists/engine.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<ShrinkTarget> {
  static constexpr std::pair<std::string_view, ShrinkTarget> kAll[] = {
      {"ort", ShrinkTarget::kOrt},
      {"ort-web-gpu", ShrinkTarget::kOrtWebGpu},
      {"ort-format", ShrinkTarget::kOrtFormat},
      {"any", ShrinkTarget::kAny},
      {"browser", ShrinkTarget::kBrowser},
      {"phone", ShrinkTarget::kPhone},
      {"server", ShrinkTarget::kServer},
      {"llm", ShrinkTarget::kLlm},
  };
};

template <>
struct Fields<OutputComparison> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("runtime", &OutputComparison::runtime, "the runtime and its version; empty if there is none");
    visit("same", &OutputComparison::same, "true if both models gave the same bits");
    visit("outputs", &OutputComparison::outputs, "outputs that were compared");
    visit("runs", &OutputComparison::runs, "sets of inputs that both models got");
    visit("reason", &OutputComparison::reason, "why they were not compared; empty if they were");
    visit("hint", &OutputComparison::hint, "what to do about that");
  }
};

template <>
struct Fields<ShrinkOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("target", &ShrinkOptions::target, "the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no decoding nodes); or browser, phone, server, llm, as for `quantize`");
    visit("only", &ShrinkOptions::only, "use only these methods (docs/commands/shrink.md lists them)");
    visit("skip", &ShrinkOptions::skip, "skip these methods");
    visit("freeze", &ShrinkOptions::freeze, "turn initializers that are also inputs into plain constants, so that they can shrink, too");
    visit("shorten_names", &ShrinkOptions::shorten_names, "shorten the names of all inner values and remove those of nodes; inputs and outputs keep theirs");
    visit("pack", &ShrinkOptions::pack, "also store floats in 28 bits and 8-bit codes in fewer bits, exactly; the model takes longer to load, and the report says how long");
    visit("verify", &ShrinkOptions::verify, "also run input and result in ONNX Runtime, if it is installed, and compare their outputs (tensors and connections are always compared)");
    visit("dry_run", &ShrinkOptions::dry_run, "write nothing, only report what would be saved");
    visit("", &ShrinkOptions::asked_engine, "");
    visit("", &ShrinkOptions::load, "");
  }
};

template <>
struct Fields<MethodLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("method", &MethodLine::method, "name, as for option `only` and option `skip`");
    visit("summary", &MethodLine::summary, "what it does");
    visit("count", &MethodLine::count, "tensors, nodes, texts, ... that became smaller or were removed");
    visit("saved", &MethodLine::saved, "bytes that it saved");
  }
};

template <>
struct Fields<SavingLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensor", &SavingLine::tensor, "name of the tensor");
    visit("method", &SavingLine::method, "what made it smaller");
    visit("before", &SavingLine::before, "bytes it took");
    visit("after", &SavingLine::after, "bytes it takes now, with the nodes that decode it");
  }
};

template <>
struct Fields<ModelBytes> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &ModelBytes::file, "the model file");
    visit("external", &ModelBytes::external, "its external data");
  }
};

template <>
struct Fields<LoadTimes> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("before", &LoadTimes::before, "seconds that ONNX Runtime takes to load the input");
    visit("after", &LoadTimes::after, "the same for the result");
  }
};

template <>
struct Fields<ShrinkReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &ShrinkReport::file, "path of the input");
    visit("output", &ShrinkReport::output, "path of the result");
    visit("before", &ShrinkReport::before, "size of the input (for text and JSON: of the .onnx file it would be)");
    visit("after", &ShrinkReport::after, "size of the result");
    visit("unchanged", &ShrinkReport::unchanged, "true if the model does not get smaller; the result is then a copy");
    visit("dry_run", &ShrinkReport::dry_run, "true when nothing was written");
    visit("overridable", &ShrinkReport::overridable, "bytes of initializers that are also inputs: callers may override them, so they stay as they are without option `freeze`");
    visit("verified", &ShrinkReport::verified, "with option `verify`: true if all tensors are the same, bit for bit");
    visit("outputs", &ShrinkReport::outputs, "with option `verify`: comparison of the outputs in ONNX Runtime");
    visit("load_seconds", &ShrinkReport::load_seconds, "with option `pack`, if ONNX Runtime is installed: how long it takes to load both models");
    visit("methods", &ShrinkReport::methods, "what each method saved, in the order in which they ran");
    visit("largest", &ShrinkReport::largest, "the tensors that became smaller, the largest savings first");
    visit("files", &ShrinkReport::files, "files that were written, the model first");
    visit("seconds", &ShrinkReport::seconds, "how long it took");
    visit("peak_memory", &ShrinkReport::peak_memory, "peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell");
    visit("peak_anonymous", &ShrinkReport::peak_anonymous, "the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up every 4 ms, so a shorter peak may be missed; 0 if the system does not tell");
  }
};

template <>
struct Fields<ExpandReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &ExpandReport::file, "path of the input");
    visit("output", &ExpandReport::output, "path of the result");
    visit("tensors", &ExpandReport::tensors, "tensors that are now plain initializers");
    visit("bytes", &ExpandReport::bytes, "bytes of their content");
    visit("nodes", &ExpandReport::nodes, "nodes that computed them and were removed");
    visit("outputs", &ExpandReport::outputs, "with option `verify`: comparison of the outputs in ONNX Runtime");
    visit("files", &ExpandReport::files, "files that were written, the model first");
  }
};

}  // namespace onnxpress
