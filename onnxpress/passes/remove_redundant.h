// Removes what a reader can work out by itself: attributes that have their default value, and declared types of inner
// values that follow from the ops.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// By the schema of the op's version; standard domains only. How many.
std::uint64_t remove_default_attributes(Model& model);

// Declarations that a runtime's own inference gives as well (FactSettings::as_runtime), element type and every dim, and
// those of values that are no more. How many. Types of inputs and outputs, and what an unknown op puts out, stay.
std::uint64_t remove_redundant_types(Model& model);

}  // namespace onnxpress::passes
