// What a user says about unknown ops (`--custom-ops FILE`): functions, or rules for their shapes.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/shape_rules.h"

namespace onnxpress::tasks {

// The functions are part of the model as long as this object exists; it must be destroyed before the model is written.
class CustomOps {
 public:
  // A file named .onnx, .onnxtxt, .txt or .json is a model with functions, any other one a text of rules. Throws Error
  // when it cannot be read or contains neither.
  CustomOps(Model& model, const std::optional<std::string>& path);
  CustomOps(const CustomOps&) = delete;
  CustomOps& operator=(const CustomOps&) = delete;
  ~CustomOps();

  const ops::ShapeRules* rules() const { return rules_ ? &*rules_ : nullptr; }  // null: none

 private:
  Model& model_;
  std::size_t own_;
  std::optional<ops::ShapeRules> rules_;
};

}  // namespace onnxpress::tasks
