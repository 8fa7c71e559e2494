// Rules for the attributes of tree ensembles. Each function contradicts and returns false when a rule is broken.
#pragma once

#include <string_view>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// Lists of nodes have one entry per node, lists of leaves one per leaf, and all numbers have the type of the operand.
bool require_trees(Inference& in);
// The forms with one list per kind of number, in which `votes` names the weights: from version 3 on they take numbers
// in tensors as well, but not in both ways, and the operand must have rank 2.
bool require_classic_trees(Inference& in, std::string_view votes);

}  // namespace onnxpress::ops
