// The report of the task "graph" for the page, with the fields of its JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onnxpress::web {

struct DrawnBody {
  std::string attribute;
  std::uint64_t graph = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("attribute", &DrawnBody::attribute, "which attribute holds it; empty for a function that the node calls");
    visit("graph", &DrawnBody::graph, "its number among the graphs");
  }
};

struct DrawnNode {
  std::string name, op, domain;
  std::vector<std::string> inputs, captured, outputs;
  std::vector<DrawnBody> bodies;
  std::string text;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &DrawnNode::name, "name of the node");
    visit("op", &DrawnNode::op, "its operator");
    visit("domain", &DrawnNode::domain, "domain of the operator; empty for ONNX's own");
    visit("inputs", &DrawnNode::inputs, "its operands; omitted ones are empty, as in files");
    visit("captured", &DrawnNode::captured, "values that its bodies read from outside");
    visit("outputs", &DrawnNode::outputs, "its results");
    visit("bodies", &DrawnNode::bodies, "graphs that it runs");
    visit("text", &DrawnNode::text, "the node as ONNX text, long attributes and bodies shortened");
  }
};

struct DrawnValue {
  std::string name, type;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &DrawnValue::name, "name of the value");
    visit("type", &DrawnValue::type, "element type and shape");
  }
};

struct DrawnWeight {
  std::string name, type;
  std::uint64_t bytes = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &DrawnWeight::name, "name of the weight");
    visit("type", &DrawnWeight::type, "element type and shape");
    visit("bytes", &DrawnWeight::bytes, "its size");
  }
};

struct DrawnGraph {
  std::string name, function;
  std::optional<std::uint64_t> parent;
  std::vector<std::string> inputs, outputs;
  std::vector<DrawnNode> nodes;
  std::vector<DrawnValue> values;
  std::vector<DrawnWeight> weights;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &DrawnGraph::name, "name of the graph");
    visit("function", &DrawnGraph::function, "domain and name of the function whose body it is");
    visit("parent", &DrawnGraph::parent, "number of the graph that it is a body in");
    visit("inputs", &DrawnGraph::inputs, "names of its inputs");
    visit("outputs", &DrawnGraph::outputs, "names of its outputs");
    visit("nodes", &DrawnGraph::nodes, "nodes in their order");
    visit("values", &DrawnGraph::values, "inferred types of inputs and results; not in functions");
    visit("weights", &DrawnGraph::weights, "initializers");
  }
};

struct DrawnModel {
  std::vector<DrawnGraph> graphs;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("graphs", &DrawnModel::graphs, "the main graph, its bodies, functions, training graphs");
  }
};

}  // namespace onnxpress::web
