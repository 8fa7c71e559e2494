// The place of a value inside a model's JSON form, for messages: "$.graph.node[3].attribute[0].i".
#pragma once

#include <string>
#include <vector>

#include "onnxpress/format/schema.h"

namespace onnxpress::format {

struct JsonStep {
  static constexpr std::size_t kWhole = ~std::size_t{0};
  const Field* field;
  std::size_t index = kWhole;  // in a list
};

inline std::string json_path(const std::vector<JsonStep>& steps) {
  std::string path = "$";
  for (const JsonStep& step : steps) {
    path += '.';
    path += step.field->json_name.view();
    if (step.index != JsonStep::kWhole) path += '[' + std::to_string(step.index) + ']';
  }
  return path;
}

}  // namespace onnxpress::format
