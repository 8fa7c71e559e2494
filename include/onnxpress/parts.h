/// \file
/// Cuts models into parts, and joins them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

/// Options of extract().
struct ExtractOptions {
  /// values where the part begins (default: the inputs of the model)
  Names inputs;
  /// values where it ends (default: the outputs of the model)
  Names outputs;
  /// the nodes of the part by name, instead of where it begins and ends
  Names nodes;
  /// all nodes whose names begin with this
  std::string prefix;
  /// [] its fields stand here
  LoadOptions load;
};

/// An input or output of a part (ExtractReport::inputs).
struct PartValue {
  /// name of the value
  std::string name;
  /// element type and shape
  std::string type;
};

/// The report of extract().
struct ExtractReport {
  /// path of the model
  std::string file;
  /// path of the part
  std::string output;
  /// nodes of the part, without those in bodies
  std::uint64_t nodes = 0;
  /// nodes of the main graph of the model
  std::uint64_t of_nodes = 0;
  /// initializers that the part contains
  std::uint64_t tensors = 0;
  /// functions that the part contains
  std::uint64_t functions = 0;
  /// inputs of the part, without initializers
  std::vector<PartValue> inputs;
  /// outputs of the part
  std::vector<PartValue> outputs;
  /// inputs of the model that the part also needs
  std::vector<std::string> added_inputs;
  /// requested inputs that nothing reads
  std::vector<std::string> unused_inputs;
  /// files that were written
  std::vector<WrittenFile> files;
};

/// What extract() cuts out.
struct Part {
  Model model;           ///< the part
  ExtractReport report;  ///< what is in it
};

/// The part, in memory. Throws Error when a name does not exist, or when the outputs depend on a value that is not
/// defined or cannot be an input.
Part extract(const Model& model, const ExtractOptions& options);

/// The report as JSON: what the command prints with --json.
std::string to_json(const ExtractReport& report);

/// What SplitOptions::by can be.
enum class SplitCost : std::uint8_t {
  kMacs,    ///< multiply-adds
  kMemory,  ///< bytes of weights and of results
  kParams,  ///< elements of weights
  kNodes,   ///< nodes
};

/// Options of split().
struct SplitOptions {
  /// how many stages (default 2)
  std::uint64_t parts = 2;
  /// what to balance between the stages (default macs)
  SplitCost by = SplitCost::kMacs;
  /// cut right after these values instead: one more stage than values
  Names at;
  /// send a value directly to every stage that reads it, instead of passing it from stage to stage
  bool direct = false;
  /// store weights that several stages need once, in an external file next to them
  bool share_weights = false;
  /// [] its fields stand here
  BindingOptions bindings;
  /// [] its fields stand here
  LoadOptions load;
};

/// What a stage reads (Stage::inputs).
struct StageInput {
  /// name of the value
  std::string name;
  /// element type and shape
  std::string type;
  /// the stage that outputs it; -1: an input of the model
  std::int64_t from = -1;
};

/// What a stage outputs (Stage::outputs).
struct StageOutput {
  /// name of the value
  std::string name;
  /// element type and shape
  std::string type;
  /// stages that read it
  std::vector<std::uint64_t> to;
  /// true for outputs of the whole model
  bool is_model_output = false;
};

/// One of the models that split() makes (SplitReport::stages).
struct Stage {
  /// its model file, next to the manifest
  std::string file;
  /// nodes of its main graph
  std::uint64_t nodes = 0;
  /// multiply-adds, at the assumed sizes
  std::uint64_t macs = 0;
  /// elements of its weights
  std::uint64_t parameters = 0;
  /// their bytes
  std::uint64_t weight_bytes = 0;
  /// what option `by` counts
  std::uint64_t cost = 0;
  /// bytes that it passes to later stages, at the assumed sizes; null if not known
  std::optional<std::uint64_t> bytes_out;
  /// what it reads
  std::vector<StageInput> inputs;
  /// what it outputs
  std::vector<StageOutput> outputs;
};

/// The report of split().
struct SplitReport {
  /// path of the model
  std::string file;
  /// what was balanced between the stages
  SplitCost by = SplitCost::kMacs;
  /// inputs of the whole model
  std::vector<std::string> inputs;
  /// outputs of the whole model
  std::vector<std::string> outputs;
  /// the stages, in the order in which they run
  std::vector<Stage> stages;
  /// files that were written
  std::vector<WrittenFile> files;
};

/// In the order in which they run.
struct Stages {
  std::vector<Model> models;  ///< one for each stage
  SplitReport report;         ///< what is in each, and what goes from one to the next
};

/// The stages, in memory, in the order in which they run. Throws Error when there are fewer nodes than stages, or a
/// value to cut at does not exist.
Stages split(const Model& model, const SplitOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const SplitReport& report);

/// Options of merge().
struct MergeOptions {
  /// connect an output of the first model to an input of the second: a_out=b_in (default: equal names)
  std::vector<std::string> map;
  /// put this in front of all names of the second model
  std::string prefix;
  /// keep outputs of the first model that feed the second
  bool keep_outputs = false;
  /// merge inputs of the same name (default: the second model's input gets another name)
  bool share_inputs = false;
  /// [] its fields stand here
  LoadOptions load;
};

/// A value of the second model that has another name in the result (MergeReport::renamed).
struct RenamedLine {
  /// name in the second model
  std::string before;
  /// name in the result
  std::string after;
};

/// An output that feeds an input (MergeReport::connections).
struct ConnectionLine {
  /// output of the first model
  std::string output;
  /// input of the second model that reads it
  std::string input;
};

/// The report of merge().
struct MergeReport {
  /// path of the first model
  std::string first;
  /// path of the second model
  std::string second;
  /// path of the result
  std::string output;
  /// nodes of its main graph
  std::uint64_t nodes = 0;
  /// which output feeds which input
  std::vector<ConnectionLine> connections;
  /// inputs of the result, without initializers
  std::vector<PartValue> inputs;
  /// outputs of the result
  std::vector<PartValue> outputs;
  /// values of the second model that were renamed because the first has the same name
  std::vector<RenamedLine> renamed;
  /// files that were written
  std::vector<WrittenFile> files;
};

/// What merge() makes.
struct Merged {
  Model model;         ///< both in one
  MergeReport report;  ///< how they are connected
};

/// Throws Error when the models do not fit: a name that does not exist, types that differ, opsets in which an op of
/// either means something else.
Merged merge(const Model& first, const Model& second, const MergeOptions& options = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const MergeReport& report);

}  // namespace onnxpress
