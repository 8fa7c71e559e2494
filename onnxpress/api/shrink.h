/// \file
/// Makes a model smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// How to shrink. The default is lossless, with every method, for ONNX Runtime.
struct ShrinkSettings {
  /// How to store weights in fewer bits: "int8", "int6", "int4", "fp16", "bf16", "small", "tiny" or "auto"
  /// (docs/weights.md). Empty: every bit stays as it is.
  std::string weights;
  /// What the model will run on: "ort", "ort-web-gpu", "ort-format", "any", ... (docs/shrink.md).
  std::string target = "ort";
  std::vector<std::string> only;  ///< use these methods only (docs/shrink.md lists them)
  std::vector<std::string> skip;  ///< do not use these
  bool freeze = false;            ///< initializers that are inputs, too, can no longer be overridden
  /// Called now and then with what is done; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// What shrink() saved.
struct ShrinkResult {
  std::uint64_t before = 0;  ///< bytes that saving it took, external data included
  std::uint64_t after = 0;   ///< bytes that it takes now
  std::string json;          ///< what each method saved, as `onnxpress shrink --json` prints it (docs/shrink.md)
};

/// Changes the model in place; with empty `weights` its outputs stay the same to the bit. The result is encoded, read
/// back and compared with the model before. Throws Error when a setting has a value that does not exist, and, should
/// the comparison fail, for a defect of ours; the model is then not usable any more.
ShrinkResult shrink(Model& model, const ShrinkSettings& settings = {});

}  // namespace onnxpress
