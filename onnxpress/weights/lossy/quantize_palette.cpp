// The best palette of a tensor: optimal one-dimensional k-means by dynamic programming over a fine histogram.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kBins = 4096;

// Prefix sums over the bins that are not empty. They give the cost of one value for bins i ... j.
struct Bins {
  std::vector<double> count{0}, sum{0}, squares{0};

  std::size_t size() const { return count.size() - 1; }
  void add(double n, double s, double q) {
    count.push_back(count.back() + n), sum.push_back(sum.back() + s), squares.push_back(squares.back() + q);
  }
  double cost(std::size_t begin, std::size_t end) const {
    const double n = count[end] - count[begin], s = sum[end] - sum[begin];
    return n <= 0 ? 0 : std::max(0.0, squares[end] - squares[begin] - s * s / n);
  }
  double mean(std::size_t begin, std::size_t end) const {
    return (sum[end] - sum[begin]) / (count[end] - count[begin]);
  }
};

template <typename Visit>
void for_each_float(const FloatSource& source, Visit&& visit) {
  float x[kMostSummed];
  for (std::uint64_t at = 0; at < source.count(); at += kMostSummed) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kMostSummed, source.count() - at));
    source.read(at, count, x);
    visit(std::span<const float>(x, count));
  }
}

Bins histogram_of(const FloatSource& source, bool& has_zeros) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for_each_float(source, [&](std::span<const float> x) {
    for (const float each : x) low = std::min<double>(low, each), high = std::max<double>(high, each);
    has_zeros = has_zeros || range_of(x.data(), x.size()).zeros > 0;
  });
  std::vector<double> count(kBins, 0), sum(kBins, 0), squares(kBins, 0);
  const double width = high > low ? (kBins - 1) / (high - low) : 0;
  for_each_float(source, [&](std::span<const float> x) {
    for (const float each : x) {
      const auto bin = static_cast<std::size_t>((each - low) * width);
      ++count[bin], sum[bin] += each, squares[bin] += static_cast<double>(each) * each;
    }
  });
  Bins bins;
  for (std::size_t i = 0; i < kBins; ++i) {
    if (count[i] > 0) bins.add(count[i], sum[i], squares[i]);
  }
  return bins;
}

// One row of the dynamic program: cost[j] of the first j bins in k + 1 parts, from `last` for k parts. The best place
// to cut moves right with j, so the cut for the middle j bounds the search for the others.
void fill_row(const Bins& bins, const std::vector<double>& last, std::vector<double>& cost,
              std::vector<std::uint16_t>& cut, std::size_t begin, std::size_t end, std::size_t least,
              std::size_t most) {
  if (begin >= end) return;
  const std::size_t j = (begin + end) / 2;
  double best = std::numeric_limits<double>::infinity();
  std::size_t at = least;
  for (std::size_t i = least; i <= std::min(most, j); ++i) {
    const double each = last[i] + bins.cost(i, j);
    if (each < best) best = each, at = i;
  }
  cost[j] = best;
  cut[j] = static_cast<std::uint16_t>(at);
  fill_row(bins, last, cost, cut, begin, j, least, at);
  fill_row(bins, last, cost, cut, j + 1, end, at, most);
}

}  // namespace

std::vector<float> palette_of(const FloatSource& source, std::size_t count) {
  bool has_zeros = false;
  const Bins bins = histogram_of(source, has_zeros);
  const std::size_t n = bins.size();
  count = std::min(count, n);
  std::vector<std::vector<std::uint16_t>> cuts(count, std::vector<std::uint16_t>(n + 1, 0));
  std::vector<double> last(n + 1), cost(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = bins.cost(0, j);
  for (std::size_t k = 1; k < count; ++k) {
    fill_row(bins, last, cost, cuts[k], 0, n + 1, 0, n);
    std::swap(last, cost);
  }
  std::vector<float> values;
  std::size_t end = n;
  for (std::size_t k = count; k-- > 0 && end > 0;) {
    const std::size_t begin = k == 0 ? 0 : cuts[k][end];
    if (begin < end) values.push_back(static_cast<float>(bins.mean(begin, end)));
    end = begin;
  }
  std::ranges::reverse(values);
  if (has_zeros && !values.empty()) {
    *std::ranges::min_element(values, {}, [](float each) { return std::abs(each); }) = 0;
  }
  return values;
}

}  // namespace onnxpress::weights
