// Tells the granularity of a quantization from the shape of its scale.
#include "onnxpress/ops/kernels/scale_runs.h"

#include <fmt/format.h>

#include "onnxpress/ops/kernels/axis_layout.h"

namespace onnxpress::ops {

std::optional<ScaleRuns> ScaleRuns::of(const Params& params, const Sizes& x, const Sizes& scale, std::string& why) {
  ScaleRuns runs;
  const std::int64_t block = params.integer_or("block_size", 0);
  if (count_of(scale) == std::size_t{1} && block == 0) {
    runs.inner_ = count_of(x).value_or(0);
    return runs;
  }
  const auto axis = normal_axis(params.integer_or("axis", 1), x.size());
  // If the operand has only one axis, 'axis' does not matter.
  const auto at = axis ? axis : x.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
  if (!at) {
    why = "'axis' is out of range";
    return std::nullopt;
  }
  const AxisLayout layout(x, *at);
  runs.outer_ = layout.outer, runs.length_ = layout.length, runs.inner_ = layout.inner;
  if (block == 0) {
    if (scale.size() == 1 && scale[0] == x[*at]) return runs;
    why = "the scale does not have the size of the axis";
    return std::nullopt;
  }
  Sizes expected = x;
  if (block > 0) expected[*at] = x[*at] / block + (x[*at] % block != 0 ? 1 : 0);
  if (block < 0 || scale != expected) {
    why = fmt::format("the scale's shape does not match blocks of {}", block);
    return std::nullopt;
  }
  runs.block_ = static_cast<std::size_t>(block), runs.blocks_ = static_cast<std::size_t>(expected[*at]);
  return runs;
}

}  // namespace onnxpress::ops
