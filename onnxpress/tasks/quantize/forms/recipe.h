// Recipes: which weights are stored how, as a small text that people can edit.
//
//   # pattern of tensor names, node names or op types, then a scheme; the last line that matches counts
//   *            int8
//   Gather       int4 block=32 asym
//   head.weight  keep
#pragma once

#include <string>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Sets `requested` of each weight. Throws Error with the line that makes no sense or matches nothing.
void apply_recipe(const std::string& path, std::vector<PlannedWeight>& planned);
void save_recipe(const std::string& path, const std::vector<PlannedWeight>& planned);

}  // namespace onnxpress
