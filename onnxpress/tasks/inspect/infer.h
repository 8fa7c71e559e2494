// Infers the type and shape of every value of a model: the report behind `onnxpress infer`, and the types written back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::tasks {

struct InferOptions {
  BindingOptions bindings;
  std::optional<std::string> custom_ops;
  bool trust_value_info = false, all = false;
  std::uint64_t limit = 20;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &InferOptions::bindings, "");
    visit("custom_ops", &InferOptions::custom_ops,
          "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of "
          "shape rules");
    visit("trust_value_info", &InferOptions::trust_value_info,
          "use the types declared in the file where nothing can be inferred");
    visit("all", &InferOptions::all, "list every value with its type");
    visit("limit", &InferOptions::limit, "how many unknown values to explain (default 20)");
    visit("", &InferOptions::load, "");
  }
};

struct ValueLine {
  std::string name, type;
  bool complete = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &ValueLine::name, "name of the value");
    visit("type", &ValueLine::type, "element type and shape, `?` where unknown");
    visit("complete", &ValueLine::complete, "true when element type, rank and every dim are known");
  }
};

struct LossLine {
  std::string value, node, op, why;
  std::uint64_t values = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("value", &LossLine::value, "the value that is unknown although everything its node reads is known");
    visit("node", &LossLine::node, "name of the node; empty for an input of the model");
    visit("op", &LossLine::op, "its op");
    visit("why", &LossLine::why, "why it is unknown");
    visit("values", &LossLine::values, "how many values are unknown because of it, including this one");
  }
};

struct ContradictionLine {
  std::string value, declared, inferred;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("value", &ContradictionLine::value, "name of the value");
    visit("declared", &ContradictionLine::declared, "what the file says");
    visit("inferred", &ContradictionLine::inferred, "what follows from the ops");
  }
};

struct BrokenRuleLine {
  std::string node, op, value, why;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("node", &BrokenRuleLine::node, "name of the node");
    visit("op", &BrokenRuleLine::op, "its op");
    visit("value", &BrokenRuleLine::value, "its first result");
    visit("why", &BrokenRuleLine::why, "which rule its operands break");
  }
};

struct InferReport {
  std::string file;
  std::uint64_t values = 0, with_rank = 0, complete = 0, with_sizes = 0, constant = 0;
  std::vector<ValueLine> inputs, outputs, all;
  std::vector<LossLine> losses;
  std::uint64_t losses_left_out = 0;
  std::vector<ContradictionLine> contradictions;
  std::vector<BrokenRuleLine> broken_rules;
  std::vector<WrittenFile> files;
  double seconds = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &InferReport::file, "path, as given");
    visit("values", &InferReport::values, "number of results of nodes, including those in bodies");
    visit("with_rank", &InferReport::with_rank, "those whose rank is known");
    visit("complete", &InferReport::complete, "those whose type and every dim is known, as a size or an expression");
    visit("with_sizes", &InferReport::with_sizes, "those whose every dim is a size");
    visit("constant", &InferReport::constant, "those that are the same in every run");
    visit("inputs", &InferReport::inputs, "inputs of the model");
    visit("outputs", &InferReport::outputs, "outputs of the model");
    visit("all", &InferReport::all, "with option `all`: every value");
    visit("losses", &InferReport::losses, "where types or shapes become unknown first");
    visit("losses_left_out", &InferReport::losses_left_out, "how many more there are");
    visit("contradictions", &InferReport::contradictions, "declared types that cannot be true");
    visit("broken_rules", &InferReport::broken_rules, "nodes that cannot be computed with these operands");
    visit("files", &InferReport::files, "files that were written");
    visit("seconds", &InferReport::seconds, "how long the inference took, without reading and writing");
  }
};

// Infers and reports; changes nothing. Throws Error when an option does not fit the model.
InferReport infer(const Model& model, const InferOptions& options = {});

// The same, and the types of all inner values become part of the model, as `infer -o` writes it. If it throws Error,
// the model is as it was.
InferReport declare_types(Model& model, const InferOptions& options = {});

using InferRow = ReportRow<InferReport>;

std::string to_json(const InferReport& report);
// {"models": [...]}: reports, and {"file", "error", "hint"} for those that could not be read.
std::string to_json(const std::vector<InferRow>& rows);

}  // namespace onnxpress::tasks
