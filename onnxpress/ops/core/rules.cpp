// Words the messages for broken rules.
#include "onnxpress/ops/core/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace onnxpress::ops {

namespace {

// Requires that a list attribute, if present and not empty (runtimes treat an empty one as absent), has `count` entries
// that are at least `least`.
bool require_list(Inference& in, std::string_view name, std::size_t count, std::int64_t least) {
  const auto list = in.params.attribute(name) ? in.params.integers(name) : std::nullopt;
  if (!list || list->empty()) return true;
  if (list->size() != count) {
    in.contradict(fmt::format("{} has {} entries, but needs {}", name, list->size(), count));
    return false;
  }
  const auto small = std::find_if(list->begin(), list->end(), [&](std::int64_t each) { return each < least; });
  if (small == list->end()) return true;
  in.contradict(fmt::format("{} has the entry {}, but entries must be at least {}", name, *small, least));
  return false;
}

}  // namespace

std::optional<std::size_t> required_axis(Inference& in, std::int64_t axis, std::size_t rank) {
  const auto normal = normal_axis(axis, rank);
  if (!normal) in.contradict(fmt::format("axis {} does not exist in an operand of rank {}", axis, rank));
  return normal;
}

bool require_rank(Inference& in, std::size_t operand, std::size_t rank) {
  const Shape* shape = in.shape(operand);
  if (!shape || shape->size() == rank) return true;
  in.contradict(fmt::format("operand {} has rank {}, but must have rank {}", operand, shape->size(), rank));
  return false;
}

bool require_rank_at_least(Inference& in, std::size_t operand, std::size_t least) {
  const Shape* shape = in.shape(operand);
  if (!shape || shape->size() >= least) return true;
  in.contradict(fmt::format("operand {} has rank {}, but must have at least rank {}", operand, shape->size(), least));
  return false;
}

bool require_flag(Inference& in, std::string_view attribute) {
  const auto value = in.params.attribute(attribute) ? in.params.integer(attribute) : std::nullopt;
  if (!value || *value == 0 || *value == 1) return true;
  in.contradict(fmt::format("{} is {}, but must be 0 or 1", attribute, *value));
  return false;
}

bool require_positive(Inference& in, std::string_view attribute) {
  const auto value = in.params.attribute(attribute) ? in.params.integer(attribute) : std::nullopt;
  if (!value || *value > 0) return true;
  in.contradict(fmt::format("{} is {}, but must be positive", attribute, *value));
  return false;
}

bool require_windows(Inference& in, std::size_t axes) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();
  const std::string_view auto_pad = in.params.text_or("auto_pad", "NOTSET");
  const bool known = auto_pad.empty() || auto_pad == "NOTSET" || auto_pad == "VALID" || auto_pad == "SAME_UPPER" ||
                     auto_pad == "SAME_LOWER";
  if (!known) in.contradict(fmt::format("auto_pad is '{}', which does not exist", auto_pad));
  return known && require_list(in, "kernel_shape", axes, 1) && require_list(in, "strides", axes, 1) &&
         require_list(in, "dilations", axes, 1) && require_list(in, "pads", 2 * axes, kAny);
}

}  // namespace onnxpress::ops
