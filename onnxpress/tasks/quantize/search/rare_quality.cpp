// Estimates the loss of an input rarer than any that was run, from the largest losses of those that were.
#include "onnxpress/tasks/quantize/search/rare_quality.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

double rare_quality(std::vector<double> ratios, std::size_t inputs, double fraction) {
  const SearchLimits::Rare& limits = kLimits.rare;
  const auto all = static_cast<double>(inputs);
  const bool is_among_them = all * fraction >= 1;
  if (is_among_them || inputs < 4 * limits.least_tail || ratios.size() <= limits.least_tail)
    return std::numeric_limits<double>::infinity();
  const std::size_t tail = std::min(std::max(limits.least_tail, inputs / limits.tail_part), ratios.size() - 1);
  std::ranges::sort(ratios, std::greater<>());
  const double usual = std::sqrt(ratios[tail]), weight = 1 / static_cast<double>(tail);
  double excess = 0;
  for (std::size_t i = 0; i < tail; ++i) excess += (std::sqrt(ratios[i]) - usual) * weight;
  const double rare = usual + excess * std::log(static_cast<double>(tail) / all / fraction);
  return signal_to_noise(1, rare * rare);
}

}  // namespace onnxpress
