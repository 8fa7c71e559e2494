// Engine: runs a model at any size in one arena of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"
#include "onnxpress/onnxpress.h"

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;  // of symbols

class Engine {
 public:
  // Computes the formulas of all shapes once. Throws onnxpress::Error if there is no kernel for an op of the model.
  explicit Engine(onnxpress::Model& model);

  // Bytes that a run at these sizes needs.
  std::int64_t bytes_for(const Sizes& sizes);
  // The only memory that is ever allocated for values.
  void reserve(std::int64_t bytes);

  // Sets the sizes for the following runs; nothing is inferred and nothing is allocated.
  void resize(const Sizes& sizes);
  View input(std::size_t i) const;
  View output(std::size_t i) const;
  void run();

 private:
  // A value, by its index in the shape engine, a weight, or an operand that the shape engine provides.
  struct Slot {
    enum class Kind { kValue, kWeight, kOperand } kind = Kind::kValue;
    std::size_t index = 0;
  };
  struct Step {
    const onnxpress::Node* node = nullptr;
    Kernel kernel = nullptr;
    std::vector<Slot> inputs;
    Slot output;
  };
  Slot slot_of(const onnxpress::Value& value);
  View view(const Slot& slot) const;

  onnxpress::ShapeEngine shapes_;
  std::vector<Step> steps_;
  std::vector<onnxpress::Bytes> weights_;
  std::vector<View> weight_views_;
  std::vector<Slot> inputs_, outputs_;
  std::vector<View> scratch_;
  std::unique_ptr<std::byte[]> arena_;
  std::int64_t reserved_ = 0;
};
