// Computes the range of an activation from recorded numbers: min-max, percentile, squared error, entropy.
#include "onnxpress/weights/lossy/activation_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace onnxpress::weights {

namespace {

ActivationRange by_percentile(std::span<const float> seen, ActivationRange all) {
  constexpr double kOutside = 1.0 / 20000;
  std::vector<float> sorted(seen.begin(), seen.end());
  const auto number = static_cast<std::ptrdiff_t>(kOutside * static_cast<double>(sorted.size()));
  if (number == 0) return all;
  std::ranges::nth_element(sorted, sorted.begin() + number);
  const float low = sorted[static_cast<std::size_t>(number)];
  std::ranges::nth_element(sorted, sorted.end() - 1 - number);
  return {std::min(low, 0.0F), std::max(*(sorted.end() - 1 - number), 0.0F)};
}

double squared_error(std::span<const float> seen, const ActivationRange& range) {
  const float scale = range.scale(), inverse = 1 / scale;
  const auto zero = static_cast<float>(range.zero());
  double sum = 0;
  for (const float x : seen) {
    const float code = std::clamp(std::nearbyint(x * inverse) + zero, 0.0F, 255.0F), off = x - (code - zero) * scale;
    sum += static_cast<double>(off) * off;
  }
  return sum;
}

// Moves both ends inwards step by step, together or one at a time, as long as the error gets smaller.
ActivationRange by_mse(std::span<const float> seen, ActivationRange all) {
  constexpr float kStep = 0.9F, kFine = 0.97F, kLeast = 0.05F;
  ActivationRange best = all;
  double least = squared_error(seen, best);
  for (const float step : {kStep, kFine}) {
    for (bool better = true; better;) {
      better = false;
      for (const bool both : {true, false}) {
        for (const bool upper : {true, false}) {
          ActivationRange next = best;
          if (both || upper) next.high *= step;
          if (both || !upper) next.low *= step;
          if (next.high - next.low < kLeast * (all.high - all.low)) continue;
          const double error = squared_error(seen, next);
          if (error >= least) continue;
          least = error, best = next, better = true;
        }
      }
    }
  }
  return best;
}

// The Kullback-Leibler divergence of two distributions over the first `kept` bins: with the outliers in the last bin,
// and as 128 levels represent it.
double divergence(const std::vector<double>& bins, std::size_t kept) {
  constexpr std::size_t kLevels = 128;
  std::vector<double> clipped(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(kept));
  clipped.back() += std::accumulate(bins.begin() + static_cast<std::ptrdiff_t>(kept), bins.end(), 0.0);
  const double total = std::accumulate(clipped.begin(), clipped.end(), 0.0);
  double sum = 0, coarse_total = 0;
  std::vector<double> coarse(kept, 0);
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t begin = level * kept / kLevels, end = (level + 1) * kept / kLevels;
    double mass = 0;
    std::size_t used = 0;
    for (std::size_t i = begin; i < end; ++i) mass += bins[i], used += bins[i] > 0 ? 1 : 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (bins[i] > 0) coarse[i] = mass / static_cast<double>(used);
    }
    coarse_total += mass;
  }
  for (std::size_t i = 0; i < kept; ++i) {
    if (clipped[i] <= 0) continue;
    const double p = clipped[i] / total, q = std::max(coarse[i] / std::max(coarse_total, 1e-300), 1e-9);
    sum += p * std::log(p / q);
  }
  return sum;
}

ActivationRange by_entropy(std::span<const float> seen, ActivationRange all) {
  constexpr std::size_t kBins = 2048, kFirst = 128, kStride = 16;
  const float widest = std::max(all.high, -all.low);
  if (widest <= 0 || seen.empty()) return all;
  std::vector<double> bins(kBins, 0);
  for (const float x : seen)
    ++bins[std::min(kBins - 1, static_cast<std::size_t>(std::abs(x) / widest * static_cast<float>(kBins)))];
  bins[0] = 0;  // zeros are exact anyway
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = kBins;
  for (std::size_t kept = kFirst; kept <= kBins; kept += kStride) {
    const double now = divergence(bins, kept);
    if (now < least) least = now, best = kept;
  }
  const float limit = widest * static_cast<float>(best) / static_cast<float>(kBins);
  return {std::max(all.low, -limit), std::min(all.high, limit)};
}

}  // namespace

ActivationRange choose_range(RangeMethod method, std::span<const float> seen, float low, float high) {
  const ActivationRange all{std::min(low, 0.0F), std::max(high, 0.0F)};
  switch (method) {
    case RangeMethod::kMinMax:
      break;
    case RangeMethod::kPercentile:
      return by_percentile(seen, all);
    case RangeMethod::kMse:
      return by_mse(seen, all);
    case RangeMethod::kEntropy:
      return by_entropy(seen, all);
  }
  return all;
}

}  // namespace onnxpress::weights
