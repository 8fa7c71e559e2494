// Do two models compute the same, as far as our evaluator tells? Inputs are made up; differences are judged against how
// sensitive the original is by itself.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/inputs/bindings.h"

namespace onnxpress::tasks {

struct ResultComparison {
  bool done = false;     // both ran
  bool differs = false;  // the second does not run, has other shapes, or is further off than the floor allows
  std::string reason;    // why it was not done, or what differs
  std::uint64_t runs = 0;
  double largest_difference = 0;  // as a share of the largest element of the output
  double floor = 0;               // the same for the original with inputs changed by a millionth
};

ResultComparison compare_results(const Model& original, const Model& result, const BindingOptions& bindings);

}  // namespace onnxpress::tasks
