// A summary of a model: versions, interface, nodes by op, weights by type. Reads no weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "onnxpress/analysis/tensor_list.h"
#include "onnxpress/info.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

// Each struct lists its fields once, with their descriptions; JSON and documentation are generated from that list
// (tasks/report/fields.h).

Summary summarize(const Model& model);

WeightTotals total(const TensorList& tensors);

}  // namespace onnxpress::analysis
