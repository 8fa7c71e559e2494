// Small integer functions that several kernels need.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::ops {

// Division by a positive number, rounded up or down, for negative numbers, too.
constexpr std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
constexpr std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Converts a size that cannot be negative.
constexpr std::size_t unsigned_of(std::int64_t size) { return static_cast<std::size_t>(size); }

}  // namespace onnxpress::ops
