/// \file
/// Describes what is in a model.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// The size of a model, in numbers.
struct InfoResult {
  std::uint64_t nodes = 0;         ///< including those of bodies and functions
  std::uint64_t tensors = 0;       ///< weights: initializers and tensors in attributes
  std::uint64_t parameters = 0;    ///< elements of all weights
  std::uint64_t weight_bytes = 0;  ///< bytes of all weights
  std::string json;  ///< inputs, outputs, ops, sizes: as `onnxpress info --json` prints it (docs/commands/info.md)
};

/// Reads no weights. Values without a name get one.
InfoResult info(Model& model);

}  // namespace onnxpress
