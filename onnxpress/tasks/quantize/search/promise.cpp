// Searches on a few inputs, checks the choice on many others, and searches again if it fails there.
#include "onnxpress/tasks/quantize/search/promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/stages.h"
#include "onnxpress/inputs/input_kinds.h"
#include "onnxpress/tasks/quantize/search/aim.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/quantize/search/rare_quality.h"
#include "onnxpress/tasks/quantize/search/sensitivity.h"

namespace onnxpress {

namespace {

constexpr std::string_view kAlwaysTheSame = "zeros";

class QualitySearch {
 public:
  QualitySearch(std::vector<PlannedWeight>& planned, OutputError& outputs, const QualityGoal& goal,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress)
      : planned_(planned),
        outputs_(outputs),
        quality_(goal.quality),
        may_miss_(goal.may_miss),
        progress_(progress),
        choices_(planned, {[this](const std::vector<std::size_t>& probes) { return measure(probes); },
                           [this] { return may_go_on(); }, [this] { return near_enough(); }}) {
    active_ = outputs_.to_choose();
    outputs_.tell(progress_);
  }
  ~QualitySearch() { outputs_.tell({}); }
  QualitySearch(const QualitySearch&) = delete;
  QualitySearch& operator=(const QualitySearch&) = delete;

  QualityResult run() {
    keep_weights_sound();
    keep_worst_active();
    measure_sensitivity();
    double aim = quality_ + kLimits.promise.margin;
    std::optional<double> too_low;  // the quality of the choice that the last check refused
    for (int round = 0; round < kLimits.promise.rounds; ++round) {
      if (too_low)
        choices_.find_better(*too_low, aim, active_);
      else
        choices_.find(aim, active_);
      if (is_mispredicted()) {
        measure_sensitivity_again();
        choices_.find(aim, active_);
      }
      choices_.fill_slack(aim, active_);
      const auto missed = check();
      if (!missed) break;
      aim = std::max(aim, missed->aim);
      too_low = choices_.has_found() ? std::optional(missed->quality) : std::nullopt;
      choices_.forget_found();
    }
    if (choices_.has_found()) {
      choices_.restore_found();
      if (fresh_inputs().each > 0) hold_on_fresh();
    }
    return result();
  }

 private:
  // Inputs that may miss the quality, of all that were made up.
  std::size_t excused() const { return excused_of(outputs_.tried_inputs(), may_miss_); }
  // The SNR of the worst input that must not miss the quality. These are all inputs, or those with the lowest SNRs.
  double worst_of(const std::vector<Loss>& losses) const { return worst_after(losses, excused()); }

  // Made-up inputs do not use all that a model has learned: a face detector on images without faces would do with
  // weights of two bits in some of its layers. So no weight gets far worse than the outputs should be.
  void keep_weights_sound() {
    if (outputs_.sample_count() > 0) return;
    for (PlannedWeight& each : planned_) drop_forms_below(each, quality_ / 2);
  }
  static void drop_forms_below(PlannedWeight& planned, double decibels) {
    if (planned.dynamic || planned.requested) return;  // a recipe is obeyed
    planned.chosen.reset();
    std::erase_if(planned.forms, [&](const WeightForm& form) { return form.weight_quality() < decibels; });
  }

  // Progress is shown by weight here, not by run. If runs are slow, a few inputs are enough to compare weights.
  void measure_sensitivity() {
    const std::size_t count = is_slow() ? std::min(kLimits.sensitivity.inputs_if_slow, active_.size()) : active_.size();
    outputs_.tell({});
    const auto without_effect =
        onnxpress::measure_sensitivity(planned_, outputs_, forms_with_visible_noise(planned_),
                                       std::span(active_).first(count), kLimits.sensitivity.work, progress_);
    outputs_.tell(progress_);
    without_effect_ = without_effect.size();
    for (const std::size_t each : without_effect) drop_forms_below(planned_[each], quality_);
  }

