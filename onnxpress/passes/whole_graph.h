// WholeGraphPass: a change that has to see the whole model at once. The driver applies these when no local rewrite
// matches any more; their changes bring nodes back into its worklist.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

struct WholeGraphPass {
  std::string_view name;     // also the name of its file
  std::string_view summary;  // one line for help and docs
  Exactness exactness = Exactness::kExact;
  std::size_t (*apply)(Rewriter&) = nullptr;  // how many changes it made
};

// In the order in which they are applied.
std::span<const WholeGraphPass* const> all_whole_graph_passes();

}  // namespace onnxpress::passes
