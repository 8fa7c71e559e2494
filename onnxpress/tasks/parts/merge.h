// Joins two models: outputs of the first feed inputs of the second. The work behind `onnxpress merge`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct MergeOptions {
  std::vector<std::string> map;
  std::string prefix;
  bool keep_outputs = false, share_inputs = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("map", &MergeOptions::map,
          "connect an output of the first model to an input of the second: a_out=b_in (default: equal names)");
    visit("prefix", &MergeOptions::prefix, "put this in front of all names of the second model");
    visit("keep_outputs", &MergeOptions::keep_outputs, "keep outputs of the first model that feed the second");
    visit("share_inputs", &MergeOptions::share_inputs,
          "merge inputs of the same name (default: the second model's input gets another name)");
    visit("", &MergeOptions::load, "");
  }
};

struct RenamedLine {
  std::string before, after;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("before", &RenamedLine::before, "name in the second model");
    visit("after", &RenamedLine::after, "name in the result");
  }
};

struct ConnectionLine {
  std::string output, input;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("output", &ConnectionLine::output, "output of the first model");
    visit("input", &ConnectionLine::input, "input of the second model that reads it");
  }
};

struct MergeReport {
  std::string first, second, output;
  std::uint64_t nodes = 0;
  std::vector<ConnectionLine> connections;
  std::vector<PartValue> inputs, outputs;
  std::vector<RenamedLine> renamed;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("first", &MergeReport::first, "path of the first model");
    visit("second", &MergeReport::second, "path of the second model");
    visit("output", &MergeReport::output, "path of the result");
    visit("nodes", &MergeReport::nodes, "nodes of its main graph");
    visit("connections", &MergeReport::connections, "which output feeds which input");
    visit("inputs", &MergeReport::inputs, "inputs of the result, without initializers");
    visit("outputs", &MergeReport::outputs, "outputs of the result");
    visit("renamed", &MergeReport::renamed,
          "values of the second model that were renamed because the first has the same name");
    visit("files", &MergeReport::files, "files that were written");
  }
};

struct Merged {
  Model model;
  MergeReport report;
};

// Throws Error when the models do not fit: a name that does not exist, types that differ, opsets in which an op of
// either means something else.
Merged merge(const Model& first, const Model& second, const MergeOptions& options = {});

std::string to_json(const MergeReport& report);

}  // namespace onnxpress::tasks
