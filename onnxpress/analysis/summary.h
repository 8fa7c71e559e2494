// A summary of a model: versions, interface, nodes by op, weights by type. Reads no weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "onnxpress/analysis/tensor_list.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

// Each struct lists its fields once, with their descriptions; JSON and documentation are generated from that list
// (tasks/report/fields.h).

struct OpsetLine {
  std::string domain;  // "ai.onnx" for the standard domain
  std::int64_t version = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("domain", &OpsetLine::domain, "operator domain; `ai.onnx` is the standard one");
    visit("version", &OpsetLine::version, "version of the domain's operators");
  }
};

struct ValueLine {
  using DimText = std::variant<std::monostate, std::int64_t, std::string>;  // unknown, a size, a symbol

  std::string name, type;
  std::string element;                        // tensors
  std::optional<std::vector<DimText>> shape;  // tensors whose rank is known

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &ValueLine::name, "name of the value");
    visit("type", &ValueLine::type, "its type as ONNX text writes it, such as `float[batch,3]`");
    visit("element", &ValueLine::element, "element type of a tensor, empty for other types");
    visit("shape", &ValueLine::shape,
          "sizes (numbers), symbols (texts) and unknown dimensions (null); null when not even the rank is known");
  }
};

struct OpCount {
  std::string op, domain;
  std::uint64_t nodes = 0;
  bool function = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("op", &OpCount::op, "operator");
    visit("domain", &OpCount::domain, "its domain");
    visit("nodes", &OpCount::nodes, "how many nodes use it, including bodies and functions");
    visit("function", &OpCount::function, "true when it is a function of the model itself");
  }
};

struct NodeCounts {
  std::uint64_t total = 0, main_graph = 0, bodies = 0, functions = 0, training = 0;
  std::vector<OpCount> by_op;  // most frequent first

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("total", &NodeCounts::total, "all nodes");
    visit("main_graph", &NodeCounts::main_graph, "of these, in the main graph itself");
    visit("bodies", &NodeCounts::bodies, "of these, in bodies of If, Loop, Scan, ... of the main graph");
    visit("functions", &NodeCounts::functions, "of these, in the model's functions (each function counted once)");
    visit("training", &NodeCounts::training, "of these, in training graphs");
    visit("by_op", &NodeCounts::by_op, "nodes by operator, most frequent first");
  }
};

struct MetadataLine {
  std::string key, value;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("key", &MetadataLine::key, "name of the property");
    visit("value", &MetadataLine::value, "its text");
  }
};

struct Summary {
  std::optional<std::int64_t> ir_version, model_version;
  std::string producer_name, producer_version, domain, doc, graph;
  std::vector<OpsetLine> opsets;
  std::vector<ValueLine> inputs, outputs, inputs_with_default;
  NodeCounts nodes;
  std::uint64_t bodies = 0, deepest_body = 0, functions = 0, training_graphs = 0;
  std::vector<MetadataLine> metadata;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("ir_version", &Summary::ir_version, "version of the file format");
    visit("model_version", &Summary::model_version, "version that the author gave the model");
    visit("producer_name", &Summary::producer_name, "program that wrote the model");
    visit("producer_version", &Summary::producer_version, "its version");
    visit("domain", &Summary::domain, "domain of the model");
    visit("doc", &Summary::doc, "description of the model");
    visit("opsets", &Summary::opsets, "imported operator sets");
    visit("graph", &Summary::graph, "name of the main graph");
    visit("inputs", &Summary::inputs, "what the caller must provide");
    visit("inputs_with_default", &Summary::inputs_with_default,
          "what the caller may override: initializers that are listed as inputs");
    visit("outputs", &Summary::outputs, "outputs of the model");
    visit("nodes", &Summary::nodes, "counts of nodes");
    visit("bodies", &Summary::bodies, "graphs inside nodes (If, Loop, Scan, ...), at any depth");
    visit("deepest_body", &Summary::deepest_body, "how deep they are nested");
    visit("functions", &Summary::functions, "functions that the model defines");
    visit("training_graphs", &Summary::training_graphs, "graphs for training");
    visit("metadata", &Summary::metadata, "properties of the model");
  }
};

Summary summarize(const Model& model);

// Weights of one element type, or in one place.
struct WeightGroup {
  std::string name;
  std::uint64_t tensors = 0, parameters = 0, bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &WeightGroup::name, "element type, or place");
    visit("tensors", &WeightGroup::tensors, "how many tensors");
    visit("parameters", &WeightGroup::parameters, "their elements");
    visit("bytes", &WeightGroup::bytes, "bytes of their content");
  }
};

struct WeightTotals {
  std::uint64_t tensors = 0, parameters = 0, bytes = 0, wrong_size = 0;
  std::vector<WeightGroup> by_type, by_place;  // largest first

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensors", &WeightTotals::tensors,
          "how many tensors there are, including Constant nodes, bodies and functions");
    visit("parameters", &WeightTotals::parameters, "their elements (indices of sparse tensors do not count)");
    visit("bytes", &WeightTotals::bytes, "bytes of their content");
    visit("wrong_size", &WeightTotals::wrong_size,
          "tensors whose data does not have the size that type and shape require");
    visit("by_type", &WeightTotals::by_type, "the same by element type, largest first");
    visit("by_place", &WeightTotals::by_place, "the same by place: initializer, Constant node, ...");
  }
};

WeightTotals total(const TensorList& tensors);

}  // namespace onnxpress::analysis
