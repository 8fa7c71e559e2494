// How much the outputs of a model change when one of its weights is rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// The form of each weight that its sensitivity is measured with, by index: one whose noise is seen at the outputs but
// does not saturate them.
std::vector<std::size_t> forms_with_visible_noise(const std::vector<PlannedWeight>& planned);
// The same for a choice that was made: the chosen form or, if the weight stays as it is, its most precise one.
std::vector<std::size_t> forms_of_choice(const std::vector<PlannedWeight>& planned);

// Sets the sensitivity of each weight by rounding one weight at a time, the largest first, and running the model on
// these inputs, until the runs have taken `most_work` (run_work.h). The estimates for the other weights are scaled by
// the mean factor between measurement and estimate. Returns the weights, by index, that did not change any output.
// Undoes any choice.
std::vector<std::size_t> measure_sensitivity(
    std::vector<PlannedWeight>& planned, OutputError& outputs, std::span<const std::size_t> forms,
    std::span<const std::size_t> probes, double most_work,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
