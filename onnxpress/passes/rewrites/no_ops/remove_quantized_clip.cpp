// Removes a Clip or Relu whose limits QuantizeLinear has anyway.
//
//   before: y = QuantizeLinear(Relu(x), 0.1, 0)   with uint8; or Clip(x, -12.8, 12.7) with int8 and the zero point 0
//   after:  y = QuantizeLinear(x, 0.1, 0)
//
// Numbers beyond a limit must become the smallest or the largest integer with the limit, too, for every scale and zero
// point. Nothing else may read the Clip.
#include <cmath>
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/quantization.h"

namespace onnxpress::passes {

namespace {

struct Limits {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

std::optional<Limits> limits_of(const Node& node, const Rewriter& rw) {
  Limits limits;
  if (node.is("Relu")) {
    limits.low = 0;
    return limits;
  }
  const auto params = rw.params(node);
  const auto min = params.real("min"), max = params.real("max");
  if ((params.given("min") && !min) || (params.given("max") && !max)) return std::nullopt;
  if (min) limits.low = static_cast<float>(*min);
  if (max) limits.high = static_cast<float>(*max);
  return limits.low <= limits.high ? std::optional(limits) : std::nullopt;  // also not NaN
}

// Whether both limits are at or beyond the ends of the grid.
bool has_limits(const QuantizationGrid& grid, const Limits& limits) {
  const bool is_signed = grid.type == ElementType::kInt8;
  if (!is_signed && grid.type != ElementType::kUint8) return false;
  const float first = is_signed ? -128 : 0, last = is_signed ? 127 : 255;
  const auto zeros = grid.zero ? grid.zero->integers() : std::vector<std::int64_t>(grid.scale.count(), 0);
  if (grid.scale.type() != ElementType::kFloat || !zeros || zeros->size() != grid.scale.count()) return false;
  for (std::size_t i = 0; i < zeros->size(); ++i) {
    const float scale = grid.scale.data<float>()[i], zero = static_cast<float>((*zeros)[i]);
    if (!(std::nearbyint(limits.low / scale) + zero <= first && std::nearbyint(limits.high / scale) + zero >= last))
      return false;
  }
  return true;
}

bool apply_remove_quantized_clip(Node& quantize, Rewriter& rw) {
  const Node* clip = rw.sole_producer(quantize.input(0), "Relu");
  if (!clip) clip = rw.sole_producer(quantize.input(0), "Clip");
  if (!clip || rw.element_of(clip->input(0)) != ElementType::kFloat) return false;
  const auto limits = limits_of(*clip, rw);
  const auto grid = limits ? grid_of(quantize, rw) : std::nullopt;
  return grid && has_limits(*grid, *limits) && rw.set_input(quantize, 0, clip->input(0));
}

constexpr std::string_view kRemoveQuantizedClipRoots[] = {"QuantizeLinear"};

}  // namespace

extern const Rewrite remove_quantized_clip;
const Rewrite remove_quantized_clip = {.name = "remove-quantized-clip",
                                       .summary = "removes a Clip or Relu whose limits QuantizeLinear has anyway",
                                       .exactness = Exactness::kExact,
                                       .group = "no_ops",
                                       .roots = kRemoveQuantizedClipRoots,
                                       .apply = apply_remove_quantized_clip};

}  // namespace onnxpress::passes
