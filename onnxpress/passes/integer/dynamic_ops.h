// Layers that compute with integers: the activation is rounded to 8 bits when the model runs (DynamicQuantizeLinear),
// and MatMulInteger or ConvInteger multiplies it with the codes of the weight. Standard ops of opset 11; ONNX Runtime
// makes one DynamicQuantizeMatMul of those of a MatMul.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/passes/integer/weight_codes.h"
#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/quantize.h"

namespace onnxpress::passes {

// A MatMul, Gemm or Conv whose second operand is the weight.
struct DynamicUse {
  Node* node;
  Node* transpose = nullptr;  // the Transpose between the weight and the node, if any
  bool transposed = false;    // the product needs the codes transposed
};

// Which users of a weight become integer ops, and which do not.
struct DynamicUses {
  std::vector<DynamicUse> taken;
  std::size_t channel_axis = 0;  // of the weight; the same for all in `taken`
  bool others = false;           // other users need the floats, which are decoded from the same codes
  std::string refused;           // why one of the other users does not change
};

// `refusal` returns why a node must stay as it is, or an empty string if it may change.
DynamicUses dynamic_uses(const Value& weight, const Scopes& scopes,
                         const std::function<std::string(const Node&)>& refusal);

class DynamicRewriter {
 public:
  // `all` is everything that will be rewritten: each activation is quantized once, where all its users can see it.
  DynamicRewriter(Model& model, IntegerCodes codes, const std::vector<const DynamicUses*>& all);
  // `codes` must be of the kind given to the constructor. The weight is removed, or decoded for its other users.
  void rewrite(Value& weight, const DynamicUses& uses, WeightCodes codes);

 private:
  struct Activation {
    Graph* graph;  // where it is quantized
    Value *codes = nullptr, *scale = nullptr, *zero = nullptr;
  };
  struct Product;  // of one weight

  struct Place {
    Graph& graph;
    Node* position;  // new nodes go in front of it; null: at the end
  };

  Product make_product(Value& weight, const DynamicUses& uses, WeightCodes codes);
  void decode(const Place& place, Value* value, const DynamicUses& uses, const Product& product);
  void replace(const DynamicUse& use, Product& product);
  const Activation& quantized_activation(Value* x);
  Value* multiplied(const Place& place, const DynamicUse& use, const Activation& x, const Product& product);
  Value* scales_for(const Node& node, const Product& product);
  Value* bias_of(const Place& place, const Node& node, const Product& product);
  Value* spread_bias(const Place& place, Value* bias, std::span<const std::int64_t> dims);

  Value* constant(const Place& place, ElementType type, std::span<const std::int64_t> dims, Tensor::Content content);
  Value* add(const Place& place, std::string_view op_type, const std::vector<Value*>& inputs,
             const std::vector<Attribute*>& attributes = {}, Value* output = nullptr, std::string_view name = {});
  Attribute* attribute(std::string_view name, std::int64_t value);

  Model& model_;
  IntegerCodes codes_;
  Value* zero_point_ = nullptr;  // 128
  std::unordered_map<Value*, Activation> activations_;
  std::unordered_map<Value*, Value*> biases_;  // biases of convolutions, with the dims that Add needs
};

// The bytes that a weight takes in the file afterwards, including the new nodes.
std::uint64_t dynamic_bytes(const Tensor& weight, std::size_t scales, const DynamicUses& uses);

}  // namespace onnxpress::passes
