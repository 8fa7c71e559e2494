// Converting arrays from one element type to another, by the rules of Cast.
#pragma once

#include <optional>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

struct Conversion {
  enum class Round : std::uint8_t { kUp, kDown, kNearest };
  bool saturate = true;      // numbers too large for a float8 type become its largest one, not NaN or infinity
  Round round = Round::kUp;  // to float8e8m0 only
};

// Nullopt when a string is not a number, and for complex numbers. Integers that do not fit an integer type wrap around;
// undefined conversions (3e9 to int32) give the same result as x86.
std::optional<Array> converted(const Array& from, ElementType to, Conversion how = {});

// Reads `count` numbers from element `first` on as floats or doubles. The type must be a number type or bool; false for
// others.
bool load(const Array& from, std::size_t first, std::size_t count, float* to);
bool load(const Array& from, std::size_t first, std::size_t count, double* to);
// The reverse.
bool store(const float* from, std::size_t count, Array& to, std::size_t first, Conversion how = {});
bool store(const double* from, std::size_t count, Array& to, std::size_t first, Conversion how = {});

// Elements converted at a time by kernels that work on buffers.
inline constexpr std::size_t kConvertedAtOnce = 1024;

}  // namespace onnxpress::ops
