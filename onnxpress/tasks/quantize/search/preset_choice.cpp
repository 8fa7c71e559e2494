// Takes the first scheme of a preset that is good enough for a weight or, if none is, the best.
#include "onnxpress/tasks/quantize/search/preset_choice.h"

#include <algorithm>

#include "onnxpress/tasks/quantize/forms/storable_schemes.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/quantize/search/price.h"

namespace onnxpress {

using weights::Scheme;

namespace {

// The number of elements of the largest tensor that counts as small. Together, small tensors have only a small part
// of all weights.
std::uint64_t largest_of_small(const std::vector<PlannedWeight>& planned) {
  std::vector<std::uint64_t> counts;
  double all = 0, sum = 0;
  for (const PlannedWeight& each : planned) {
    if (!each.reason_kept.empty() || each.dynamic) continue;
    counts.push_back(each.source->count());
    all += static_cast<double>(counts.back());
  }
  std::ranges::sort(counts);
  std::uint64_t largest = 0;
  for (const std::uint64_t count : counts) {
    sum += static_cast<double>(count);
    if (count >= kLimits.presets.small_elements || sum > kLimits.presets.small_part * all) break;
    largest = count;
  }
  return largest;
}

}  // namespace

void choose_by_preset(std::vector<PlannedWeight>& planned, const PresetSchemes& preset, const QuantizeOptions& options,
                      const std::function<void(const FormTrials&)>& try_all) {
  std::vector<Scheme> schemes;
  for (const std::string_view each : preset.schemes) schemes.push_back(weights::parse_scheme(each));
  const bool few_bits = schemes.front().codes == weights::Codes::kInteger && schemes.front().bits < 8;
  require_storable(planned, {schemes.front()}, options);
  if (few_bits) schemes.push_back(weights::parse_scheme("int8"));
  const std::uint64_t small = preset.for_small.empty() ? 0 : largest_of_small(planned);
  const auto is_small = [small](const PlannedWeight& each) { return each.source && each.source->count() <= small; };
  std::vector<Scheme> small_schemes = schemes;
  if (small > 0) small_schemes.insert(small_schemes.begin(), weights::parse_scheme(preset.for_small));
  try_all({.schemes_for =
               [&](const PlannedWeight& each) {
                 if (each.requested) return std::vector<Scheme>{*each.requested};
                 return is_small(each) ? small_schemes : schemes;
               },
           .is_enough =
               [&](const PlannedWeight& each, const WeightForm& form) {
                 return is_small(each) || (preset.least > 0 && form.weight_quality() >= preset.least);
               }});
  choose_smallest(planned, [&](const WeightForm& form) { return form.weight_quality() >= preset.least; });
  for (PlannedWeight& each : planned) {
    if (each.chosen || each.forms.empty()) continue;
    const auto best =
        std::ranges::max_element(each.forms, {}, [](const WeightForm& form) { return form.weight_quality(); });
    each.chosen = static_cast<std::size_t>(best - each.forms.begin());
  }
}

}  // namespace onnxpress
