// The inner values of a model, as an engine computes them for some inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
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

// A value of the main graph, the number of the set of inputs, and what the value is for those inputs.
using TakeValue = std::function<void(Value& value, std::size_t set, const ops::Array& array)>;

// Calls `take` with each of these values for each set of inputs, if the value is an array. Records a few values at a
// time, so that they fit into memory, on one set after the other. Throws Error when the model does not run.
void record_each(const Model& model, const engines::Engine& engine, const engines::EngineSettings& settings,
                 std::span<Value* const> values, std::span<const engines::NamedArrays* const> sets,
                 const TakeValue& take, const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

// Results of the nodes of the main graph, in order.
std::vector<Value*> results_of(const Model& model);

// Splits the values into parts that are small enough to be recorded together. Each value is in one part only.
std::vector<std::vector<Value*>> parts_to_record(std::span<Value* const> values, const analysis::Facts& facts);

}  // namespace onnxpress::compare
