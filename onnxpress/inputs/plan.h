// Inputs to compare two models on: made up from what is known about the first model, most informative first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/inputs/input_set.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/inputs/run_budget.h"
#include "onnxpress/inputs/sizes.h"

namespace onnxpress::inputs {

class InputPlan {
 public:
  // `values` are inputs that always have this value.
  InputPlan(const Model& model, const analysis::Facts& facts, engines::NamedArrays values, std::uint64_t seed);

  // Looks for sizes of open dims that the model accepts: `run` throws Error for those that it does not. Throws the
  // first such Error when no size works.
  InputSet first(const std::function<void(const InputSet&)>& run, const SizePolicy& policy = kSmallSizes);

  // How many different kinds there are after the first: other branches, other sizes of each symbol, images, speech,
  // extreme numbers, zeros. After those there is only more noise, for each branch in turn.
  std::size_t kinds() const { return recipes_.size(); }
  // The i-th after the first. Throws Error when it cannot be made.
  InputSet make(std::size_t i) const;

 private:
  // Small float inputs in addition to the data are often thresholds, shares or counts.
  enum class Settings { kRandom, kShares, kOnes };
  struct Recipe {
    std::optional<InputKind> kind = std::nullopt;  // nullopt: random numbers of each type
    bool edges = false;                            // floats are numbers that implementations often get wrong
    OpenDims open;
    std::uint64_t seed = 0;
    bool flips = false;      // bools are the opposite of the first trial's
    std::size_t choice = 0;  // index into the numbers that a setting is compared with; past the end: another number
    Settings settings = Settings::kRandom;
  };
  InputSet made(const Recipe& recipe) const;
  ops::Array array_for(const Value& input, const Recipe& recipe) const;
  // Throws Error when no size works.
  InputSet first_with(Settings settings, const std::function<void(const InputSet&)>& run, const SizePolicy& policy);
  bool is_setting(const Value& input) const;
  bool is_too_large(const OpenDims& open) const;
  void plan_others(const Recipe& first);
  std::int64_t size_of(const Symbol* symbol, const OpenDims& open) const {
    return open.size_of(*symbol, facts_.dims());
  }

  const Model& model_;
  const analysis::Facts& facts_;
  engines::NamedArrays values_;
  std::uint64_t seed_;
  std::vector<const Value*> inputs_;    // those that must be given
  std::vector<const Symbol*> symbols_;  // of their dims
  std::map<const Value*, std::vector<std::int64_t>>
      settings_;             // numbers that integers of one element are compared with
  std::size_t choices_ = 0;  // the largest count of such numbers
  bool has_bools_ = false, has_floats_ = false, has_settings_ = false;
  std::optional<RunBudget> budget_;
  std::vector<Recipe> recipes_;
  // The first recipe, and those that make the model take other branches; noise is made for each.
  std::vector<Recipe> branches_;
};

}  // namespace onnxpress::inputs
