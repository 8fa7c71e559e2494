// Compares the shapes of all results with and without the sizes of the inputs.
#include "onnxpress/inputs/open_axes.h"

#include <algorithm>

namespace onnxpress::inputs {

std::optional<std::int64_t> smallest_open_axis(const Model& model, const analysis::FactSettings& open,
                                               const analysis::FactSettings& given) {
  const analysis::Facts without(model, open), with(model, given);
  std::optional<std::int64_t> smallest;
  for (const Node& node : model.graph().nodes()) {
    for (const Value* value : node.outputs()) {
      const auto before = value ? without.shape_of(*value) : std::nullopt;
      const auto after = value ? with.shape_of(*value) : std::nullopt;
      if (!before || !after || before->size() != after->size()) continue;
      for (std::size_t i = 1; i < after->size(); ++i) {
        const auto size = (*after)[i].size();
        if (size && *size > 0 && !(*before)[i].size()) smallest = std::min(smallest.value_or(*size), *size);
      }
    }
  }
  return smallest;
}

}  // namespace onnxpress::inputs
