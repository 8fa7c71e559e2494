// Tries scales between "clips nothing" and "clips much", and takes the one with the least squared error: as it is, or
// after fitting it to the codes that it gives. (llama.cpp's k-quants and GPTQ's `mse` are such searches.)
#include <algorithm>
#include <cmath>

#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {

namespace {

struct Search {
  float least;  // smallest part of the range that is kept
  int steps;
};
// The fewer codes there are, the more clipping helps.
Search search_for(int bits) {
  constexpr Search kByBits[] = {{0.3F, 24}, {0.3F, 24}, {0.3F, 24}, {0.45F, 22}, {0.6F, 20}, {0.72F, 16}, {0.85F, 12}};
  return bits < 7 ? kByBits[bits] : Search{0.98F, 3};
}

// Like sums_of(), for any number of elements.
CodeSums sums_over(std::span<const float> x, float inverse, float offset, float low, float high) {
  CodeSums sums;
  for (std::size_t at = 0; at < x.size(); at += kMostSummed) {
    const auto part = x.subspan(at, std::min(kMostSummed, x.size() - at));
    const CodeSums more = sums_of(part.data(), part.size(), inverse, offset, low, high);
    sums.q += more.q, sums.qq += more.qq, sums.xq += more.xq, sums.x += more.x;
  }
  return sums;
}

class Best {
 public:
  Best(const Group& group, const Scheme& scheme, bool fits)
      : group_(group), top_(static_cast<float>(scheme.level_count() - 1)), fits_(fits) {}

  // With a whole zero point, which is subtracted from the codes: element = fitted * code.
  void consider(float scale, float zero) {
    const CodeSums sums = sums_over(group_.x, 1 / scale, 0, -zero, top_ - zero);
    if (!std::isfinite(1 / scale) || sums.qq <= 0) return;
    const double fitted = fits_ ? sums.xq / sums.qq : scale;
    keep(group_.squares - 2 * fitted * sums.xq + fitted * fitted * sums.qq, {static_cast<float>(fitted), zero});
  }

  // With any zero point: element = fitted * code + shift. Codes are counted from the middle one, to keep sums small.
  void consider_offset(float scale, float zero) {
    const float middle = std::nearbyint(top_ / 2);
    const CodeSums sums = sums_over(group_.x, 1 / scale, zero - middle, -middle, top_ - middle);
    const auto count = static_cast<double>(group_.x.size());
    const double spread = count * sums.qq - sums.q * sums.q;
    if (!std::isfinite(1 / scale) || spread <= 0) return;
    double fitted = scale, shift = -static_cast<double>(zero - middle) * scale;
    if (fits_) {
      fitted = (count * sums.xq - sums.x * sums.q) / spread;
      shift = (sums.x - fitted * sums.q) / count;
    }
    const double noise = group_.squares - 2 * (fitted * sums.xq + shift * sums.x) + fitted * fitted * sums.qq +
                         2 * fitted * shift * sums.q + count * shift * shift;
    if (fitted > 0) keep(noise, {static_cast<float>(fitted), static_cast<float>(middle - shift / fitted)});
  }

  bool found() const { return found_; }
  GroupScale scale() const { return best_; }

 private:
  void keep(double noise, GroupScale scale) {
    if (found_ && noise >= noise_) return;
    found_ = true;
    noise_ = noise;
    best_ = scale;
  }

  const Group& group_;
  float top_;
  bool fits_, found_ = false;
  double noise_ = 0;
  GroupScale best_;
};

GroupScale search(const Group& group, const Scheme& scheme, bool fits) {
  const auto [least, steps] = search_for(scheme.bits);
  const std::uint32_t half = scheme.level_count() / 2;
  const auto top = static_cast<float>(scheme.level_count() - 1), middle = static_cast<float>(half);
  const GroupScale plain = scale_by_min_max(group, scheme);
  const bool offset = takes_offset(group, scheme);
  Best best(group, scheme, fits);
  if (offset)
    best.consider_offset(plain.scale, plain.zero);
  else
    best.consider(plain.scale, plain.zero);
  for (int i = 0; i < steps; ++i) {
    const float part = least + (1.02F - least) * static_cast<float>(i) / static_cast<float>(steps - 1);
    if (scheme.symmetric) {
      // There is one more code below the middle than above: it goes to the side that reaches further.
      const float widest = group.high > -group.low ? -group.high : -group.low;
      best.consider(widest * part / (middle - 0.25F), middle);
    } else if (offset) {
      // The range shrinks around its own middle, wherever that is.
      best.consider_offset(plain.scale * part, (plain.zero - top / 2) / part + top / 2);
    } else {
      const float scale = (group.high - group.low) * part / top;
      best.consider(scale, std::clamp(std::nearbyint(-group.low * part / scale), 0.0F, top));
    }
  }
  return best.found() ? best.scale() : plain;
}

}  // namespace

GroupScale scale_by_mse(const Group& group, const Scheme& scheme) { return search(group, scheme, false); }
GroupScale scale_by_least_squares(const Group& group, const Scheme& scheme) { return search(group, scheme, true); }

}  // namespace onnxpress::weights
