// One set of inputs for a run of a model, and what is known about where they are from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/inputs/input_kinds.h"

namespace onnxpress::inputs {

struct InputSet {
  std::string about;                             // "random, N=2", or the file it is from
  std::optional<InputKind> kind = std::nullopt;  // nullopt: random numbers of each type, or from a file
  engines::NamedArrays arrays;
  std::vector<std::pair<std::string, std::int64_t>> sizes = {};  // of dims that the model leaves open
};

}  // namespace onnxpress::inputs
