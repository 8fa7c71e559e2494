/// \file
/// Types and symbolic shapes of every value.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// The type of one value.
struct InferredValue {
  std::string name;
  std::string type;       ///< as ONNX text writes it, such as `float[batch,3]`; `?` where unknown
  bool complete = false;  ///< element type, rank and every dim are known
};

/// What infer() found.
struct InferResult {
  std::vector<InferredValue> values;  ///< every value of the model
  std::string json;  ///< the full report, as `onnxpress infer --json` prints it (docs/commands/infer.md)
};

/// Does not change the model, except that values without a name get one. Throws Error.
InferResult infer(Model& model);

}  // namespace onnxpress
