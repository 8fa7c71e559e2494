// Counting rules of other tools. Their published figures can be compared with ours only by their own rules.
#pragma once

#include <cstdint>

#include "onnxpress/ops/core/cost.h"

namespace onnxpress::analysis {

enum class CountStyle : std::uint8_t {
  kMac,       // multiply-adds only
  kFlop,      // two for each multiply-add, and all other operations
  kOnnxTool,  // onnx-tool 1.0.1: instructions of the forward pass, including its mistakes
  kFvcore,    // fvcore's "flops": multiply-adds, normalization, average pooling, resizing
  kThop,      // thop's "MACs": layers only, no product of two activations
};

// The tool's count for one node of the standard domain: 0 for ops that it leaves out, unknown where sizes are unknown.
Dim onnx_tool_count(ops::CostQuery& query);
Dim fvcore_count(ops::CostQuery& query);
Dim thop_count(ops::CostQuery& query);

// Whether onnx-tool leaves this op out of its tables and totals by default.
bool onnx_tool_hides(std::string_view op_type);

}  // namespace onnxpress::analysis
