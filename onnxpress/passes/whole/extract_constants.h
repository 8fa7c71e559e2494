// Turns constants into inputs of the model, to be fed from files: what `onnxpress shrink --npy` and `--extract` do to
// the graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct ExtractWish {
  bool repeated = false;               // every tensor that occurs more than once and that no user takes as a parameter
  std::span<const std::string> names;  // constants by name
  std::span<const std::string> nodes;  // all constants, except scalars, that nodes with these names read
};

struct Extracted {
  Value* input = nullptr;  // new, of the main graph
  Tensor tensor;           // the constant that it replaces
};

// Equal constants become one input, which has the name of the first. Throws Error for a name that the model does not
// have, and for a constant that cannot become an input.
std::vector<Extracted> extract_constants(Model& model, const ExtractWish& wish);

}  // namespace onnxpress::passes
