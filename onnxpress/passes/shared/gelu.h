// Finds Gelu in all the forms in which exporters write it.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct GeluMatch {
  Value* x = nullptr;
  bool tanh = false;  // whether it is the tanh approximation
};

// `node` is the last node of the Gelu. Nothing else may read the values in between.
std::optional<GeluMatch> find_gelu(Node& node, const Rewriter& rw);

}  // namespace onnxpress::passes
