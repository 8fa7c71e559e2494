// The fields of the structs in onnxpress/engine.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/engine.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<RuntimeChoice> {
  static constexpr std::pair<std::string_view, RuntimeChoice> kAll[] = {
      {"ort", RuntimeChoice::kOrt},
      {"onnxpress", RuntimeChoice::kOnnxpress},
      {"both", RuntimeChoice::kBoth},
  };
};

}  // namespace onnxpress
