// Copies a node, with other operands.
#pragma once

#include <span>
#include <vector>

#include "onnxpress/ir/graph.h"

namespace onnxpress::passes {

// The parts of a copy of the node that has these operands and results.
inline NodeParts parts_with(const Node& node, std::span<Value* const> operands, std::span<Value* const> results) {
  return {.op_type = node.op_type(),
          .domain = node.domain(),
          .overload = node.overload(),
          .name = node.name(),
          .doc = node.doc(),
          .inputs = operands,
          .outputs = results,
          .attributes = node.attributes(),
          .metadata = node.metadata(),
          .device_configurations = node.device_configurations()};
}

// Inserts the copy in front of `node`, with its attributes and as many results.
inline Node* copy_with(Node& node, std::span<Value* const> operands) {
  Graph& graph = *node.graph();
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.output_count(); ++i) results.push_back(graph.create_value({}));
  return graph.insert_before(&node, parts_with(node, operands, results));
}

}  // namespace onnxpress::passes
