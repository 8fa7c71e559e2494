// Bodies of Loop, Scan and If, made again: each iteration in the place of the node, or without what nobody needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// The nodes of a body, those of bodies inside included; Constant nodes do not count.
std::int64_t nodes_in(const Graph& body);

// Writes the iterations of a body one after the other, in front of the node that it belongs to.
class Unroller {
 public:
  Unroller(const Graph& body, Node& node, Rewriter& rw);

  // False when the body has constants that cannot be read; then nothing may be copied.
  bool can_copy() const { return can_copy_; }
  // What the outputs of the body are in one iteration. `inputs` are those of the body; `title` is put before the names
  // of nodes.
  std::vector<Value*> copy(std::span<Value* const> inputs, std::string title);
  // Whoever reads results of the node reads these, and the node goes. False, and nothing done, when one is null.
  bool finish(std::span<Value* const> results);

 private:
  const Graph& body_;
  Node& node_;
  Rewriter& rw_;
  bool can_copy_ = true;
  std::vector<Value*> constants_;  // of the initializers of the body, once for all iterations
};

// A copy of a body without one of its inputs, which nothing may read, and without one of its outputs.
Graph* body_without(const Graph& body, std::optional<std::size_t> input, std::optional<std::size_t> output,
                    Model& model);

// The same node with other attributes, without one operand and without one result, which nothing may read.
void rebuild_without(Node& node, std::optional<std::size_t> operand, std::optional<std::size_t> result,
                     std::span<Attribute* const> attributes, Rewriter& rw);

// The attributes of a node with another body.
std::vector<Attribute*> attributes_with(const Node& node, std::string_view name, Graph* body, Model& model);

}  // namespace onnxpress::passes
