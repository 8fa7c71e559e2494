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
  std::vector<std::string> problems;  // nodes that cannot be converted, and why; if any, do not use the model
};

// Converts the main graph, bodies and functions. Nodes whose op has the same row in both versions stay as they are. The
// rest follows from the schemas (where a parameter lives, its default, the types that are allowed) and from
// ops/schema/opset_changes.h. 11 is the oldest target: below it, too little is documented about what was not yet
// allowed.
OpsetConversion convert_opset(Model& model, std::int64_t version);

// The newest version that we know.
std::int64_t newest_opset();
// The IR version of the releases that brought this opset: its readers know the opset.
std::int64_t ir_version_for(std::int64_t opset);

}  // namespace onnxpress::passes
