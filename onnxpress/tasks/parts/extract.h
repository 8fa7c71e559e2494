// Cuts a part out of a model, which is a valid model by itself: the work behind `onnxpress extract`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct ExtractOptions {
  Names inputs, outputs, nodes;
  std::string prefix;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("inputs", &ExtractOptions::inputs, "values where the part begins (default: the inputs of the model)");
    visit("outputs", &ExtractOptions::outputs, "values where it ends (default: the outputs of the model)");
    visit("nodes", &ExtractOptions::nodes, "the nodes of the part by name, instead of where it begins and ends");
    visit("prefix", &ExtractOptions::prefix, "all nodes whose names begin with this");
    visit("", &ExtractOptions::load, "");
  }
};

struct PartValue {
  std::string name, type;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &PartValue::name, "name of the value");
    visit("type", &PartValue::type, "element type and shape");
  }
};

// One for each value that is not an initializer.
std::vector<PartValue> lines_of(std::span<ValueInfo* const> infos);

struct ExtractReport {
  std::string file, output;
  std::uint64_t nodes = 0, of_nodes = 0, tensors = 0, functions = 0;
  std::vector<PartValue> inputs, outputs;
  std::vector<std::string> added_inputs, unused_inputs;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
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

struct Part {
  Model model;
  ExtractReport report;
};

// The part, in memory. Throws Error when a name does not exist, or when the outputs depend on a value that is not
// defined or cannot be an input.
Part extract(const Model& model, const ExtractOptions& options);

std::string to_json(const ExtractReport& report);

}  // namespace onnxpress::tasks
