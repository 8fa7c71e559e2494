// Layers between QuantizeLinear and DequantizeLinear, with ranges of activations that are known beforehand. A runtime
// makes one integer kernel of DequantizeLinear, the layer and QuantizeLinear; any other computes node by node.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

// A number is (code - zero) * scale, with codes from 0 to 255. The range has 0 in it, so that padding is exact.
struct ActivationRange {
  float low = 0, high = 0;
  float scale() const;
  std::uint8_t zero() const;
};

// A Conv, Gemm or MatMul whose second operand is a constant.
struct StaticLayer {
  Node* node = nullptr;
  Value* bias = nullptr;  // a constant with one number for each output channel; null: none
  std::size_t channel_axis = 0;
  std::shared_ptr<const Quantized> weight;  // 8 bits, symmetric, a scale for each index of that axis
  std::vector<float> shift;                 // what is added to the bias; empty: nothing
};

// What becomes integers.
struct StaticPlan {
  std::vector<StaticLayer> layers;
  std::vector<Node*> others;                                 // that compute with the same codes: pools, Add, Concat
  std::unordered_map<const Value*, ActivationRange> ranges;  // of all activations in front of and behind these
};

// Changes the model. Constants that nothing reads any more go away.
void insert_static(Model& model, const StaticPlan& plan);

}  // namespace onnxpress::weights
