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

// A number is (code - zero) * scale, with codes from 0 to 255. The range always includes 0, so that padding is exact.
struct ActivationRange {
  float low = 0, high = 0;
  float scale() const;
  std::uint8_t zero() const;
};

// A Conv, Gemm or MatMul whose second operand is a constant.
struct StaticLayer {
  Node* node = nullptr;
  Value* bias = nullptr;             // a constant with one number for each output channel; null: none
  std::vector<double> bias_numbers;  // the new bias, before rounding
  std::size_t channel_axis = 0;
  WeightCodes weight;  // signed
};

// What to convert to integers.
struct StaticPlan {
  std::vector<StaticLayer> layers;
  std::vector<Node*> others;  // other nodes that can work on the codes: pools, Add, Concat
  std::unordered_map<const Value*, ActivationRange> ranges;  // of all activations that these nodes read or compute
};

// Inserts the nodes and removes constants that are no longer used.
void insert_static(Model& model, const StaticPlan& plan);

}  // namespace onnxpress::passes
