/// \file
/// Finds what differs between two models.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

/// How two models differ.
struct DiffResult {
  bool equal = true;
  std::uint64_t differences = 0;
  std::string json;  ///< all differences, as `onnxpress diff --json` prints it (docs/commands/diff.md)
};

/// Compares graphs, weights, types and texts. Neither model is changed.
DiffResult diff(const Model& before, const Model& after);

}  // namespace onnxpress
