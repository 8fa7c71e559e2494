/// \file
/// Undoes shrink(): turns decoding nodes back into plain tensors.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// What expand() changed.
struct ExpandResult {
  std::uint64_t tensors = 0;  ///< tensors that are now plain initializers
  std::uint64_t bytes = 0;    ///< bytes of their content
  std::uint64_t nodes = 0;    ///< nodes that computed them and were removed
};

/// Changes the model: nodes that only decode constants are replaced by what they decode to, bit for bit.
ExpandResult expand(Model& model);

}  // namespace onnxpress
