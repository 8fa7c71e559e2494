// Cuts a model into stages that feed each other: the work behind `onnxpress split`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress::tasks {

enum class SplitCost : std::uint8_t { kMacs, kMemory, kParams, kNodes };

template <>
struct Words<SplitCost> {
  static constexpr std::pair<std::string_view, SplitCost> kAll[] = {{"macs", SplitCost::kMacs},
                                                                    {"memory", SplitCost::kMemory},
                                                                    {"params", SplitCost::kParams},
                                                                    {"nodes", SplitCost::kNodes}};
};

struct SplitOptions {
  std::uint64_t parts = 2;
  SplitCost by = SplitCost::kMacs;
  Names at;
  bool direct = false, share_weights = false;
  BindingOptions bindings;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("parts", &SplitOptions::parts, "how many stages (default 2)");
    visit("by", &SplitOptions::by, "what to balance between the stages (default macs)");
    visit("at", &SplitOptions::at, "cut right after these values instead: one more stage than values");
    visit("direct", &SplitOptions::direct,
          "send a value directly to every stage that reads it, instead of passing it from stage to stage");
    visit("share_weights", &SplitOptions::share_weights,
          "store weights that several stages need once, in an external file next to them");
    visit("", &SplitOptions::bindings, "");
    visit("", &SplitOptions::load, "");
  }
};

struct StageInput {
  std::string name, type;
  std::int64_t from = -1;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &StageInput::name, "name of the value");
    visit("type", &StageInput::type, "element type and shape");
    visit("from", &StageInput::from, "the stage that outputs it; -1: an input of the model");
  }
};

struct StageOutput {
  std::string name, type;
  std::vector<std::uint64_t> to;
  bool is_model_output = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &StageOutput::name, "name of the value");
    visit("type", &StageOutput::type, "element type and shape");
    visit("to", &StageOutput::to, "stages that read it");
    visit("is_model_output", &StageOutput::is_model_output, "true for outputs of the whole model");
  }
};

struct Stage {
  std::string file;
  std::uint64_t nodes = 0, macs = 0, parameters = 0, weight_bytes = 0, cost = 0;
  std::optional<std::uint64_t> bytes_out;
  std::vector<StageInput> inputs;
  std::vector<StageOutput> outputs;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &Stage::file, "its model file, next to the manifest");
    visit("nodes", &Stage::nodes, "nodes of its main graph");
    visit("macs", &Stage::macs, "multiply-adds, at the assumed sizes");
    visit("parameters", &Stage::parameters, "elements of its weights");
    visit("weight_bytes", &Stage::weight_bytes, "their bytes");
    visit("cost", &Stage::cost, "what option `by` counts");
    visit("bytes_out", &Stage::bytes_out,
          "bytes that it passes to later stages, at the assumed sizes; null if not known");
    visit("inputs", &Stage::inputs, "what it reads");
    visit("outputs", &Stage::outputs, "what it outputs");
  }
};

struct SplitReport {
  std::string file;
  SplitCost by = SplitCost::kMacs;
  std::vector<std::string> inputs, outputs;
  std::vector<Stage> stages;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &SplitReport::file, "path of the model");
    visit("by", &SplitReport::by, "what was balanced between the stages");
    visit("inputs", &SplitReport::inputs, "inputs of the whole model");
    visit("outputs", &SplitReport::outputs, "outputs of the whole model");
    visit("stages", &SplitReport::stages, "the stages, in the order in which they run");
    visit("files", &SplitReport::files, "files that were written");
  }
};

// In the order in which they run.
struct Stages {
  std::vector<Model> models;
  SplitReport report;
};

// The stages, in memory, in the order in which they run. Throws Error when there are fewer nodes than stages, or a
// value to cut at does not exist.
Stages split(const Model& model, const SplitOptions& options = {});

std::string to_json(const SplitReport& report);

}  // namespace onnxpress::tasks
