// Counting rules of other tools. Their published figures can be compared with ours only by their own rules.
#pragma once

#include <cstdint>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/profile.h"

namespace onnxpress::analysis {

// The tool's count for one node of the standard domain: 0 for ops that it leaves out, unknown where sizes are unknown.
Dim onnx_tool_count(ops::CostQuery& query);

Dim fvcore_count(ops::CostQuery& query);

Dim thop_count(ops::CostQuery& query);

// Whether onnx-tool leaves this op out of its tables and totals by default.
bool onnx_tool_hides(std::string_view op_type);

}  // namespace onnxpress::analysis
