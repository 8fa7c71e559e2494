// One set of inputs for a run of a model, and what is known about where they are from.
#pragma once

#include <optional>
#include <string>

#include "onnxpress/engines/engine.h"
#include "onnxpress/inputs/input_kinds.h"

namespace onnxpress::inputs {

struct InputSet {
  std::string about;                             // "random, N=2", or the file it is from
  std::optional<InputKind> kind = std::nullopt;  // nullopt: random numbers of each type, or from a file
  engines::NamedArrays arrays;
};

}  // namespace onnxpress::inputs
