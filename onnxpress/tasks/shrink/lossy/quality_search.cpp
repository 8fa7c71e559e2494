// The harm that the sensitivities predict is the one knob; what the outputs show says how to turn it.
#include "onnxpress/tasks/shrink/lossy/quality_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/inputs/input_kinds.h"
#include "onnxpress/tasks/shrink/lossy/weight_choice.h"

namespace onnxpress::tasks {

namespace {

constexpr double kWorkForSensitivity = 3e11;  // multiply-adds: about 15 s
constexpr double kMargin = 0.2;  // dB above what is asked; more where inputs of a kind differ among themselves
constexpr double kNear = 0.35;   // dB above the aim: near enough
constexpr double kMostMargin = 2;
constexpr int kMostTrials = 14, kMostRounds = 10;
constexpr double kWorkForFresh = 4e10;  // multiply-adds, for each check on inputs that nothing has seen: about 2 s
constexpr std::size_t kMostFresh = 24;  // of each kind
constexpr std::size_t kMany = 12;
constexpr double kMayMiss = 0.3;  // dB, where one input in 250 is concerned
constexpr std::string_view kAlwaysTheSame = "zeros";

class QualitySearch {
 public:
  QualitySearch(std::vector<PlannedWeight>& planned, OutputError& outputs, double quality,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress)
      : planned_(planned), outputs_(outputs), quality_(quality), progress_(progress) {
    active_ = outputs_.to_choose();
  }

  QualityResult run() {
    keep_worst_active();
    outputs_.measure_sensitivity(planned_, active_, kWorkForSensitivity, progress_);
    begin_stage("measuring outputs");
    double aim = quality_ + kMargin;
    for (int round = 0; round < kMostRounds; ++round) {
      search(aim);
      fill_slack(aim);
      const auto missed = check();
      if (!missed) break;
      aim = std::max(aim, *missed);
      best_.reset();
    }
    if (best_) restore(*best_);
    if (best_ && start_ && fresh_inputs() > 0) hold_on_fresh(*start_);
    return result();
  }

 private:
  using Chosen = std::vector<std::optional<std::size_t>>;

  Chosen chosen() const {
    Chosen all;
    for (const PlannedWeight& each : planned_) all.push_back(each.chosen);
    return all;
  }
  void restore(const Chosen& all) {
    for (std::size_t i = 0; i < planned_.size(); ++i) planned_[i].chosen = all[i];
  }

  static double worst_of(const std::vector<ProbeLoss>& losses) {
    double worst = std::numeric_limits<double>::infinity();
    for (const ProbeLoss& loss : losses) worst = std::min(worst, loss.snr);
    return worst;
  }

  double measure(const std::vector<std::size_t>& probes) {
    if (progress_) progress_(static_cast<std::uint64_t>(trials_), kMostTrials);
    ++trials_;
    return worst_of(outputs_.losses_with(planned_, probes));
  }

  // Most kinds of inputs are never the worst: the search goes on with the few that are.
  void keep_worst_active() {
    constexpr std::size_t kActive = 4;
    if (active_.size() <= kActive) return;
    choose_at(quality_);
    const std::vector<ProbeLoss> losses = outputs_.losses_with(planned_, active_);
    std::vector<std::size_t> order(active_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return losses[i].snr; });
    std::vector<std::size_t> worst;
    for (std::size_t i = 0; i < kActive; ++i) worst.push_back(active_[order[i]]);
    active_ = std::move(worst);
  }

  void choose_at(double decibels) { choose_by_harm(planned_, std::pow(10, -decibels / 10)); }

  struct Point {
    double at = 0, snr = 0;
    Chosen choice;
  };

  // The least knob for which the active inputs keep the aim. Where the choice stays as it was, nothing is run.
  void search(double aim) {
    constexpr int kMostSteps = 60;
    std::optional<Point> low, high;  // does not keep it, keeps it
    double at = start_.value_or(aim), stride = 0;
    for (int step = 0, trial = 0; step < kMostSteps && trial < kMostTrials && at < kMostDecibels; ++step) {
      choose_at(at);
      Chosen choice = chosen();
      const bool is_low = low && low->choice == choice, is_high = high && high->choice == choice;
      if (is_low || is_high) {
        (is_low ? low : high)->at = at;
        stride = 2 * stride + 0.1;
      } else {
        const double snr = measure(active_);
        (snr >= aim ? high : low) = Point{at, std::min(snr, aim + 60), std::move(choice)};
        ++trial;
        stride = 0;
      }
      if (high && high->snr <= aim + kNear) break;
      if (low && high && high->at - low->at < 0.05) break;
      at = next(low, high, aim, stride);
    }
    if (!high) {  // nothing is rounded there, where that may be chosen
      choose_at(kMostDecibels);
      high = Point{kMostDecibels, measure(active_), chosen()};
      if (high->snr < aim) return;
    }
    start_ = std::min(high->at, aim + 60);
    best_ = high->choice;
    best_snr_ = high->snr;
    restore(*best_);
  }

