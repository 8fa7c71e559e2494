// Inputs to compare two models on: made up from what is known about the first one, the most telling first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/inputs/random_input.h"
#include "onnxpress/tasks/verify/engine.h"

namespace onnxpress::tasks {

struct Trial {
  std::string about;  // "random, N=2", or the file it is from
  NamedArrays inputs;
};

class Trials {
 public:
  // `values` are inputs that always have this value.
  Trials(const Model& model, const analysis::Facts& facts, NamedArrays values, std::uint64_t seed);

  // Looks for sizes of open dims that the model takes: `run` throws Error for those that it does not. Throws the first
  // such Error when no size will do.
  Trial first(const std::function<void(const Trial&)>& run);

  // How many different kinds there are after the first: other branches, other sizes of each symbol, smooth and extreme
  // numbers, zeros. Beyond them there is only other noise.
  std::size_t kinds() const { return plans_.size(); }
  // The i-th after the first. Throws Error when it cannot be made.
  Trial make(std::size_t i) const;

 private:
  struct Plan {
    std::string how = "random";
    OpenDims open;
    std::uint64_t seed = 0;
    bool flips = false;  // bools are the opposite of the first trial's
  };
  Trial made(const Plan& plan) const;
  ops::Array array_for(const Value& input, const Plan& plan) const;
  bool is_too_large(const OpenDims& open) const;
  std::vector<OpenDims> sizes_to_try() const;
  void plan_others(const OpenDims& open);
  std::int64_t size_of(const Symbol* symbol, const OpenDims& open) const;

  const Model& model_;
  const analysis::Facts& facts_;
  NamedArrays values_;
  std::uint64_t seed_;
  std::vector<const Value*> inputs_;    // those that must be given
  std::vector<const Symbol*> symbols_;  // of their dims
  bool has_bools_ = false, has_floats_ = false;
  std::vector<Plan> plans_;
};

}  // namespace onnxpress::tasks
