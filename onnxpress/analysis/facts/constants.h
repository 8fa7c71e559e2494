// ConstantReader: the elements of constants of any size, read or computed when asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::analysis {

// What all questions for constants of a model may cost together, and which results could not be computed.
struct ConstantWork {
  ops::EvaluationMeter meter;
  std::unordered_set<std::uint32_t> failed;  // ids of values
};

ops::EvaluationBudget budget_for_constants(const Model& model);

class ConstantReader {
 public:
  ConstantReader(const Facts& facts, ConstantWork& work) : facts_(facts), work_(work) {}

  // Nullopt for a value of more than `most` elements. Values that it is computed from may be larger: those are limited
  // by the meter.
  std::optional<ops::Array> read(const Value& value, std::uint64_t most);

 private:
  std::optional<ops::Array> read_all(const Value& value, int depth);
  std::optional<ops::Array> stored(const Value& value) const;
  std::optional<ops::Array> computed(const Value& value, int depth);
  std::optional<ops::Array> evaluated(const Node& node, const ops::Op& op, std::size_t index, int depth);

  const Facts& facts_;
  ConstantWork& work_;
  std::size_t nodes_ = 0;
  std::unordered_map<const Value*, std::optional<ops::Array>> read_;  // cache: a value may be needed twice
};

}  // namespace onnxpress::analysis
