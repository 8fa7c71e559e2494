// Checks the in-memory invariants of a model. A violation is a bug in onnxpress, never a fault of the file. Tests and
// fuzzers call it.
#pragma once

#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Empty when use lists, producers, owners, order and node links agree, looked at from both ends; otherwise what is
// wrong first. Linear in the size of the model.
std::string verify(const Model& model);

}  // namespace onnxpress
