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

// The middle of a very long path is left out.
inline std::string json_path(const std::vector<JsonStep>& steps) {
  constexpr std::size_t kShownEnd = 12;  // enough for a place in a body in a body in a body
  std::string path = "$";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps.size() > 2 * kShownEnd && i == kShownEnd) {
      i = steps.size() - kShownEnd;
      path += "...(" + std::to_string(steps.size() - 2 * kShownEnd) + " steps)..";
    }
    path += '.';
    path += steps[i].field->json_name.view();
    if (steps[i].index != JsonStep::kWhole) path += '[' + std::to_string(steps[i].index) + ']';
  }
  return path;
}

}  // namespace onnxpress::format
