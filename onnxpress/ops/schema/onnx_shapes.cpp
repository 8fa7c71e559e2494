// Ops at which the inference of the onnx package stops.
#include "onnxpress/ops/schema/onnx_shapes.h"

#include <algorithm>
#include <string_view>

namespace onnxpress::ops {

FoundShape shape_found_by_onnx(const Schema& schema) {
  constexpr std::string_view kStops[] = {"BlackmanWindow",  "CenterCropPad", "HammingWindow", "HannWindow", "MaxUnpool",
                                         "MelWeightMatrix", "STFT",          "Squeeze",       "Unsqueeze"};
  if (!schema.domain.empty()) return FoundShape::kAll;
  if (schema.name == "TopK") return FoundShape::kRank;
  const bool stops = std::ranges::find(kStops, schema.name) != std::end(kStops) || schema.name.starts_with("Reduce") ||
                     (schema.name == "Reshape" && schema.since < 14);
  return stops ? FoundShape::kNothing : FoundShape::kAll;
}

}  // namespace onnxpress::ops
