// A Slice along one axis, with all its parameters known.
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

struct AxisSlice {
  Node* node = nullptr;
  std::size_t axis = 0;
  std::int64_t begin = 0, end = 0, step = 1;  // within [0, size]; end not before begin
  std::int64_t size = 0;                      // of the axis
};

// nullopt for a Slice along several axes or backwards, or along an axis of unknown size.
std::optional<AxisSlice> slice_of(Node& slice, const Rewriter& rw);

}  // namespace onnxpress::passes
