// Turns constants into inputs of the model, to be fed from files: what `onnxpress shrink --npy` and `--extract` do to
// the graph.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct ExtractWish {
  bool repeated = false;               // every tensor that occurs more than once and is data for all its users
  std::span<const std::string> names;  // constants by name
  std::span<const std::string> nodes;  // all constants but scalars of the nodes of these names
};

struct Extracted {
  Value* input = nullptr;  // of the main graph, new
  Tensor tensor;           // what it was
};

// Equal constants become one input, which has the name of the first. Throws Error for a name that the model does not
// have, or that cannot become an input.
std::vector<Extracted> extract_constants(Model& model, const ExtractWish& wish);

}  // namespace onnxpress::passes