  static double next(const std::optional<Point>& low, const std::optional<Point>& high, double aim, double stride) {
    const double goal = aim + kNear / 2;
    if (!low) return high->at - std::clamp(high->snr - goal, 0.5, 20.0) - stride;
    if (!high) return low->at + std::clamp(goal - low->snr, 0.5, 30.0) + stride;
    if (stride > 0) return (low->at + high->at) / 2;
    const double slope = (high->snr - low->snr) / (high->at - low->at), room = 0.15 * (high->at - low->at);
    return std::clamp(low->at + (goal - low->snr) / std::max(slope, 0.1), low->at + room, high->at - room);
  }

  // Prices step over forms: where the outputs are better than the aim, single weights can be smaller still. How much
  // smaller is guessed from what the choice so far was predicted and measured to do.
  void fill_slack(double aim) {
    constexpr int kTries = 5;
    constexpr double kWorthwhile = 0.4;  // dB
    if (!best_) return;
    double part = 1;
    for (int i = 0; i < kTries && best_snr_ > aim + kWorthwhile && std::isfinite(best_snr_); ++i) {
      const double predicted = harm_of_choice(planned_);
      const double room = predicted * (std::pow(10, (best_snr_ - aim) / 10) - 1) * part;
      if (!take_smaller(room)) return;
      const double snr = measure(active_);
      if (snr >= aim) {
        best_ = chosen();
        best_snr_ = snr;
      } else {
        restore(*best_);
        part /= 2;
      }
    }
  }

  // Takes the largest savings first, as long as the harm that they add fits. False when none does.
  bool take_smaller(double room) {
    bool any = false;
    for (;;) {
      std::size_t weight = 0, form = 0;
      double most = 0, added = 0;
      for (std::size_t i = 0; i < planned_.size(); ++i) {
        const PlannedWeight& each = planned_[i];
        if (each.dynamic || each.forms.empty()) continue;
        const double cost = each.chosen ? each.forms[*each.chosen].cost : static_cast<double>(each.before);
        const double noise = each.chosen ? each.forms[*each.chosen].noise : 0;
        for (std::size_t f = 0; f < each.forms.size(); ++f) {
          const double more = each.sensitivity * (each.forms[f].noise - noise);
          const double saved = cost - each.forms[f].cost;
          if (saved <= most || more > room) continue;
          most = saved, added = more, weight = i, form = f;
        }
      }
      if (most <= 0) return any;
      planned_[weight].chosen = form;
      room -= std::max(added, 0.0);
      any = true;
    }
  }

  struct Range {
    double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
    double inputs = 0;
    double spread() const { return std::isfinite(most) ? most - least : 0; }
  };

