// Rounds one weight at a time, runs the model, and keeps how much the outputs change.
#include "onnxpress/tasks/quantize/search/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

namespace {

// Noise over signal of the worst output, averaged over the inputs.
double mean_ratio(std::vector<PlannedWeight>& planned, OutputError& outputs, std::span<const std::size_t> probes) {
  double sum = 0;
  for (const Loss& loss : outputs.losses_with(planned, probes)) sum += loss.ratio;
  return sum / static_cast<double>(std::max<std::size_t>(1, probes.size()));
}

// Weights that can be rounded, the largest first.
std::vector<std::size_t> largest_first(const std::vector<PlannedWeight>& planned) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (!planned[i].dynamic && !planned[i].forms.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return planned[i].before; });
  return order;
}

}  // namespace

std::vector<std::size_t> forms_with_visible_noise(const std::vector<PlannedWeight>& planned) {
  std::vector<std::size_t> forms;
  for (const PlannedWeight& each : planned) {
    const auto form = std::ranges::min_element(each.forms, {}, [](const WeightForm& any) {
      return any.noise > 0 ? std::abs(any.quality() - kLimits.sensitivity.visible_noise) : 1e9;
    });
    forms.push_back(static_cast<std::size_t>(form - each.forms.begin()));
  }
  return forms;
}

std::vector<std::size_t> forms_of_choice(const std::vector<PlannedWeight>& planned) {
  std::vector<std::size_t> forms;
  for (const PlannedWeight& each : planned)
    forms.push_back(each.chosen.value_or(each.forms.empty() ? 0 : each.forms.size() - 1));
  return forms;
}

std::vector<std::size_t> measure_sensitivity(
    std::vector<PlannedWeight>& planned, OutputError& outputs, std::span<const std::size_t> forms,
    std::span<const std::size_t> probes, double most_work,
    const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  begin_stage("measuring how much each weight matters");
  for (PlannedWeight& each : planned) {
    if (!each.dynamic) each.chosen.reset();
  }
  const std::vector<std::size_t> order = largest_first(planned);
  const double affordable = std::clamp(most_work / outputs.work_of_trial(probes.size()), 1.0, 1e9);
  const std::size_t measured = std::min(order.size(), static_cast<std::size_t>(affordable));
  std::vector<std::size_t> without_effect;
  double logarithms = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < measured; ++i) {
    if (progress) progress(i, measured);
    PlannedWeight& each = planned[order[i]];
    const double noise = each.forms[forms[order[i]]].noise;
    if (noise <= 0) continue;
    each.chosen = forms[order[i]];
    const double ratio = mean_ratio(planned, outputs, probes);
    each.chosen.reset();
    if (ratio == 0) without_effect.push_back(order[i]);
    if (!(ratio > 0) || !std::isfinite(ratio) || ratio > 1e20) continue;
    // The measured sensitivity over the estimate, 1 / signal.
    logarithms += std::log(ratio / noise / each.sensitivity);
    ++counted;
    each.sensitivity = ratio / noise;
  }
  const double mean = counted > 0 ? std::exp(logarithms / static_cast<double>(counted)) : 1;
  for (std::size_t i = measured; i < order.size(); ++i) planned[order[i]].sensitivity *= mean;
  return without_effect;
}

}  // namespace onnxpress
