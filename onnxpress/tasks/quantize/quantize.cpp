// Turns options into a choice for each weight, and applies it to the model.
#include "onnxpress/tasks/quantize/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/tasks/quantize/forms/recipe.h"
#include "onnxpress/tasks/quantize/forms/sampled_rows.h"
#include "onnxpress/tasks/quantize/forms/storable_schemes.h"
#include "onnxpress/tasks/quantize/forms/try_forms.h"
#include "onnxpress/tasks/quantize/insert_choice.h"
#include "onnxpress/tasks/quantize/integer/dynamic_plan.h"
#include "onnxpress/tasks/quantize/integer/static_plan.h"
#include "onnxpress/tasks/quantize/layers/layer_inputs.h"
#include "onnxpress/tasks/quantize/layers/scale_channels.h"
#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/search/preset_choice.h"
#include "onnxpress/tasks/quantize/search/price.h"
#include "onnxpress/tasks/quantize/search/promise.h"
#include "onnxpress/tasks/quantize/search/sensitivity.h"
#include "onnxpress/tasks/quantize/weight_plan.h"
#include "onnxpress/tasks/quantize/weight_presets.h"

namespace onnxpress::tasks {

namespace {

using weights::Scheme;
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

constexpr double kAutoQuality = 30, kSmallWeights = 34, kTinyWeights = 22;  // dB

class WeightCompressor {
 public:
  WeightCompressor(Model& model, const CompressOptions& options, weights::Target target, const Progress& progress,
                   std::uint64_t estimated_bytes)
      : model_(model), options_(options), target_(target), progress_(progress), estimated_bytes_(estimated_bytes) {}

  CompressedWeights run() {
    require_one_goal(options_);
    const auto scheme = one_scheme(options_);
    if (options_.is_static) make_static();
    planned_ = plan_weights(model_, options_);
    if (!options_.is_static) require_weights();
    if (!options_.recipe.empty()) apply_recipe(options_.recipe, planned_);
    if (wants_dynamic(options_, planned_)) make_dynamic();
    for (PlannedWeight& each : planned_) {
      if (!each.requested) each.requested = scheme;
    }
    if (compensates()) {
      sample_layers(model_, planned_, output_error(), progress_);
      report_.scaled = scale_channels(model_, planned_, options_, progress_);
    }
    if (chooses(options_) && !scheme)
      choose();
    else if (const PresetSchemes* preset = preset_of(options_))
      take_preset(*preset);
    else
      take_requested();
    keep_better_rounding();
    if (needs_outputs()) measure();
    if (!options_.save_recipe.empty()) save_recipe(options_.save_recipe, planned_);
    describe_choice(planned_, options_, static_loss_, report_);
    insert_choice(model_, planned_, options_, done_);
    for (const ScaledTensor& each : report_.scaled) done_.changes.allow_more(each.tensor, each.largest_change);
    return std::move(done_);
  }

 private:
  bool needs_outputs() const {
    return options_.measure || options_.weights == WeightPreset::kAuto || options_.quality > 0 ||
           !options_.samples.empty() || options_.is_static;
  }

  // By default, errors are compensated where the goal is about outputs, or where the size is given and the outputs
  // should be as good as they can be at that size.
  bool compensates() const {
    if (options_.compensate != Compensate::kAuto) return options_.compensate == Compensate::kOn;
    if (options_.weight_quality > 0 || options_.max_error > 0) return false;
    return options_.rounds_weights() && (options_.weights == WeightPreset::kAuto || options_.quality > 0 ||
                                         options_.max_size > 0 || !options_.samples.empty());
  }

  // Compensation is decided layer by layer. Where no other step checks the outputs, this runs the whole model with and
  // without it, and keeps what gives the better outputs.
  void keep_better_rounding() {
    const bool checked = options_.weights == WeightPreset::kAuto || options_.quality > 0;
    if (checked || !compensates() || !output_error().works()) return;
    begin_stage("measuring outputs");
    const auto all = output_error().all();
    const double compensated = mean_ratio(output_error().losses_with(planned_, all));
    std::vector<PlannedWeight> plain = planned_;
    for (PlannedWeight& each : plain) {
      if (!each.chosen || !each.forms[*each.chosen].plain) continue;
      const WeightForm form = *each.forms[*each.chosen].plain;
      each.forms[*each.chosen] = form;
    }
    if (mean_ratio(output_error().losses_with(plain, all)) < compensated) planned_ = std::move(plain);
  }

