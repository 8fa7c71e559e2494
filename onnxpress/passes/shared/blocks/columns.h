// Parts of a value along its last axis, as a Split or several Slices take them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

// Columns [begin, end) of the `size` columns of a value; `of` is null if the value is something else.
struct Columns {
  Value* of = nullptr;
  std::int64_t begin = 0, end = 0, size = 0;
};

Columns columns_in(const Value* value, const Rewriter& rw);

// A value that is cut into three parts, which together are all of it, in this order.
struct ThreeParts {
  Value* of = nullptr;
  std::array<std::int64_t, 3> widths = {};
};

std::optional<ThreeParts> three_parts(const Value* first, const Value* second, const Value* third, const Rewriter& rw);

}  // namespace onnxpress::passes