  // A weight whose errors do not grow in proportion to its noise (in front of a Log, for example) gets a sensitivity
  // that is wrong for other forms than the one it was measured with, and then the others pay for it.
  bool is_mispredicted() const {
    if (!choices_.has_found() || measured_again_ || !may_go_on()) return false;
    return std::isfinite(choices_.quality()) && choices_.misprediction() > kLimits.sensitivity.mispredicted;
  }
  void measure_sensitivity_again() {
    measured_again_ = true;
    choices_.start_over();
    outputs_.tell({});
    onnxpress::measure_sensitivity(planned_, outputs_, forms_of_choice(planned_), active_, kLimits.sensitivity.work,
                                   progress_);
    outputs_.tell(progress_);
  }
  double near_enough() const { return is_slow() ? kLimits.aim.near_enough_if_slow : kLimits.aim.near_enough; }
  bool is_slow() const { return outputs_.work_of_trial(active_.size()) > kLimits.aim.slow_trial; }
  bool may_go_on() const { return spent_ < most_work_; }

  // The SNR of the worst input or, if that is lower, what is estimated for rare inputs (which may have a
  // little less), where there are enough fresh inputs for an estimate.
  double measure(const std::vector<std::size_t>& probes) {
    begin_stage(fmt::format("choosing bits, try {}", ++trials_));
    spent_ += outputs_.work_of_trial(probes.size());
    const std::vector<Loss> losses = outputs_.losses_with(planned_, probes);
    std::vector<double> fresh;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      if (std::ranges::binary_search(fresh_, probes[i])) fresh.push_back(losses[i].ratio);
    }
    remember(probes, losses);
    if (may_miss_ > 0) return worst_of(losses);
    return std::min(worst_of(losses), rare_quality(std::move(fresh), fresh_.size(), rare_) + kLimits.rare.below);
  }

