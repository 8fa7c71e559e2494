// Tries schemes on all weights of a plan that may change, on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

struct FormTrials {
  std::function<std::vector<weights::Scheme>(const PlannedWeight&)> schemes_for;
  std::function<bool(const PlannedWeight&, const WeightForm&)> is_enough = {};  // if true, no more schemes are tried
};

// Fills `forms` of each weight with what can be stored, smallest first. Drops the recorded inputs of layers (`layer`),
// which are not needed afterwards.
void try_forms(const Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options,
               weights::Target target, const FormTrials& trials,
               const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
