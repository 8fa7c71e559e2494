// Rounds every weight in all ways that are to be tried; each core takes one weight at a time.
#include "onnxpress/tasks/quantize/forms/try_forms.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/stages.h"

namespace onnxpress {

void try_forms(const Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options,
               weights::Target target, const FormTrials& trials,
               const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  begin_stage("rounding weights");
  std::uint64_t total = 0, done = 0;
  for (const PlannedWeight& each : planned) total += each.before;
  std::mutex mutex;
  parallel_for(planned.size(), [&](std::size_t i) {
    PlannedWeight& each = planned[i];
    if (each.reason_kept.empty() && !each.dynamic) {
      std::optional<weights::LayerRounding> layer;
      if (each.layer) layer.emplace(*each.source, each.layer);
      for (const weights::Scheme& scheme : trials.schemes_for(each)) {
        auto form = make_form(model, each, scheme, options, target, layer ? &*layer : nullptr);
        if (!form) continue;
        each.forms.push_back(std::move(*form));
        if (trials.is_enough && trials.is_enough(each, each.forms.back())) break;
      }
      std::ranges::stable_sort(each.forms, {}, &WeightForm::cost);
      each.layer.reset();
    }
    if (!progress) return;
    const std::lock_guard lock(mutex);
    progress(done += each.before, total);
  });
}

}  // namespace onnxpress
