// Layers between QuantizeLinear and DequantizeLinear, with ranges of activations that are known in advance. Some
// runtimes fuse DequantizeLinear, the layer and QuantizeLinear into one integer kernel; others compute node by node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/integer/weight_codes.h"

namespace onnxpress::passes {

// A number is (code - zero) * scale, with codes from 0 to 255. The range has 0 in it, so that padding is exact.
struct ActivationRange {
  float low = 0, high = 0;
  float scale() const;
  std::uint8_t zero() const;
};

// A Conv, Gemm or MatMul whose second operand is a constant.
struct StaticLayer {
  Node* node = nullptr;
  Value* bias = nullptr;             // a constant with one number for each output channel; null: none
  std::vector<double> bias_numbers;  // what the bias becomes, before it is rounded
  std::size_t channel_axis = 0;
  WeightCodes weight;  // signed
};

// What becomes integers.
struct StaticPlan {
  std::vector<StaticLayer> layers;
  std::vector<Node*> others;                                 // that compute with the same codes: pools, Add, Concat
  std::unordered_map<const Value*, ActivationRange> ranges;  // of all activations in front of and behind these
};

// Changes the model. Constants that nothing reads any more are removed.
void insert_static(Model& model, const StaticPlan& plan);

}  // namespace onnxpress::passes
