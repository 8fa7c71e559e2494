// The inner values of a model, as an engine computes them for some inputs.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "onnxpress/engines/engine.h"

namespace onnxpress::compare {

class Recorder {
 public:
  // The model is changed by inline_branches() only.
  Recorder(const engines::Engine& engine, Model& model, engines::NamedArrays inputs)
      : engine_(engine), model_(model), inputs_(std::move(inputs)) {}

  // Replaces Ifs of the main graph by the branch that is taken, where that is possible. Returns how many.
  std::uint64_t inline_branches();

  using Values = std::unordered_map<const Value*, ops::Datum>;
  // Results of nodes in the main graph. Throws Error when the model does not run.
  Values record(std::span<Value* const> values) const { return record(values, inputs_); }
  Values record(std::span<Value* const> values, const engines::NamedArrays& inputs) const;
  // All results of nodes in the main graph, and the inputs.
  Values record_all() const;

  const engines::NamedArrays& inputs() const { return inputs_; }

 private:
  Values with_inputs(Values known) const;

  const engines::Engine& engine_;
  Model& model_;
  engines::NamedArrays inputs_;
};

// Results of the nodes of the main graph, in order.
std::vector<Value*> results_of(const Model& model);

}  // namespace onnxpress::compare