  static double mean_ratio(const std::vector<Loss>& losses) {
    double sum = 0;
    for (const Loss& loss : losses) sum += std::log(std::max(loss.ratio, 1e-15));
    return sum;
  }

  // Runs before all measurements, so that they include the rounded activations. The outputs of the original model are
  // recorded before its nodes change.
  void make_dynamic() {
    if (options_.encoding == WeightEncoding::kSimulate)
      throw Error("", "option `encoding=simulate` keeps the model as it is, and option `dynamic` changes its nodes",
                  "use option `measure`, which runs the changed model");
    plan_dynamic(model_, planned_, options_, target_);
    if (needs_outputs()) output_error();
    insert_dynamic(model_, planned_, options_);
    done_.changes.new_nodes = true;
  }

  // Runs before the other steps, which plan the weights that it leaves.
  void make_static() {
    if (options_.wants_dynamic() || options_.encoding == WeightEncoding::kSimulate)
      throw Error("", "option `static` cannot be combined with option `dynamic` or option `encoding=simulate`", "");
    const bool is_auto = options_.weights == WeightPreset::kAuto;
    StaticResult made = quantize_statically(model_, options_, output_error(),
                                            options_.quality > 0 ? options_.quality
                                            : is_auto            ? kAutoQuality
                                                                 : 0,
                                            progress_);
    report_.tensors = std::move(made.lines);
    static_loss_ = {made.noise, made.signal};
    report_.compressed = report_.tensors.size();
    report_.note = std::move(made.note);
    done_.changes.new_nodes = true;
  }

  void require_weights() {
    if (std::ranges::any_of(planned_, [](const PlannedWeight& each) { return each.reason_kept.empty(); })) return;
    if (std::ranges::any_of(planned_, [this](const PlannedWeight& each) {
          return each.source != nullptr || each.weight.tensor->element_count().value_or(0) >= options_.min_elements;
        }))
      return;
    const std::size_t overridable = passes::overridable_initializers(model_).size();
    const std::string what =
        fmt::format("the model has no float weights with at least {} elements", options_.min_elements);
    if (overridable > 0)
      throw Error("",
                  fmt::format("{}, apart from {} that callers may override", what,
                              analysis::counted(overridable, "initializer")),
                  "use option `freeze` if nobody overrides initializers that are also inputs");
    throw Error("", what,
                "lower option `min_elements`, or use option `include` for tensors that no known op takes as a weight");
  }

  void try_all(const FormTrials& trials) { try_forms(model_, planned_, options_, target_, trials, progress_); }

  void take_requested() {
    if (std::ranges::any_of(planned_, [](const PlannedWeight& each) { return each.requested.has_value(); }))
      require_storable(planned_, {}, options_);
    try_all({[](const PlannedWeight& each) {
      return each.requested ? std::vector<Scheme>{*each.requested} : std::vector<Scheme>{};
    }});
    for (PlannedWeight& each : planned_) {
      if (!each.forms.empty()) each.chosen = 0;
    }
    add_note(wider_codes_note(planned_, {}, options_));
  }

  void take_preset(const PresetSchemes& preset) {
    choose_by_preset(planned_, preset, options_, [this](const FormTrials& trials) { try_all(trials); });
    add_note(wider_codes_note(planned_, weights::parse_scheme(preset.schemes.front()), options_));
  }

