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

template <>
struct Words<EngineName> {
  static constexpr std::pair<std::string_view, EngineName> kAll[] = {
      {"ort", EngineName::kOrt},
      {"onnxpress", EngineName::kOnnxpress},
  };
};

template <>
struct Fields<EngineOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("engine", &EngineOptions::engine, "what runs the model: ort, or onnxpress (the built-in evaluator, which is slower); default: ort if it is found");
  }
};

}  // namespace onnxpress
