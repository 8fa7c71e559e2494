/// \file
/// Makes a model smaller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "onnxpress/api/engine.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

/// How to shrink. The default is lossless, with every method, for ONNX Runtime.
struct ShrinkSettings {
  /// How to store weights in fewer bits: "int8", "int6", "int4", "fp16", "bf16", "small", "tiny" or "auto"
  /// (docs/weights.md). Empty: every bit stays as it is.
  std::string weights;
  /// The runtime that the result is for: "ort", "ort-web-gpu", "ort-format", "any", ... (docs/commands/shrink.md).
  std::string target = "ort";
  std::vector<std::string> only;  ///< use only these methods (docs/commands/shrink.md lists them)
  std::vector<std::string> skip;  ///< skip these methods
  bool freeze = false;            ///< turn initializers that are also inputs into constants
  /// Runs the model where `weights` is judged by its outputs; null: the built-in evaluator. With the same engine, the
  /// result has the same bytes as that of the command and the Python package.
  std::shared_ptr<const Engine> engine;
  /// Called from time to time with the progress; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// What shrink() saved.
struct ShrinkResult {
  std::uint64_t before = 0;  ///< bytes of the original when saved, including external data
  std::uint64_t after = 0;   ///< bytes of the result
  std::string refused;       ///< why the model stays as it was: it would miss the quality of `weights`; else empty
  std::string json;  ///< what each method saved, as `onnxpress shrink --json` prints it (docs/commands/shrink.md)
};

/// Changes the model in place; with empty `weights`, all its tensors keep every bit. The result is encoded, read back
/// and compared with the original model. If the outputs would miss the quality that `weights` stands for, the model
/// stays as it was, and `refused` says why. Throws Error if a setting has an invalid value, or if the comparison fails,
/// which is a bug in onnxpress; then, too, the model stays as it was.
ShrinkResult shrink(Model& model, const ShrinkSettings& settings = {});

}  // namespace onnxpress
