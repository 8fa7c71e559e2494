// Finds one price per byte for all weights (a Lagrange multiplier) by bisection.
#include "onnxpress/tasks/quantize/search/price.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

namespace {

double harm(const PlannedWeight& planned, const WeightForm& form) { return planned.sensitivity * form.noise; }

// Prices so low and so high that the choice does not change beyond them.
std::pair<double, double> price_range(const std::vector<PlannedWeight>& planned) {
  double least = 1e300, most = 1e-300;
  for (const PlannedWeight& each : planned) {
    for (const WeightForm& form : each.forms) {
      const double harm_of = harm(each, form);
      if (!(harm_of > 0)) continue;
      least = std::min(least, harm_of / std::max(1.0, static_cast<double>(each.before)));
      most = std::max(most, harm_of);
    }
  }
  return least < most ? std::pair(least / 1e3, most * 1e3) : std::pair(1e-30, 1e30);
}

// `holds` is true on one side of some price: above it if `upwards`, otherwise below it. Looks for that price, and makes
// the choice at the last price where `holds` was true.
bool bisect(std::vector<PlannedWeight>& planned, int questions, bool upwards, const std::function<bool()>& holds) {
  auto [low, high] = price_range(planned);
  double good = upwards ? high : low;
  for (int i = 0; i < questions; ++i) {
    const double middle = std::exp((std::log(low) + std::log(high)) / 2);
    choose_by_price(planned, middle);
    const bool held = holds();
    if (held) good = middle;
    (held == upwards ? high : low) = middle;
  }
  choose_by_price(planned, good);
  return holds();
}

}  // namespace

void choose_by_price(std::vector<PlannedWeight>& planned, double price) {
  for (PlannedWeight& each : planned) {
    if (each.dynamic) continue;
    double best = 0;  // staying as it is does no harm and saves nothing
    each.chosen.reset();
    for (std::size_t i = 0; i < each.forms.size(); ++i) {
      const double saved = static_cast<double>(each.before) - each.forms[i].cost;
      const double gain = saved * price - harm(each, each.forms[i]);
      if (gain <= best) continue;
      best = gain;
      each.chosen = i;
    }
  }
}

double harm_of_choice(const std::vector<PlannedWeight>& planned) {
  double sum = 0;
  for (const PlannedWeight& each : planned) {
    if (each.chosen && !each.dynamic) sum += harm(each, each.forms[*each.chosen]);
  }
  return sum;
}

void choose_by_harm(std::vector<PlannedWeight>& planned, double most) {
  bisect(planned, kLimits.price.questions, false, [&] { return harm_of_choice(planned) <= most; });
}

bool take_smaller(std::vector<PlannedWeight>& planned, double room) {
  std::vector<std::size_t> all(planned.size());
  std::iota(all.begin(), all.end(), 0);
  return take_smaller(planned, room, all);
}

bool take_smaller(std::vector<PlannedWeight>& planned, double room, std::span<const std::size_t> members) {
  bool any = false;
  for (int step = 0; step < kLimits.price.single_steps; ++step) {
    PlannedWeight* weight = nullptr;
    std::size_t form = 0;
    double most = 0, added = 0;
    for (const std::size_t member : members) {
      PlannedWeight& each = planned[member];
      if (each.dynamic || each.forms.empty()) continue;
      const double cost = each.chosen ? each.forms[*each.chosen].cost : static_cast<double>(each.before);
      const double noise = each.chosen ? each.forms[*each.chosen].noise : 0;
      for (std::size_t f = 0; f < each.forms.size(); ++f) {
        const double more = each.sensitivity * (each.forms[f].noise - noise);
        const double saved = cost - each.forms[f].cost;
        if (saved <= most || more > room) continue;
        most = saved, added = more, weight = &each, form = f;
      }
    }
    if (!weight) break;
    weight->chosen = form;
    room -= std::max(added, 0.0);
    any = true;
  }
  return any;
}

void choose_smallest(std::vector<PlannedWeight>& planned, const std::function<bool(const WeightForm&)>& good) {
  for (PlannedWeight& each : planned) {
    if (each.dynamic) continue;
    const auto found = std::ranges::find_if(each.forms, good);
    if (found != each.forms.end()) each.chosen = static_cast<std::size_t>(found - each.forms.begin());
  }
}

bool choose_most_precise(std::vector<PlannedWeight>& planned, const std::function<bool()>& small_enough) {
  return bisect(planned, kLimits.price.questions, true, small_enough);
}

bool choose_smallest_good_enough(std::vector<PlannedWeight>& planned, int questions,
                                 const std::function<bool()>& good_enough) {
  return bisect(planned, questions, false, good_enough);
}

std::uint64_t bytes_of_choice(const std::vector<PlannedWeight>& planned) {
  std::uint64_t bytes = 0;
  for (const PlannedWeight& each : planned) bytes += each.chosen ? each.forms[*each.chosen].bytes : each.before;
  return bytes;
}

double cost_of_choice(const std::vector<PlannedWeight>& planned) {
  double bytes = 0;
  for (const PlannedWeight& each : planned)
    bytes += each.chosen ? each.forms[*each.chosen].cost : static_cast<double>(each.before);
  return bytes;
}

weights::WeightError error_of_choice(const std::vector<PlannedWeight>& planned) {
  weights::WeightError sum;
  for (const PlannedWeight& each : planned) {
    if (each.forms.empty()) continue;
    sum.signal += each.forms.front().error.signal;
    if (each.chosen) sum.noise += each.forms[*each.chosen].error.noise;
  }
  return sum;
}

}  // namespace onnxpress
