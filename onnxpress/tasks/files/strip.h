// Removes parts that a model does not need to run: names of nodes, documentation, metadata, declared types of inner
// values.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Works on the main graph, bodies, functions and training graphs. Parts with nothing to remove keep their bytes.
StripReport strip(Model& model, const StripOptions& options);

}  // namespace onnxpress
