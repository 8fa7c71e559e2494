// A copy of a model that rounds everything it computes once more, to see how much that moves its outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::compare {

// The directions of rounding are random, so they are drawn several times.
constexpr std::size_t kDraws = 16;

// Each weight is moved up or down by a unit in the last place, as when factors are folded into weights. Each float that
// a node computes is multiplied by a factor around 1, as when sums are computed in another order. In models that
// quantize their values, this moves some of them by a whole step, which a change of the inputs may not do. The factors
// are inputs, so that the model is loaded only once for all draws.
class RoundedModel {
 public:
  RoundedModel(const Model& model, const analysis::Facts& facts, double epsilon);

  Model& model() { return model_; }
  // Arrays for the additional inputs. Later draws move by a few units, because some rewrites round several times.
  engines::NamedArrays factors(std::size_t draw) const;

 private:
  struct Factor {
    std::string input;
    ElementType type;
    std::int64_t size;  // along the last axis; 1 where it is not known
  };
  void round_weights();
  Value* add_factor_input(const ops::Fact& fact);

  Model model_;
  double epsilon_;
  std::vector<Factor> factors_;
};

}  // namespace onnxpress::compare