  // What must be aimed at, where an input of any kind does not keep what is asked. That one is active from now on.
  std::optional<double> check() {
    const std::vector<std::size_t> all = outputs_.all();
    const std::vector<ProbeLoss> losses = outputs_.losses_with(planned_, all);
    kinds_.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Range& range = kinds_[outputs_.kind_of(all[i])];
      range.least = std::min(range.least, losses[i].snr), range.most = std::max(range.most, losses[i].snr);
      ++range.inputs;
    }
    std::optional<double> missed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Range& range = kinds_[outputs_.kind_of(all[i])];
      if (!std::isfinite(range.least)) continue;
      // Where many more inputs are to come, these need not tell what those will be like.
      const double most_margin = fresh_inputs() >= kMany ? kMargin : kMostMargin;
      const double aim = quality_ + std::clamp(range.spread() / range.inputs, kMargin, most_margin);
      if (losses[i].snr > range.least || range.least >= aim - 0.02) continue;
      if (std::ranges::find(active_, all[i]) == active_.end()) active_.push_back(all[i]);
      missed = std::max(missed.value_or(aim), aim);
    }
    return missed;
  }

  // Of each kind.
  std::size_t fresh_inputs() const {
    return std::min(kMostFresh, outputs_.affordable_inputs(kWorkForFresh) / std::size(kInputKinds));
  }

  // Checks the choice on inputs that nothing has seen, other ones each time: outputs of a few numbers can be near zero
  // for one input in fifty, and errors that are small by luck for some inputs are not for others. Turns the knob, which
  // knows nothing of luck, until these hold as well. `at` is where it is.
  void hold_on_fresh(double at) {
    constexpr int kMostChecks = 9;
    constexpr double kLeastStep = 0.4, kMostStep = 6, kEnough = 1;  // dB
    std::optional<Point> low, high;
    for (int i = 0; i < kMostChecks; ++i) {
      const double snr = quality_on_fresh(!high);
      (snr >= quality_ ? high : low) = Point{at, snr, chosen()};
      if (high && (!low || high->snr < quality_ + kEnough || high->at - low->at < kLeastStep)) break;
      const double step = low->at + std::clamp(quality_ - low->snr + kMargin, kLeastStep * (i + 1), kMostStep);
      for (at = high ? (low->at + high->at) / 2 : step; at < kMostDecibels; at += kLeastStep) {
        choose_at(at);
        if (chosen() != low->choice) break;
      }
      if (high && (at >= high->at || chosen() == high->choice)) break;
    }
    if (high)
      restore(high->choice);
    else
      choose_at(kMostDecibels);  // nothing is rounded, where that may be chosen
  }

  // Of the worst input, or of a rare one, where that would be worse. `keep`: the worst one is looked at from now on
  // even if it does not keep what is asked; a choice that held before was not checked by it.
  double quality_on_fresh(bool keep) {
    std::vector<std::string> kinds;
    for (const auto& [kind, range] : kinds_) {
      if (kind != kAlwaysTheSame && range.least < quality_ + kMostMargin + range.spread()) kinds.push_back(kind);
    }
    const std::vector<std::size_t> fresh = outputs_.add_fresh(kinds, fresh_inputs());
    const std::vector<ProbeLoss> losses = outputs_.losses_with(planned_, outputs_.all());
    std::vector<double> found_by_input;
    for (const std::size_t each : fresh) found_by_input.push_back(losses[each].snr);
    const double found =
        std::min(worst_of(losses), rare_quality(found_by_input, fresh_inputs() * std::size(kInputKinds)) + kMayMiss);
    std::vector<std::size_t> kept;  // the worst one, for the report and for the next choice
    if (!fresh.empty() && (keep || found >= quality_))
      kept.push_back(
          fresh[static_cast<std::size_t>(std::ranges::min_element(found_by_input) - found_by_input.begin())]);
    outputs_.keep_fresh(kept, found >= quality_);
    return found;
  }

  // What one input in 250 has, by the worst ones of so many: as if these thinned out exponentially.
  static double rare_quality(std::vector<double> sorted, std::size_t inputs) {
    constexpr double kRare = 1.0 / 250;
    const std::size_t tail = inputs / 12;
    std::ranges::sort(sorted);
    if (tail < 4 || sorted.size() < 2 * tail || !std::isfinite(sorted[tail])) return INFINITY;
    double excess = 0;
    for (std::size_t i = 0; i < tail; ++i) excess += (sorted[tail] - sorted[i]) / static_cast<double>(tail);
    return sorted[tail] - excess * std::log(static_cast<double>(tail) / static_cast<double>(inputs) / kRare);
  }

  QualityResult result() {
    const double reached = worst_of(outputs_.losses_with(planned_, outputs_.all()));
    return {reached >= quality_, reached};
  }

  static constexpr double kMostDecibels = 250;

  std::vector<PlannedWeight>& planned_;
  OutputError& outputs_;
  double quality_;
  const std::function<void(std::uint64_t, std::uint64_t)>& progress_;
  std::map<std::string, Range> kinds_;  // what the last check found
  std::vector<std::size_t> active_;     // inputs that the search looks at
  std::optional<Chosen> best_;
  double best_snr_ = 0;  // of the active inputs
  std::optional<double> start_;
  int trials_ = 0;
};

}  // namespace

QualityResult choose_by_quality(std::vector<PlannedWeight>& planned, OutputError& outputs, double quality,
                                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return QualitySearch(planned, outputs, quality, progress).run();
}

}  // namespace onnxpress::tasks
