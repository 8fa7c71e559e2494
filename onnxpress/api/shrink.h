/// \file
/// Makes a model smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// How to shrink. The default is every method, for ONNX Runtime.
struct ShrinkSettings {
  /// The runtime that the result is for: "ort", "ort-web-gpu", "ort-format", "any", ... (docs/commands/shrink.md).
  std::string target = "ort";
  std::vector<std::string> only;  ///< use only these methods (docs/commands/shrink.md lists them)
  std::vector<std::string> skip;  ///< skip these methods
  bool freeze = false;            ///< turn initializers that are also inputs into constants
  /// Called from time to time with the progress; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// What shrink() saved.
struct ShrinkResult {
  std::uint64_t before = 0;  ///< bytes of the original when saved, including external data
  std::uint64_t after = 0;   ///< bytes of the result
  std::string json;  ///< what each method saved, as `onnxpress shrink --json` prints it (docs/commands/shrink.md)
};

/// Changes the model in place; all its tensors keep every bit. The result is encoded, read back and compared with the
/// original model. Throws Error if a setting has an invalid value, or if the comparison fails, which is a bug in
/// onnxpress; the model then stays as it was.
ShrinkResult shrink(Model& model, const ShrinkSettings& settings = {});

}  // namespace onnxpress
