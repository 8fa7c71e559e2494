// The smallest legal form of a tensor in a file: raw data, or a packed list of varints.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress::format {

// Small non-negative integers take one byte each as varints and up to eight as raw data; everything else is smallest as
// raw data. Tensors in external files stay there; tensors with unknown fields, and those in attributes of nodes other
// than Constant and ConstantOfShape, stay as they are. Returns how many tensors changed; those that become varints are
// Storage::kTyped without an origin.
std::uint64_t choose_storage_form(Model& model);

}  // namespace onnxpress::format
