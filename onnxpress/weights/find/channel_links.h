// Where the channels of a value can be scaled without changing any result: the op that makes them is divided, and the
// weights of the layers that read them are multiplied, by the same numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::weights {

// A constant whose element e belongs to channel e / inner % channels.
struct ChannelConstant {
  Value* value = nullptr;
  std::uint64_t inner = 1;
};

struct ChannelLink {
  const Value* between = nullptr;  // what the layers behind read
  std::size_t channels = 0;
  std::vector<ChannelConstant> before;  // weight and bias of a layer, or of a normalization: to be divided
  std::vector<ChannelConstant> behind;  // weights of layers: to be multiplied
  bool weight_before = false;           // the first constant in `before` is the weight of a layer
};

// Is it a float constant that one operand reads, and nothing else?
bool is_own_floats(const Value* value);

// A link begins with Conv, Gemm, MatMul (with or without Add), LayerNormalization, BatchNormalization, or Mul and Add
// of constants. Then there may be ops that scale with their input (Relu, LeakyRelu, pools). It ends with Conv without
// groups, Gemm or MatMul; nothing else may read the value between.
std::vector<ChannelLink> find_channel_links(const Graph& graph);

}  // namespace onnxpress::weights
