// Places large values first, each at the lowest offset that is free during its lifetime.
#include <algorithm>
#include <numeric>

#include "onnxpress/tasks/shapes/shapes.h"

namespace onnxpress {

namespace {

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

EnginePlan plan_of(const std::vector<EngineValue>& values, const std::vector<std::int64_t>& bytes) {
  EnginePlan plan;
  plan.offsets.assign(values.size(), -1);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order,
                [&](std::size_t i) { return values[i].first < 0 || values[i].element_bits == 0 || bytes[i] < 0; });
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return bytes[i]; });
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t i : order) {
    std::int64_t at = 0;
    for (const std::size_t other : placed) {
      if (values[other].last < values[i].first || values[i].last < values[other].first) continue;
      if (at + bytes[i] <= plan.offsets[other]) break;
      at = std::max(at, plan.offsets[other] + aligned(bytes[other]));
    }
    plan.offsets[i] = at;
    plan.arena_bytes = std::max(plan.arena_bytes, at + aligned(bytes[i]));
    const auto behind = std::ranges::upper_bound(placed, at, {}, [&](std::size_t each) { return plan.offsets[each]; });
    placed.insert(behind, i);
  }
  return plan;
}

}  // namespace onnxpress