  void choose() {
    const std::vector<Scheme> all = ladder(options_);
    require_storable(planned_, all, options_);
    add_note(left_out_note(planned_, all, options_));
    const bool is_large = is_large_model();
    try_all({[&](const PlannedWeight& each) {
      if (each.requested) return std::vector<Scheme>{*each.requested};
      return is_large ? promising_schemes(model_, each, all, options_, target_, quality_asked()) : all;
    }});
    set_sensitivity();
    const bool by_size = options_.max_size > 0 || options_.max_download;
    if (by_size && compensates() && output_error().works()) measure_sensitivity();
    if (options_.max_size > 0) return choose_by_size();
    if (options_.max_download) return choose_by_download();
    if (options_.weight_quality > 0) return choose_by_weights();
    if (options_.max_error > 0) {
      return choose_smallest(planned_, [this](const WeightForm& form) {
        return form.error.largest <= options_.max_error * form.error.largest_weight;
      });
    }
    if (options_.weights == WeightPreset::kSmall || options_.weights == WeightPreset::kTiny) {
      const double least = options_.weights == WeightPreset::kSmall ? kSmallWeights : kTinyWeights;
      return choose_smallest(planned_, [least](const WeightForm& form) { return form.error.sqnr() >= least; });
    }
    choose_for_outputs(options_.quality > 0 ? options_.quality : kAutoQuality);
  }

  // In dB; 0 if the goal is not about outputs.
  double quality_asked() const {
    if (options_.quality > 0) return options_.quality;
    return options_.weights == WeightPreset::kAuto && !options_.has_goal() ? kAutoQuality : 0;
  }

  // Has so many weights that trying all schemes on all of them would take too long.
  bool is_large_model() const {
    constexpr double kMany = 2e7;
    double elements = 0;
    for (const PlannedWeight& each : planned_) elements += each.source ? static_cast<double>(each.source->count()) : 0;
    return elements > kMany;
  }

  void measure_sensitivity() {
    constexpr double kMostWork = 3e11;  // multiply-adds: about 15 s
    OutputError& outputs = output_error();
    tasks::measure_sensitivity(planned_, outputs, forms_with_visible_noise(planned_), outputs.to_choose(), kMostWork,
                               progress_);
  }

  // The estimate until sensitivities are measured: a relative error in a layer causes about the same relative error in
  // the outputs, however large its weights are.
  void set_sensitivity() {
    for (PlannedWeight& each : planned_) {
      if (each.forms.empty()) continue;
      const bool absolute = options_.weight_quality > 0;  // only the weights count, and all count the same
      each.sensitivity = absolute ? 1 : 1 / std::max(each.forms.front().error.signal, 1e-30);
    }
  }

  // Bytes of everything except the weights.
  std::uint64_t rest() const {
    std::uint64_t before = 0;
    for (const PlannedWeight& each : planned_) before += each.before;
    const std::uint64_t size = format::encoded_size(model_).total();
    return size > before ? size - before : 0;
  }

  void choose_by_size() {
    const std::uint64_t other = rest();
    if (choose_most_precise(planned_, [&] { return other + bytes_of_choice(planned_) <= options_.max_size; })) return;
    throw Error("",
                fmt::format("the file cannot get smaller than {} bytes, of which {} are not weights",
                            other + bytes_of_choice(planned_), other),
                "raise option `max_size`, or lower option `min_elements`");
  }

  // Uses estimated sizes. The caller compresses the result, compares, and calls again with another estimate.
  void choose_by_download() {
    const auto other = static_cast<double>(rest());
    const auto target = static_cast<double>(estimated_bytes_ ? estimated_bytes_ : options_.max_download->bytes);
    choose_most_precise(planned_, [&] { return other + cost_of_choice(planned_) <= target; });
  }

  void choose_by_weights() {
    constexpr int kQuestions = 60;
    const auto good = [this] { return error_of_choice(planned_).sqnr() >= options_.weight_quality; };
    choose_smallest_good_enough(planned_, kQuestions, good);  // cannot fail: without rounding, any quality is met
  }

  // Throws Error if the model cannot be run: a quality that is asked for must be measured.
  OutputError& running_model() {
    OutputError& outputs = output_error();
    if (outputs.works()) return outputs;
    throw Error(
        "", fmt::format("the quality of the outputs cannot be measured: {}", outputs.why()),
        "describe the inputs with option `shape`, option `dim` or option `value`, or give some with option `samples`; "
        "option `weight_quality` does not run the model");
  }

