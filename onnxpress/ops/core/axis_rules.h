// Rules for lists of axes, and for lists that have one entry per axis. Each function contradicts and returns false when
// its rule is broken; unknown values do not break one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// Every axis is in [-rank, rank).
bool require_axes(Inference& in, std::span<const std::int64_t> axes, std::size_t rank);
// In addition, none is given twice.
bool require_different_axes(Inference& in, std::span<const std::int64_t> axes, std::size_t rank);
// The operand is an initializer or a Constant. ONNX's inference reads no other values, and where it does not look,
// runtimes are often more tolerant (they take a list of one number for a scalar).
bool is_stated(const Inference& in, std::size_t operand);
// The list parameter, an attribute or an operand of known length, has `count` entries.
bool require_length(Inference& in, std::string_view parameter, std::size_t count);

}  // namespace onnxpress::ops
