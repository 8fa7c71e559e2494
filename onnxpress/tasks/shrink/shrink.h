// Makes a model as small as possible without changing a bit of what it computes: the work behind `onnxpress shrink`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/shrink/output_comparison.h"
#include "onnxpress/tasks/shrink/shrink_target.h"

namespace onnxpress::tasks {

struct ShrinkOptions {
  ShrinkTarget target = ShrinkTarget::kOrt;
  Names only, skip;
  bool freeze = false, shorten_names = false, pack = false, verify = false, dry_run = false;
  std::string name_map;                           // not in fields(): only the command sets it
  std::shared_ptr<const engines::Engine> engine;  // runs the model; null: the built-in evaluator
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("target", &ShrinkOptions::target,
          "the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no "
          "decoding nodes); or browser, phone, server, llm, as for `quantize`");
    visit("only", &ShrinkOptions::only, "use only these methods (docs/commands/shrink.md lists them)");
    visit("skip", &ShrinkOptions::skip, "skip these methods");
    visit("freeze", &ShrinkOptions::freeze,
          "turn initializers that are also inputs into plain constants, so that they can shrink, too");
    visit("shorten_names", &ShrinkOptions::shorten_names,
          "shorten the names of all inner values and remove those of nodes; inputs and outputs keep theirs");
    visit("pack", &ShrinkOptions::pack,
          "also store floats in 28 bits and 8-bit codes in fewer bits, exactly; the model takes longer to load, and "
          "the report says how long");
    visit("verify", &ShrinkOptions::verify,
          "also run input and result in ONNX Runtime, if it is installed, and compare their outputs (tensors and "
          "connections are always compared)");
    visit("dry_run", &ShrinkOptions::dry_run, "write nothing, only report what would be saved");
    visit("", &ShrinkOptions::load, "");
  }
};

struct MethodLine {
  std::string method, summary;
  std::uint64_t count = 0;
  std::int64_t saved = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("method", &MethodLine::method, "name, as for option `only` and option `skip`");
    visit("summary", &MethodLine::summary, "what it does");
    visit("count", &MethodLine::count, "tensors, nodes, texts, ... that became smaller or were removed");
    visit("saved", &MethodLine::saved, "bytes that it saved");
  }
};

struct SavingLine {
  std::string tensor, method;
  std::uint64_t before = 0, after = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensor", &SavingLine::tensor, "name of the tensor");
    visit("method", &SavingLine::method, "what made it smaller");
    visit("before", &SavingLine::before, "bytes it took");
    visit("after", &SavingLine::after, "bytes it takes now, with the nodes that decode it");
  }
};

struct ModelBytes {
  std::uint64_t file = 0, external = 0;
  std::uint64_t total() const { return file + external; }

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ModelBytes::file, "the model file");
    visit("external", &ModelBytes::external, "its external data");
  }
};

struct LoadTimes {
  double before = 0, after = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("before", &LoadTimes::before, "seconds that ONNX Runtime takes to load the input");
    visit("after", &LoadTimes::after, "the same for the result");
  }
};

struct ShrinkReport {
  std::string file, output;
  ModelBytes before, after;
  bool unchanged = false, dry_run = false;
  std::uint64_t overridable = 0;
  std::optional<bool> verified;
  std::optional<OutputComparison> outputs;
  std::optional<LoadTimes> load_seconds;
  std::vector<MethodLine> methods;
  std::vector<SavingLine> largest;
  std::vector<WrittenFile> files;
  double seconds = 0;
  std::uint64_t peak_memory = 0, peak_anonymous = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ShrinkReport::file, "path of the input");
    visit("output", &ShrinkReport::output, "path of the result");
    visit("before", &ShrinkReport::before, "size of the input (for text and JSON: of the .onnx file it would be)");
    visit("after", &ShrinkReport::after, "size of the result");
    visit("unchanged", &ShrinkReport::unchanged, "true if the model does not get smaller; the result is then a copy");
    visit("dry_run", &ShrinkReport::dry_run, "true when nothing was written");
    visit("overridable", &ShrinkReport::overridable,
          "bytes of initializers that are also inputs: callers may override them, so they stay as they are without "
          "option `freeze`");
    visit("verified", &ShrinkReport::verified, "with option `verify`: true if all tensors are the same, bit for bit");
    visit("outputs", &ShrinkReport::outputs, "with option `verify`: comparison of the outputs in ONNX Runtime");
    visit("load_seconds", &ShrinkReport::load_seconds,
          "with option `pack`, if ONNX Runtime is installed: how long it takes to load both models");
    visit("methods", &ShrinkReport::methods, "what each method saved, in the order in which they ran");
    visit("largest", &ShrinkReport::largest, "the tensors that became smaller, the largest savings first");
    visit("files", &ShrinkReport::files, "files that were written, the model first");
    visit("seconds", &ShrinkReport::seconds, "how long it took");
    visit("peak_memory", &ShrinkReport::peak_memory, kPeakMemoryText);
    visit("peak_anonymous", &ShrinkReport::peak_anonymous, kPeakAnonymousText);
  }
};

struct MethodName {
  std::string_view name, summary;
};
// All methods that can be chosen, in the order in which they run (pipeline.cpp).
std::vector<MethodName> shrink_methods();

// Shrinks a model in memory, encodes it, reads it back and compares it with the original. Throws Error; the model is
// then as it was.
ShrinkReport shrink(Model& model, const ShrinkOptions& options,
                    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

std::string to_json(const ShrinkReport& report);
std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows);

}  // namespace onnxpress::tasks
