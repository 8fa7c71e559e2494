// Checks the in-memory invariants of a model. A violation is a bug in onnxpress, never a fault of the file. Tests and
// fuzzers call it.
#pragma once

#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Checks from both ends that use lists, producers, owners, order and node links agree. Returns the first problem found,
// or an empty string. Linear in the size of the model.
std::string verify(const Model& model);

}  // namespace onnxpress
