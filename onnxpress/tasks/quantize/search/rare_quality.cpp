// Extends the tail of a distribution.
#include "onnxpress/tasks/quantize/search/rare_quality.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "onnxpress/base/signal_to_noise.h"

namespace onnxpress::tasks {

double rare_quality(std::vector<double> ratios, std::size_t inputs, double fraction) {
  constexpr std::size_t kLeastTail = 4, kLeastInputs = 16, kPart = 24;
  const auto all = static_cast<double>(inputs);
  const bool is_among_them = all * fraction >= 1;
  if (is_among_them || inputs < kLeastInputs || ratios.size() <= kLeastTail)
    return std::numeric_limits<double>::infinity();
  const std::size_t tail = std::min(std::max(kLeastTail, inputs / kPart), ratios.size() - 1);
  std::ranges::sort(ratios, std::greater<>());
  const double usual = std::sqrt(ratios[tail]), weight = 1 / static_cast<double>(tail);
  double excess = 0;
  for (std::size_t i = 0; i < tail; ++i) excess += (std::sqrt(ratios[i]) - usual) * weight;
  const double rare = usual + excess * std::log(static_cast<double>(tail) / all / fraction);
  return signal_to_noise(1, rare * rare);
}

}  // namespace onnxpress::tasks
