// Gives every value without a name a new, unique one.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Values that we made have no name until they are written. They are named in order of appearance ("v0", "v1", ...),
// skipping names that are taken, so the same model always gets the same names.
void name_values(Model& model);
// Whether name_values() would name any value.
bool has_unnamed_values(const Model& model);

}  // namespace onnxpress
