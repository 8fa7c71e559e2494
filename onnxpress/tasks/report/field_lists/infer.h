// The fields of the structs in onnxpress/infer.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/infer.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<InferOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("", &InferOptions::bindings, "");
    visit("custom_ops", &InferOptions::custom_ops, "a description of ops that are not built in: a model with functions (.onnxtxt, .onnx), or a text file of shape rules");
    visit("trust_value_info", &InferOptions::trust_value_info, "use the types declared in the file where nothing can be inferred");
    visit("all", &InferOptions::all, "list every value with its type");
    visit("limit", &InferOptions::limit, "how many unknown values to explain (default 20)");
    visit("", &InferOptions::load, "");
  }
};

template <>
struct Fields<ValueLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &ValueLine::name, "name of the value");
    visit("type", &ValueLine::type, "element type and shape, `?` where unknown");
    visit("complete", &ValueLine::complete, "true when element type, rank and every dim are known");
  }
};

template <>
struct Fields<LossLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("value", &LossLine::value, "the value that is unknown although everything its node reads is known");
    visit("node", &LossLine::node, "name of the node; empty for an input of the model");
    visit("op", &LossLine::op, "its op");
    visit("why", &LossLine::why, "why it is unknown");
    visit("values", &LossLine::values, "how many values are unknown because of it, including this one");
  }
};

template <>
struct Fields<ContradictionLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("value", &ContradictionLine::value, "name of the value");
    visit("declared", &ContradictionLine::declared, "what the file says");
    visit("inferred", &ContradictionLine::inferred, "what follows from the ops");
  }
};

template <>
struct Fields<BrokenRuleLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("node", &BrokenRuleLine::node, "name of the node");
    visit("op", &BrokenRuleLine::op, "its op");
    visit("value", &BrokenRuleLine::value, "its first result");
    visit("why", &BrokenRuleLine::why, "which rule its operands break");
  }
};

template <>
struct Fields<InferReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
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

}  // namespace onnxpress
