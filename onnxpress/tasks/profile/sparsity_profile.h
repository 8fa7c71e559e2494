// Zeros in weights, and the multiply-adds that they save: `--sparsity`.
#pragma once

#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/analysis/tensor_list.h"
#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress {

// `rows` are the nodes of report.node_list, which get their share of zeros and their effective work.
SparsityProfile sparsity_profile(const Model& model, const analysis::Facts& facts, const analysis::TensorList& tensors,
                                 const std::vector<const Node*>& rows, ProfileReport& report);

}  // namespace onnxpress
