// Finds the smallest possible size of the largest part by bisection, then the cuts with the least data under that
// bound.
#include "onnxpress/tasks/parts/choose_cuts.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace onnxpress {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// How few parts can there be when none costs more than `most`? Greedy is best, as costs are not negative.
std::size_t parts_needed(std::span<const std::uint64_t> cost, std::uint64_t most) {
  std::size_t parts = 1;
  std::uint64_t sum = 0;
  for (const std::uint64_t each : cost) {
    if (each > most) return cost.size() + 1;
    if (sum + each > most) {
      ++parts;
      sum = 0;
    }
    sum += each;
  }
  return parts;
}

std::uint64_t smallest_largest_part(std::span<const std::uint64_t> cost, std::uint64_t total, std::size_t parts) {
  std::uint64_t low = 0, high = total;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (parts_needed(cost, middle) <= parts) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::vector<std::size_t> choose_cuts(std::span<const std::uint64_t> cost, std::span<const std::uint64_t> data,
                                     std::size_t parts) {
  const std::size_t count = cost.size();
  std::vector<std::uint64_t> sums = {0};
  for (const std::uint64_t each : cost) sums.push_back(sums.back() + each);
  const std::uint64_t best = smallest_largest_part(cost, sums.back(), parts);
  const std::uint64_t most = best + best / 10;
  // least[k][i]: the least data when the first i nodes form k parts. Each row is the sliding-window minimum of the row
  // before it, because the first possible start of a part only moves forward as its end does.
  std::vector<std::vector<std::uint64_t>> least(parts + 1, std::vector<std::uint64_t>(count + 1, kNever));
  std::vector<std::vector<std::size_t>> begin(parts + 1, std::vector<std::size_t>(count + 1, 0));
  least[0][0] = 0;
  for (std::size_t k = 1; k <= parts; ++k) {
    std::deque<std::size_t> window;  // possible starts, the one with the least data first
    const auto price = [&](std::size_t start) {
      const std::uint64_t before = least[k - 1][start];
      return before == kNever ? kNever : before + (start == 0 ? 0 : data[start]);
    };
    for (std::size_t end = 1; end <= count; ++end) {
      const std::uint64_t entering = price(end - 1);
      if (entering != kNever) {
        while (!window.empty() && price(window.back()) >= entering) window.pop_back();
        window.push_back(end - 1);
      }
      while (!window.empty() && sums[end] - sums[window.front()] > most) window.pop_front();
      if (window.empty()) continue;
      least[k][end] = price(window.front());
      begin[k][end] = window.front();
    }
  }
  std::vector<std::size_t> cuts;
  for (std::size_t k = parts, end = count; k > 1; --k) {
    end = begin[k][end];
    cuts.push_back(end);
  }
  std::ranges::reverse(cuts);
  return cuts;
}

}  // namespace onnxpress
