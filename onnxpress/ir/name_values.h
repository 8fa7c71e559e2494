// Gives every value without a name a new, unique one.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Values that we made have no name until they are written. They are named by order of appearance ("v0", "v1", ...),
// around the names that are there, so the same model always gets the same names.
void name_values(Model& model);
// Are there any that it would name?
bool has_unnamed_values(const Model& model);

}  // namespace onnxpress
