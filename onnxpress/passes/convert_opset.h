// Converts a model to another version of the standard operator set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct OpsetConversion {
  std::int64_t before = 0;
  std::uint64_t nodes = 0;            // nodes that were rewritten
  std::vector<std::string> problems;  // nodes that cannot be converted, and why; then the model must not be used
};

// Main graph, bodies and functions. Nodes of ops whose row is the same in both versions stay as they are. What else
// there is to know follows from the schemas (where a parameter lives, its default, the types that are allowed) and from
// ops/schema/opset_changes.h. Down to 13 only: below, too little is written down about what was not allowed yet.
OpsetConversion convert_opset(Model& model, std::int64_t version);

// The newest version that we know.
std::int64_t newest_opset();

}  // namespace onnxpress::passes
