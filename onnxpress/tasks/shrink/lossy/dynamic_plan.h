// Which weights become integers whose activations are rounded at run time (`onnxpress shrink --dynamic`), and why the
// others do not.
#pragma once

#include <vector>

#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// By options, or by a line of a recipe (which is applied already).
bool wants_dynamic(const CompressOptions& options, const std::vector<PlannedWeight>& planned);
// Sets `dynamic` and one chosen form where it can be done, and `not_dynamic` where not. Throws Error for options and
// models that do not go with it.
void plan_dynamic(const Model& model, std::vector<PlannedWeight>& planned, const CompressOptions& options,
                  weights::Target target);
// Changes the model.
void insert_dynamic(Model& model, std::vector<PlannedWeight>& planned, const CompressOptions& options);

}  // namespace onnxpress::tasks
