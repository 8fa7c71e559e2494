// Which weights become integers whose activations are rounded at run time (`onnxpress quantize --activations dynamic`),
// and why the others do not.
#pragma once

#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// Is it asked for, by an option or by a line of the recipe (which has been applied already)?
bool wants_dynamic(const QuantizeOptions& options, const std::vector<PlannedWeight>& planned);
// Sets `dynamic` and one chosen form where it can be done, and `not_dynamic` where it cannot. Throws Error if the model
// or the options do not allow it.
void plan_dynamic(const Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options,
                  weights::Target target);
// Replaces the nodes of these weights in the model.
void insert_dynamic(Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options);

}  // namespace onnxpress
