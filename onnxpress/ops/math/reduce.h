// Reductions of axes to one number each: sums, products, norms, largest and smallest elements.
#pragma once

#include <cstdint>

namespace onnxpress::ops {

class Call;
class Inference;

enum class Reduction : std::uint8_t {
  kSum,
  kMean,
  kMax,
  kMin,
  kProd,
  kL1,
  kL2,
  kLogSum,
  kLogSumExp,
  kSumSquare,
};

bool evaluate_reduction(Call& call, Reduction kind);
void infer_reduction(Inference& in, Reduction kind);

}  // namespace onnxpress::ops
