// Removes what a reader can work out by itself: attributes that have their default value, and declared types of inner
// values that follow from the ops.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The defaults come from the schema of the op's version; only for standard domains. Returns how many were removed.
std::uint64_t remove_default_attributes(Model& model);

// Removes declarations whose element type and dims a runtime infers itself (FactSettings::as_runtime), and those of
// values that no longer exist. Types of inputs and outputs, and of results of unknown ops, stay. Returns how many were
// removed.
std::uint64_t remove_redundant_types(Model& model);

}  // namespace onnxpress::passes
