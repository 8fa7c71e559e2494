// AveragePool, LpPool and the global forms.
#pragma once

#include "onnxpress/ops/core/call.h"

namespace onnxpress::ops {

bool evaluate_average_pool(Call& call);
bool evaluate_lp_pool(Call& call);
bool evaluate_global_average_pool(Call& call);
bool evaluate_global_max_pool(Call& call);
bool evaluate_global_lp_pool(Call& call);
bool evaluate_quantized_average_pool(Call& call);         // com.microsoft QLinearAveragePool
bool evaluate_quantized_global_average_pool(Call& call);  // com.microsoft QLinearGlobalAveragePool

}  // namespace onnxpress::ops
