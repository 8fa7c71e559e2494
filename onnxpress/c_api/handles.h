// What is behind the handles of the C interface.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "onnxpress/engines/find_engine.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/onnxpress_c.h"

struct onnxpress_model {
  onnxpress::Model model;
};

struct onnxpress_report {
  std::string text;
  // The same, parsed when it is first asked for.
  mutable std::once_flag parse;
  mutable nlohmann::json values;
};

struct onnxpress_engine {
  onnxpress::engines::Engines engines;  // two for runtime "both"
  std::optional<onnxpress::RuntimeChoice> chosen;
  std::string name;
};

struct onnxpress_error {
  std::string text, hint, file;
};

namespace onnxpress::c_api {

// The engine of options that run a model; null is the built-in evaluator.
inline std::shared_ptr<const engines::Engine> engine_in(const onnxpress_engine* engine) {
  return engine ? engine->engines.front() : nullptr;
}

}  // namespace onnxpress::c_api
