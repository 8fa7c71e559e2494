// What a user says about unknown ops (`--custom-ops FILE`): functions, or rules for their shapes.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/shape_rules.h"

namespace onnxpress {

// A file named .onnx, .onnxtxt, .txt or .json is a model with functions, any other one a text of rules.
class CustomOps {
 public:
  // For tasks that change the model: the functions are part of it as long as this object exists, which must be
  // destroyed before the model is written. Throws Error when the file cannot be read or contains neither.
  CustomOps(Model& model, const std::optional<std::string>& path);
  // For tasks that only look at the model: the functions are part of a copy.
  CustomOps(const Model& model, const std::optional<std::string>& path);
  CustomOps(const CustomOps&) = delete;
  CustomOps& operator=(const CustomOps&) = delete;
  ~CustomOps();

  // The model with the functions.
  const Model& model() const { return copy_ ? *copy_ : model_; }
  const ops::ShapeRules* rules() const { return rules_ ? &*rules_ : nullptr; }  // null: none

 private:
  // The encoded model with functions; empty if the file has rules, or there is none.
  std::string read(const std::optional<std::string>& path);

  const Model& model_;
  Model* changed_ = nullptr;  // has `own_` functions of its own
  std::size_t own_ = 0;
  std::optional<Model> copy_;
  std::optional<ops::ShapeRules> rules_;
};

}  // namespace onnxpress
