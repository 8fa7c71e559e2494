// The fields of the structs in onnxpress/parts.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/parts.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<ExtractOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("inputs", &ExtractOptions::inputs, "values where the part begins (default: the inputs of the model)");
    visit("outputs", &ExtractOptions::outputs, "values where it ends (default: the outputs of the model)");
    visit("nodes", &ExtractOptions::nodes, "the nodes of the part by name, instead of where it begins and ends");
    visit("prefix", &ExtractOptions::prefix, "all nodes whose names begin with this");
    visit("", &ExtractOptions::load, "");
  }
};

template <>
struct Fields<PartValue> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &PartValue::name, "name of the value");
    visit("type", &PartValue::type, "element type and shape");
  }
};

template <>
struct Fields<ExtractReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &ExtractReport::file, "path of the model");
    visit("output", &ExtractReport::output, "path of the part");
    visit("nodes", &ExtractReport::nodes, "nodes of the part, without those in bodies");
    visit("of_nodes", &ExtractReport::of_nodes, "nodes of the main graph of the model");
    visit("tensors", &ExtractReport::tensors, "initializers that the part contains");
    visit("functions", &ExtractReport::functions, "functions that the part contains");
    visit("inputs", &ExtractReport::inputs, "inputs of the part, without initializers");
    visit("outputs", &ExtractReport::outputs, "outputs of the part");
    visit("added_inputs", &ExtractReport::added_inputs, "inputs of the model that the part also needs");
    visit("unused_inputs", &ExtractReport::unused_inputs, "requested inputs that nothing reads");
    visit("files", &ExtractReport::files, "files that were written");
  }
};

template <>
struct Words<SplitCost> {
  static constexpr std::pair<std::string_view, SplitCost> kAll[] = {
      {"macs", SplitCost::kMacs},
      {"memory", SplitCost::kMemory},
      {"params", SplitCost::kParams},
      {"nodes", SplitCost::kNodes},
  };
};

template <>
struct Fields<SplitOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("parts", &SplitOptions::parts, "how many stages (default 2)");
    visit("by", &SplitOptions::by, "what to balance between the stages (default macs)");
    visit("at", &SplitOptions::at, "cut right after these values instead: one more stage than values");
    visit("direct", &SplitOptions::direct, "send a value directly to every stage that reads it, instead of passing it from stage to stage");
    visit("share_weights", &SplitOptions::share_weights, "store weights that several stages need once, in an external file next to them");
    visit("", &SplitOptions::bindings, "");
    visit("", &SplitOptions::load, "");
  }
};

template <>
struct Fields<StageInput> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &StageInput::name, "name of the value");
    visit("type", &StageInput::type, "element type and shape");
    visit("from", &StageInput::from, "the stage that outputs it; -1: an input of the model");
  }
};

template <>
struct Fields<StageOutput> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &StageOutput::name, "name of the value");
    visit("type", &StageOutput::type, "element type and shape");
    visit("to", &StageOutput::to, "stages that read it");
    visit("is_model_output", &StageOutput::is_model_output, "true for outputs of the whole model");
  }
};

template <>
struct Fields<Stage> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &Stage::file, "its model file, next to the manifest");
    visit("nodes", &Stage::nodes, "nodes of its main graph");
    visit("macs", &Stage::macs, "multiply-adds, at the assumed sizes");
    visit("parameters", &Stage::parameters, "elements of its weights");
    visit("weight_bytes", &Stage::weight_bytes, "their bytes");
    visit("cost", &Stage::cost, "what option `by` counts");
    visit("bytes_out", &Stage::bytes_out, "bytes that it passes to later stages, at the assumed sizes; null if not known");
    visit("inputs", &Stage::inputs, "what it reads");
    visit("outputs", &Stage::outputs, "what it outputs");
  }
};

template <>
struct Fields<SplitReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &SplitReport::file, "path of the model");
    visit("by", &SplitReport::by, "what was balanced between the stages");
    visit("inputs", &SplitReport::inputs, "inputs of the whole model");
    visit("outputs", &SplitReport::outputs, "outputs of the whole model");
    visit("stages", &SplitReport::stages, "the stages, in the order in which they run");
    visit("files", &SplitReport::files, "files that were written");
  }
};

template <>
struct Fields<MergeOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("map", &MergeOptions::map, "connect an output of the first model to an input of the second: a_out=b_in (default: equal names)");
    visit("prefix", &MergeOptions::prefix, "put this in front of all names of the second model");
    visit("keep_outputs", &MergeOptions::keep_outputs, "keep outputs of the first model that feed the second");
    visit("share_inputs", &MergeOptions::share_inputs, "merge inputs of the same name (default: the second model's input gets another name)");
    visit("", &MergeOptions::load, "");
  }
};

template <>
struct Fields<RenamedLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("before", &RenamedLine::before, "name in the second model");
    visit("after", &RenamedLine::after, "name in the result");
  }
};

template <>
struct Fields<ConnectionLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("output", &ConnectionLine::output, "output of the first model");
    visit("input", &ConnectionLine::input, "input of the second model that reads it");
  }
};

template <>
struct Fields<MergeReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("first", &MergeReport::first, "path of the first model");
    visit("second", &MergeReport::second, "path of the second model");
    visit("output", &MergeReport::output, "path of the result");
    visit("nodes", &MergeReport::nodes, "nodes of its main graph");
    visit("connections", &MergeReport::connections, "which output feeds which input");
    visit("inputs", &MergeReport::inputs, "inputs of the result, without initializers");
    visit("outputs", &MergeReport::outputs, "outputs of the result");
    visit("renamed", &MergeReport::renamed, "values of the second model that were renamed because the first has the same name");
    visit("files", &MergeReport::files, "files that were written");
  }
};

}  // namespace onnxpress
