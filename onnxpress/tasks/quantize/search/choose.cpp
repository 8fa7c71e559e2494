// One function for each goal.
#include "onnxpress/tasks/quantize/search/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/quantize/forms/sampled_rows.h"
#include "onnxpress/tasks/quantize/forms/storable_schemes.h"
#include "onnxpress/tasks/quantize/forms/try_forms.h"
#include "onnxpress/tasks/quantize/search/download.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/quantize/search/preset_choice.h"
#include "onnxpress/tasks/quantize/search/price.h"
#include "onnxpress/tasks/quantize/search/promise.h"
#include "onnxpress/tasks/quantize/search/sensitivity.h"

namespace onnxpress {

namespace {

using weights::Scheme;

void try_all(Work& work, const FormTrials& trials) {
  try_forms(work.model, work.weights, work.request.options, work.request.runtime, trials, work.progress);
}

// --- Forms that were asked for

void take_requested(Work& work) {
  const QuantizeOptions& options = work.request.options;
  if (std::ranges::any_of(work.weights, [](const PlannedWeight& each) { return each.requested.has_value(); }))
    require_storable(work.weights, {}, options);
  try_all(work, {[](const PlannedWeight& each) {
            return each.requested ? std::vector<Scheme>{*each.requested} : std::vector<Scheme>{};
          }});
  for (PlannedWeight& each : work.weights) {
    if (!each.forms.empty()) each.chosen = 0;
  }
  work.add_note(wider_codes_note(work.weights, {}, options));
}

void take_preset(Work& work, const PresetSchemes& preset) {
  const QuantizeOptions& options = work.request.options;
  choose_by_preset(work.weights, preset, options, [&](const FormTrials& trials) { try_all(work, trials); });
  work.add_note(wider_codes_note(work.weights, weights::parse_scheme(preset.schemes.front()), options));
}

// --- What all goals need: the forms of each weight, and how much harm noise in it does

// Has the model so many weights that trying all schemes on all of them would take too long?
bool is_large(const std::vector<PlannedWeight>& planned) {
  double elements = 0;
  for (const PlannedWeight& each : planned) elements += each.source ? static_cast<double>(each.source->count()) : 0;
  return elements > kLimits.rows.many_weights;
}

void try_ladder(Work& work) {
  const QuantizeOptions& options = work.request.options;
  const std::vector<Scheme> all = ladder(options);
  require_storable(work.weights, all, options);
  work.add_note(left_out_note(work.weights, all, options));
  const bool samples_rows = is_large(work.weights);
  try_all(work, {[&](const PlannedWeight& each) {
            if (each.requested) return std::vector<Scheme>{*each.requested};
            if (!samples_rows) return all;
            return promising_schemes(work.model, each, all, options, work.request.runtime, work.request.quality);
          }});
}

// The estimate until sensitivities are measured: a relative error in a layer causes about the same relative error in
// the outputs, however large its weights are.
void estimate_sensitivity(Work& work) {
  for (PlannedWeight& each : work.weights) {
    if (each.forms.empty()) continue;
    const bool absolute = work.request.options.weight_quality > 0;  // only the weights count, and all count the same
    each.sensitivity = absolute ? 1 : 1 / std::max(each.forms.front().error.signal, 1e-30);
  }
}

void measure_sensitivity(Work& work) {
  OutputError& outputs = work.outputs();
  onnxpress::measure_sensitivity(work.weights, outputs, forms_with_visible_noise(work.weights), outputs.to_choose(),
                                 2 * kLimits.sensitivity.work, work.progress);
}

// --- Goals

// Bytes of everything except the weights.
std::uint64_t bytes_besides_weights(const Work& work) {
  std::uint64_t before = 0;
  for (const PlannedWeight& each : work.weights) before += each.before;
  const std::uint64_t size = format::encoded_size(work.model).total();
  return size > before ? size - before : 0;
}

void choose_by_size(Work& work, std::uint64_t most) {
  const std::uint64_t other = bytes_besides_weights(work);
  if (choose_most_precise(work.weights, [&] { return other + bytes_of_choice(work.weights) <= most; })) return;
  throw Error("",
              fmt::format("the file cannot get smaller than {} bytes, of which {} are not weights",
                          other + bytes_of_choice(work.weights), other),
              "raise option `max_size`, or lower option `min_elements`");
}

void choose_by_weights(Work& work, double quality) {
  const auto good = [&] { return error_of_choice(work.weights).sqnr() >= quality; };
  choose_smallest_good_enough(work.weights, kLimits.price.questions,
                              good);  // cannot fail: without rounding, any quality is met
}

// Explains why the file is as large as before: names the output that loses too much even with the most precise forms.
void note_nothing_rounded(Work& work) {
  OutputError& outputs = work.outputs();
  for (PlannedWeight& each : work.weights) {
    if (!each.dynamic && !each.forms.empty()) each.chosen = each.forms.size() - 1;  // the most precise
  }
  const std::vector<Loss> losses = outputs.losses_with(work.weights, outputs.all());
  for (PlannedWeight& each : work.weights) each.chosen.reset();
  const auto worst = std::ranges::min_element(losses, {}, &Loss::snr);
  if (worst == losses.end() || !std::isfinite(worst->snr)) return;
  work.add_note(fmt::format(
      "no weight was rounded: even with the most precise forms, output {} keeps only {:.1f} dB for {} inputs; its "
      "values are about {:.1g} for the inputs tried, and real inputs (option `samples`) may allow more",
      quote_name(outputs.output_name(worst->output)), worst->snr,
      outputs.kind_of(static_cast<std::size_t>(worst - losses.begin())), outputs.output_level(worst->output)));
}

void choose_for_outputs(Work& work, double quality) {
  const QualityResult result =
      choose_by_quality(work.weights, work.working_outputs(),
                        {.quality = quality, .may_miss = work.request.options.may_miss / 100}, work.progress);
  if (result.without_effect > 0) {
    work.add_note(
        fmt::format("{} changed no output when rounded alone, so each keeps at least {:.0f} dB itself; inputs that "
                    "need them (option `value`, option `samples`) would tell more",
                    analysis::counted(result.without_effect, "weight"), quality));
  }
  if (std::ranges::none_of(work.weights, [](const PlannedWeight& each) { return each.chosen.has_value(); }))
    note_nothing_rounded(work);
}

void choose_by_goal(Work& work) {
  const QuantizeOptions& options = work.request.options;
  try_ladder(work);
  estimate_sensitivity(work);
  const bool by_size = options.max_size > 0 || options.max_download;
  if (by_size && work.request.compensates && work.outputs().works()) measure_sensitivity(work);
  if (options.max_size > 0) return choose_by_size(work, options.max_size);
  if (options.max_download) return choose_by_download(work, *options.max_download);
  if (options.weight_quality > 0) return choose_by_weights(work, options.weight_quality);
  if (options.max_error > 0) {
    return choose_smallest(work.weights, [&](const WeightForm& form) {
      return form.error.largest <= options.max_error * form.error.largest_weight;
    });
  }
  choose_for_outputs(work, work.request.quality);
}

double mean_ratio(const std::vector<Loss>& losses) {
  double sum = 0;
  for (const Loss& loss : losses) sum += std::log(std::max(loss.ratio, 1e-15));
  return sum;
}

}  // namespace

void choose(Work& work) {
  if (work.request.chooses) return choose_by_goal(work);
  if (work.request.preset) return take_preset(work, *work.request.preset);
  take_requested(work);
}

void keep_better_rounding(Work& work) {
  const bool is_checked = work.request.chooses && work.request.quality > 0;
  if (is_checked || !work.request.compensates || !work.outputs().works()) return;
  begin_stage("measuring outputs");
  OutputError& outputs = work.outputs();
  const double compensated = mean_ratio(outputs.losses_with(work.weights, outputs.all()));
  std::vector<PlannedWeight> plain = work.weights;
  for (PlannedWeight& each : plain) {
    if (!each.chosen || !each.forms[*each.chosen].plain) continue;
    const WeightForm form = *each.forms[*each.chosen].plain;
    each.forms[*each.chosen] = form;
  }
  if (mean_ratio(outputs.losses_with(plain, outputs.all())) >= compensated) return;
  std::swap(work.weights, plain);
  if (!still_fits(work)) std::swap(work.weights, plain);
}

}  // namespace onnxpress
