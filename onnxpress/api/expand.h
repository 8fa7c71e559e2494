/// \file
/// Gives a shrunk model its plain tensors back.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// What expand() changed.
struct ExpandResult {
  std::uint64_t tensors = 0;  ///< that are plain initializers now
  std::uint64_t bytes = 0;    ///< of their content
  std::uint64_t nodes = 0;    ///< that computed them and are gone
};

/// Changes the model: nodes that only decode constants are replaced by what they decode to, bit for bit.
ExpandResult expand(Model& model);

}  // namespace onnxpress
