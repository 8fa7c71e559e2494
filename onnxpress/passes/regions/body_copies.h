// Rebuilds bodies of Loop, Scan and If: unrolled in place of the node, or without unneeded values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// What a body does in its iterations: it carries states from one to the next, and each iteration adds to the results.
struct Iterations {
  std::int64_t count = 0;
  std::vector<Value*> states;   // before the first iteration
  std::size_t first_state = 0;  // the output of the body that is the first state
  struct Collected {
    std::int64_t axis = 0;  // along which the results of the iterations are stacked
    bool backwards = false;
  };
  std::vector<Collected> collected;  // the outputs of the body after the states
  // The inputs of the body in an iteration, given the states.
  std::function<std::vector<Value*>(std::int64_t i, std::vector<Value*> states)> inputs;
};

// Writes the iterations of a body one after the other, in front of the node that it belongs to.
class Unroller {
 public:
  Unroller(const Graph& body, Node& node, Rewriter& rw) : body_(body), node_(node), rw_(rw) {}

  // Whether the copied nodes are few, and all constants of the body can be read. Each iteration adds `added` nodes.
  bool can_unroll(std::int64_t count, std::int64_t added = 0) const;
  // Replaces the node's results by those of the copied iterations, and removes the node. False, and nothing is changed,
  // when a value cannot be built, when more nodes would stay than the node and its body have, or when an output of the
  // model turns out to have another shape than it declares.
  bool unroll(const Iterations& iterations);

 private:
  std::vector<Value*> copy_all(const Iterations& iterations);
  // Copies the body for one iteration and returns its outputs; `title` is put before the names of nodes. Copies that
  // are constant in this iteration are folded.
  std::vector<Value*> copy(std::span<Value* const> inputs, std::string title);
  bool is_better(std::span<Value* const> results);
  void finish(std::span<Value* const> results);
  void undo();

  const Graph& body_;
  Node& node_;
  Rewriter& rw_;
  std::uint32_t first_new_ = 0;    // the id of the first node that unrolling made
  std::vector<Value*> constants_;  // the initializers of the body, shared by all iterations
};

// A copy of a body without one of its inputs, which nothing may read, and without one of its outputs.
Graph* body_without(const Graph& body, std::optional<std::size_t> input, std::optional<std::size_t> output,
                    Model& model);

// Replaces the node by one with these attributes, without one operand and without one result, which nothing may read.
void rebuild_without(Node& node, std::optional<std::size_t> operand, std::optional<std::size_t> result,
                     std::span<Attribute* const> attributes, Rewriter& rw);

// The attributes of a node, with `body` as the value of attribute `name`.
std::vector<Attribute*> attributes_with(const Node& node, std::string_view name, Graph* body, Model& model);

}  // namespace onnxpress::passes
