// Tries choices with more or less predicted loss (by the secant method), then smaller forms for groups of weights.
#include "onnxpress/tasks/quantize/search/aim.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/quantize/search/price.h"

namespace onnxpress {

namespace {

constexpr double kMostDecibels = 250;  // no rounding has so little harm

// The inverse of what choose_at() computes, so it is not rounded as signal_to_noise() is.
double decibels_of(double harm) { return -10 * std::log10(std::max(harm, 1e-300)); }

}  // namespace

ChoiceSearch::Choice ChoiceSearch::choice() const {
  Choice all;
  for (const PlannedWeight& each : planned_) all.push_back(each.chosen);
  return all;
}

void ChoiceSearch::restore(const Choice& all) {
  for (std::size_t i = 0; i < planned_.size(); ++i) planned_[i].chosen = all[i];
}

// As the price for all weights changes, the harm jumps; single weights use what is left of it, so that choices change
// in small steps.
void ChoiceSearch::choose_at(double decibels) {
  const double most = std::pow(10, -decibels / 10);
  choose_by_harm(planned_, most);
  take_smaller(planned_, most - harm_of_choice(planned_));
}

void ChoiceSearch::choose_without_rounding() { choose_at(kMostDecibels); }

double ChoiceSearch::misprediction() const { return std::abs(decibels_of(harm_of_choice(planned_)) - best_quality_); }

// An argument of choose_at() that gives the smallest choice of all.
double ChoiceSearch::lowest() const {
  double most = 0;
  for (const PlannedWeight& each : planned_) {
    double noise = 0;
    for (const WeightForm& form : each.forms) noise = std::max(noise, form.noise);
    if (!each.dynamic) most += each.sensitivity * noise;
  }
  return decibels_of(most) - 1;
}

void ChoiceSearch::find_better(double quality, double aim, const std::vector<std::size_t>& probes) {
  find_above(start_ ? std::optional(Point{*start_, quality, choice()}) : std::nullopt, aim, probes);
}

// Finds the lowest argument of choose_at() for which these inputs reach the aim. `low` is one that is known not to. A
// choice that equals `low` or `high` is not run again.
void ChoiceSearch::find_above(std::optional<Point> low, double aim, const std::vector<std::size_t>& probes) {
  constexpr int kMostSteps = 60;
  constexpr double kMostAbove = 60;
  best_.reset();
  std::optional<Point> high;  // reaches the aim
  int late = 0;
  double stride = 0, without_gain = 0, at = low ? next(low, high, aim, stride) : start_.value_or(aim);
  for (int step = 0, trial = 0; step < kMostSteps && trial < kLimits.aim.trials && at < kMostDecibels; ++step) {
    choose_at(at);
    Choice made = choice();
    const bool is_low = low && low->choice == made, is_high = high && high->choice == made;
    if (is_low || is_high) {
      (is_low ? low : high)->at = at;
      if (is_high && at <= lowest()) break;
      stride = 2 * stride + 0.1;
    } else {
      const double quality = trials_.measure(probes);
      const bool is_no_better = low && !high && quality < std::min(aim, low->quality + kLimits.aim.least_gain);
      (quality >= aim ? high : low) = Point{at, std::min(quality, aim + kMostAbove), std::move(made)};
      ++trial;
      // A weight that matters more than predicted stays as it is until the steps are large.
      without_gain = is_no_better ? 2 * without_gain + 1 : 0;
      stride = without_gain;
      if (high && !trials_.may_go_on()) ++late;
    }
    if (high && is_close_enough(*high, aim, late)) break;
    if (low && high && high->at - low->at < 0.05) break;
    at = next(low, high, aim, stride);
  }
  if (!high) {
    choose_without_rounding();
    high = Point{kMostDecibels, trials_.measure(probes), choice()};
    if (high->quality < aim) return;
  }
  start_ = std::clamp(high->at, std::min(lowest(), aim), aim + kMostAbove);
  best_ = high->choice;
  best_quality_ = high->quality;
  restore(*best_);
}

// Once enough work was done, the first choice that reaches the aim is taken, unless it is far above.
bool ChoiceSearch::is_close_enough(const Point& high, double aim, int trials_when_late) const {
  if (high.quality <= aim + trials_.near()) return true;
  return !trials_.may_go_on() &&
         (high.quality <= aim + kLimits.slack.far_above || trials_when_late >= kLimits.aim.late_trials);
}

double ChoiceSearch::next(const std::optional<Point>& low, const std::optional<Point>& high, double aim,
                          double stride) const {
  const double goal = aim + trials_.near() / 2;
  if (!low) return high->at - std::clamp(high->quality - goal, 0.5, 20.0) - stride;
  if (!high) return low->at + std::clamp(goal - low->quality, 0.5, 30.0) + stride;
  if (stride > 0) return (low->at + high->at) / 2;
  const double slope = (high->quality - low->quality) / (high->at - low->at), room = 0.15 * (high->at - low->at);
  return std::clamp(low->at + (goal - low->quality) / std::max(slope, 0.1), low->at + room, high->at - room);
}

struct ChoiceSearch::Group {
  std::vector<std::size_t> members;
  double part = 1;  // of the harm that may be added
  bool may_be_halved() const { return members.size() > 1; }
  Group half(bool second) const {
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
    return second ? Group{{middle, members.end()}, part} : Group{{members.begin(), middle}, part};
  }
};

// How much harm may be added is estimated from the predicted harm and the measured quality of the choice so far. Far
// above the aim, a few weights are often to blame that matter more than predicted; they are found by trying one half of
// the weights, then the other. So many tries also find errors that cancel out on these inputs by chance; the reserve
// makes up for that.
void ChoiceSearch::fill_slack(double aim, const std::vector<std::size_t>& probes) {
  constexpr int kMostSteps = 200;
  if (!best_) return;
  std::deque<Group> groups(1);
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    if (!planned_[i].forms.empty()) groups.front().members.push_back(i);
  }
  const bool is_far_above = best_quality_ > aim + kLimits.slack.far_above;
  if (is_far_above) aim += kLimits.slack.reserve;
  std::vector<Choice> failed;  // another group may lead to the same choice
  int left = is_far_above ? kLimits.slack.tries_if_far_above : kLimits.slack.tries;
  for (int step = 0; step < kMostSteps && left > 0 && !groups.empty(); ++step) {
    if (best_quality_ <= aim + kLimits.slack.worthwhile || !std::isfinite(best_quality_) || !trials_.may_go_on())
      return;
    Group group = std::move(groups.front());
    groups.pop_front();
    const double slack = std::min(best_quality_ - aim, is_far_above ? kLimits.slack.at_once : INFINITY);
    const double room = harm_of_choice(planned_) * (std::pow(10, slack / 10) - 1) * group.part;
    if (!take_smaller(planned_, room, group.members)) continue;
    if (std::ranges::find(failed, choice()) == failed.end()) {
      --left;
      const double quality = trials_.measure(probes);
      if (quality >= aim) {
        best_ = choice();
        best_quality_ = quality;
        groups.push_front(std::move(group));
        continue;
      }
      failed.push_back(choice());
    }
    restore(*best_);
    if (is_far_above && group.may_be_halved()) {
      groups.push_back(group.half(false));
      groups.push_back(group.half(true));
    } else {
      group.part /= group.may_be_halved() ? 2 : 4;
      groups.push_back(std::move(group));
    }
  }
}

}  // namespace onnxpress
