// A quantization annotation names its tensor and, as parameters, the scale and the zero point.
#include "onnxpress/passes/shared/annotated_names.h"

namespace onnxpress::passes {

void add_annotated_names(const Graph& graph, std::unordered_set<std::string_view>& names) {
  for (const QuantizationAnnotation& annotation : graph.quantization_annotations()) {
    names.insert(annotation.tensor_name);
    for (const MetadataEntry& parameter : annotation.parameters) names.insert(parameter.value);
  }
  names.erase(std::string_view());
}

}  // namespace onnxpress::passes
