// Words the messages for lists of axes.
#include "onnxpress/ops/core/axis_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/rules.h"

namespace onnxpress::ops {

bool require_axes(Inference& in, std::span<const std::int64_t> axes, std::size_t rank) {
  return std::ranges::all_of(axes, [&](std::int64_t axis) { return required_axis(in, axis, rank).has_value(); });
}

bool require_different_axes(Inference& in, std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<bool> seen(rank, false);
  for (const std::int64_t axis : axes) {
    const auto normal = required_axis(in, axis, rank);
    if (!normal) return false;
    if (seen[*normal]) {
      in.contradict(fmt::format("axis {} is given twice", axis));
      return false;
    }
    seen[*normal] = true;
  }
  return true;
}

bool is_stated(const Inference& in, std::size_t operand) {
  const Value* value = in.params.node().input(operand);
  return value && constant_tensor(*value);
}

bool require_length(Inference& in, std::string_view parameter, std::size_t count) {
  const auto list = in.params.given(parameter) ? in.symbolic(parameter) : std::nullopt;
  if (!list || list->size() == count) return true;
  in.contradict(fmt::format("{} has {} entries, but needs {}", parameter, list->size(), count));
  return false;
}

}  // namespace onnxpress::ops