  void choose_for_outputs(double quality) {
    report_.asked = quality;
    const QualityResult result = choose_by_quality(
        planned_, running_model(), {.quality = quality, .may_miss = options_.may_miss / 100}, progress_);
    if (result.without_effect > 0) {
      add_note(
          fmt::format("{} changed no output when rounded alone, so each keeps at least {:.0f} dB itself; inputs that "
                      "need them (option `value`, option `samples`) would tell more",
                      analysis::counted(result.without_effect, "weight"), quality));
    }
    if (std::ranges::none_of(planned_, [](const PlannedWeight& each) { return each.chosen.has_value(); }))
      note_nothing_rounded();
  }

  // Explains why the file is as large as before: names the output that loses too much even with the most precise forms.
  void note_nothing_rounded() {
    OutputError& outputs = output_error();
    for (PlannedWeight& each : planned_) {
      if (!each.dynamic && !each.forms.empty()) each.chosen = each.forms.size() - 1;  // the most precise
    }
    const std::vector<Loss> losses = outputs.losses_with(planned_, outputs.all());
    for (PlannedWeight& each : planned_) each.chosen.reset();
    const auto worst = std::ranges::min_element(losses, {}, &Loss::snr);
    if (worst == losses.end() || !std::isfinite(worst->snr)) return;
    add_note(fmt::format(
        "no weight was rounded: even with the most precise forms, output {} keeps only {:.1f} dB for {} inputs; its "
        "values are about {:.1g} for the inputs tried, and real inputs (option `samples`) may allow more",
        quote_name(outputs.output_name(worst->output)), worst->snr,
        outputs.kind_of(static_cast<std::size_t>(worst - losses.begin())), outputs.output_level(worst->output)));
  }

  void add_note(const std::string& text) {
    if (!text.empty()) report_.note += report_.note.empty() ? text : "; " + text;
  }

  OutputError& output_error() {
    if (!outputs_) {
      begin_stage("running the model");
      outputs_.emplace(model_, options_);
    }
    return *outputs_;
  }

  void measure() {
    OutputError& outputs = output_error();
    if (!outputs.works()) {
      report_.note = fmt::format("outputs could not be measured: {}", outputs.why());
      return;
    }
    begin_stage("measuring outputs");
    const std::vector<Loss> losses = outputs.losses_with(planned_, outputs.all());
    const double worst = worst_after(losses, 0);
    if (std::isfinite(worst)) report_.output_snr = worst;
    report_.tried = outputs.tried_inputs();
    const auto misses = [this](const Loss& loss) { return report_.asked && loss.snr < *report_.asked; };
    report_.missed = static_cast<std::uint64_t>(std::ranges::count_if(losses, misses));
    report_.outputs = outputs.output_lines();
    report_.inputs = outputs.input_lines();
    report_.samples = outputs.sample_count();
    if (report_.samples == 0) report_.shapes = outputs.input_types();
    const std::size_t excused = excused_of(report_.tried, options_.may_miss / 100);
    if (report_.asked) report_.kept_promise = report_.missed <= excused;
    if (report_.asked && report_.missed > excused) {
      report_.note = broken_promise() + (report_.note.empty() ? "" : "; " + report_.note);
      done_.missed = report_.note;
    }
  }

  std::string broken_promise() const {
    const auto worst =
        std::ranges::min_element(report_.inputs, {}, [](const InputLine& line) { return line.snr.value_or(INFINITY); });
    const std::string missed =
        options_.may_miss > 0 ? fmt::format("; {} of {} inputs have less", report_.missed, report_.tried) : "";
    return fmt::format("{:.1f} dB were asked for, but only {:.1f} dB were reached: output {} for {} inputs{}",
                       *report_.asked, *report_.output_snr, quote_name(worst->output), worst->kind, missed);
  }

  Model& model_;
  const CompressOptions& options_;
  weights::Target target_;
  const Progress& progress_;
  std::vector<PlannedWeight> planned_;
  std::optional<OutputError> outputs_;
  std::uint64_t estimated_bytes_;
  CompressedWeights done_;
  WeightReport& report_ = done_.report;
  WeightLoss static_loss_;  // of weights that make_static() rounded
};

}  // namespace

CompressedWeights compress_weights(Model& model, const CompressOptions& options, weights::Target target,
                                   const Progress& progress, std::uint64_t estimated_bytes) {
  return WeightCompressor(model, options, target, progress, estimated_bytes).run();
}

}  // namespace onnxpress::tasks