  // Most kinds of inputs are never the worst, so the search runs on the few inputs that are.
  void keep_worst_active() {
    const std::size_t kept = kLimits.promise.worst_inputs + excused();
    if (active_.size() <= kept) return;
    choices_.choose_at(quality_);
    const std::vector<Loss> losses = outputs_.losses_with(planned_, active_);
    std::vector<std::size_t> order(active_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return losses[i].snr; });
    std::vector<std::size_t> worst;
    for (std::size_t i = 0; i < kept; ++i) worst.push_back(active_[order[i]]);
    active_ = std::move(worst);
  }

  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
    double spread() const { return std::isfinite(most) ? most - least : 0; }
  };

  // Is there an output of a few numbers? It can be near zero for any input, and the errors of its numbers can cancel
  // out.
  bool has_few_numbers() const { return outputs_.smallest_output() < kLimits.promise.few_numbers; }

  // Inputs that may be the worst. If runs are slow, these are not the ones that were far better than the worst when
  // they were last run; the final measurement includes them again. That says nothing about an output of a few numbers.
  std::vector<std::size_t> mattering() const {
    std::vector<std::size_t> numbers = outputs_.all();
    if (!is_slow() || has_few_numbers()) return numbers;
    std::erase_if(numbers, [&](std::size_t each) {
      const auto gap = gaps_.find(each);
      return gap != gaps_.end() && gap->second > kLimits.promise.easy;
    });
    return numbers;
  }

  void remember(const std::vector<std::size_t>& probes, const std::vector<Loss>& losses) {
    const double worst = std::max(worst_of(losses), 0.0);  // a run that fails says nothing about the others
    for (std::size_t i = 0; i < probes.size(); ++i)
      gaps_[probes[i]] = losses[i].snr > worst ? losses[i].snr - worst : 0;
  }

  struct Missed {
    double aim = 0, quality = 0;  // the new aim, and the quality that the choice has, on active inputs
  };

  // If an input of any kind misses the quality plus its margin, adds it to the active inputs.
  std::optional<Missed> check() {
    const std::vector<std::size_t> all = mattering();
    begin_stage("checking on other inputs");
    spent_ += outputs_.work_of_trial(all.size());
    const std::vector<Loss> losses = outputs_.losses_with(planned_, all);
    remember(all, losses);
    const double worst = worst_of(losses);  // inputs below it are excused
    for (const std::size_t each : all) kinds_[outputs_.kind_of(each)] = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (losses[i].snr < worst) continue;
      Range& range = kinds_[outputs_.kind_of(all[i])];
      range.least = std::min(range.least, losses[i].snr), range.most = std::max(range.most, losses[i].snr);
    }
    // If many fresh inputs will be checked later, the spread of these few need not predict them.
    const FreshInputs fresh = fresh_inputs();
    const SearchLimits::Promise& limits = kLimits.promise;
    const double most_margin = fresh.kinds * fresh.each >= kLimits.fresh.many ? limits.margin
                               : has_few_numbers()                            ? 2 * limits.most_margin
                                                                              : limits.most_margin;
    std::optional<Missed> missed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Range& range = kinds_[outputs_.kind_of(all[i])];
      if (!std::isfinite(range.least)) continue;
      const double aim = quality_ + std::clamp(range.spread() / limits.spreads, limits.margin, most_margin);
      if (losses[i].snr != range.least || range.least >= aim - 0.02) continue;
      add_active(all[i]);
      if (!missed) missed.emplace(Missed{aim, range.least});
      missed->aim = std::max(missed->aim, aim);
      missed->quality = std::min(missed->quality, range.least);
    }
    for (std::size_t i = 0; missed && i < all.size(); ++i) {
      if (losses[i].snr < worst) add_active(all[i]);  // a measurement excuses its worst inputs, so it needs them
    }
    return missed;
  }
  void add_active(std::size_t probe) {
    if (std::ranges::find(active_, probe) == active_.end()) active_.push_back(probe);
  }

  struct FreshInputs {
    std::size_t kinds = 0, each = 0;
  };

  // How many fresh inputs are in a set. Models that are too slow for enough of all kinds get some of the worst kinds.
  FreshInputs fresh_inputs() const {
    const SearchLimits::Fresh& limits = kLimits.fresh;
    const std::size_t kinds = std::max<std::size_t>(1, outputs_.kind_count());
    // An output of a few numbers can be near zero for one input in hundreds.
    const std::size_t more = limits.more * limits.inputs, most = has_few_numbers() ? more : limits.inputs;
    const double little_work = limits.work / static_cast<double>(limits.more);
    const std::size_t each = std::max(std::min(most, outputs_.affordable_inputs(limits.work) / kinds),
                                      std::min(more, outputs_.affordable_inputs(little_work) / kinds));
    if (each >= limits.enough) return {kinds, each};
    const std::size_t few = outputs_.affordable_inputs(limits.work_if_slow);
    const std::size_t worst = std::clamp<std::size_t>(few / limits.enough, 1, kinds);
    return {worst, few / worst};
  }

  // The kinds with the worst SNRs in the last check. Zeros are always the same, so fresh ones say nothing.
  std::vector<std::string> worst_kinds(std::size_t count) const {
    std::vector<std::string> kinds;
    for (const auto& [kind, range] : kinds_) {
      if (kind != kAlwaysTheSame) kinds.push_back(kind);
    }
    std::ranges::stable_sort(kinds, {}, [this](const std::string& kind) { return kinds_.at(kind).least; });
    kinds.resize(std::min(kinds.size(), count));
    return kinds;
  }

  // Checks the choice on fresh inputs, which were not used before: an output of a few numbers can be near zero for one
  // input in fifty, and errors that happen to be small for some inputs are not for others. If the choice fails, the
  // search is repeated with these inputs, and the new choice is checked on another fresh set, because fill_slack() may
  // have found errors that cancel out on these inputs only.
  void hold_on_fresh() {
    // All kinds if possible: one that was harmless for a dozen inputs may still fail for one in fifty.
    const FreshInputs fresh = fresh_inputs();
    const std::vector<std::string> kinds = worst_kinds(fresh.kinds);
    if (kinds.empty()) return;
    rare_ = kLimits.rare.part * static_cast<double>(outputs_.kind_count()) / static_cast<double>(kinds.size());
    std::vector<std::size_t> hard;
    most_work_ = std::max(most_work_, spent_ + kLimits.fresh.search_work);
    for (int set = 0; set < kLimits.fresh.sets; ++set) {
      fresh_ = outputs_.add_fresh(kinds, fresh.each);
      if (holds_for_all(hard)) break;
    }
    keep_worst_fresh();
  }

  // Returns whether the choice holds as it is; if not, searches for one that does. The search runs on the hard inputs
  // only. Then all are run again, because others may be harder for the new choice.
  bool holds_for_all(std::vector<std::size_t>& hard) {
    const double aim = quality_ + kLimits.promise.margin;
    for (int round = 0; round < kLimits.fresh.rounds; ++round) {
      const double found = measure(mattering());
      if (found >= quality_) return round == 0;
      add_hardest(hard);
      choices_.find_better(found, aim, hard);
      choices_.fill_slack(aim, hard);
      if (choices_.has_found())
        choices_.restore_found();
      else
        choices_.choose_without_rounding();
    }
    return false;
  }

  // Adds the worst inputs for the current choice.
  void add_hardest(std::vector<std::size_t>& hard) {
    std::vector<std::size_t> order = mattering();
    const std::vector<Loss> losses = outputs_.losses_with(planned_, order);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return losses[i].snr; });
    const std::size_t least = kLimits.fresh.hardest / (is_slow() ? 2 : 1) + 2 * excused();
    order.resize(std::min(order.size(), std::max(least, order.size() / kLimits.fresh.hardest_part)));
    for (const std::size_t each : order) {
      if (std::ranges::find(hard, each) == hard.end()) hard.push_back(each);
    }
    std::ranges::sort(hard);
  }

  // Keeps only the worst fresh input, and all that miss the quality, for the report.
  void keep_worst_fresh() {
    const std::vector<Loss> losses = outputs_.losses_with(planned_, fresh_);
    const auto worst = std::ranges::min_element(losses, {}, &Loss::snr);
    std::vector<std::size_t> kept;
    for (auto each = losses.begin(); each != losses.end(); ++each) {
      if (each == worst || each->snr < quality_)
        kept.push_back(fresh_[static_cast<std::size_t>(each - losses.begin())]);
    }
    outputs_.keep_fresh(kept);
  }

  QualityResult result() {
    const auto reached = [this] { return worst_of(outputs_.losses_with(planned_, outputs_.all())); };
    // An input that was left out because it was far better than the worst may have become the worst.
    if (choices_.has_found() && reached() < quality_) choices_.find(quality_ + kLimits.promise.margin, outputs_.all());
    return {reached() >= quality_, reached(), without_effect_};
  }

  std::vector<PlannedWeight>& planned_;
  OutputError& outputs_;
  double quality_, may_miss_;
  const std::function<void(std::uint64_t, std::uint64_t)>& progress_;
  ChoiceSearch choices_;
  std::map<std::string, Range> kinds_;  // SNRs by kind of input, in the last check
  std::map<std::size_t, double> gaps_;  // by input: how much better it was than the worst when it was last run, in dB
  std::vector<std::size_t> active_;     // inputs that the search runs on
  bool measured_again_ = false;
  std::size_t without_effect_ = 0;
  int trials_ = 0;
  double spent_ = 0;  // work of all trials and checks so far
  double most_work_ = kLimits.aim.work;
  std::vector<std::size_t> fresh_;   // inputs made up after the first choice, in ascending order
  double rare_ = kLimits.rare.part;  // as a part of the inputs of those kinds that are made up fresh
};

}  // namespace

QualityResult choose_by_quality(std::vector<PlannedWeight>& planned, OutputError& outputs, const QualityGoal& goal,
                                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return QualitySearch(planned, outputs, goal, progress).run();
}

}  // namespace onnxpress
