// Gelu in all the forms in which exporters write it.
#pragma once

#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct GeluMatch {
  Value* x = nullptr;
  bool tanh = false;  // the approximation
};

// With `node` as its last node; nothing else reads the values in between.
std::optional<GeluMatch> find_gelu(Node& node, const Rewriter& rw);

}  // namespace onnxpress::passes
