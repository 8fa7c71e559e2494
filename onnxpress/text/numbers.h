// Converts between text and bits of numbers: exact in both directions and independent of the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "onnxpress/text/cursor.h"

namespace onnxpress::text {

// Each is nullopt when the number is of another kind or too large. A real number that is too small becomes 0.
std::optional<std::int64_t> to_int64(const Number& number);
std::optional<std::uint64_t> to_uint64(const Number& number);
std::optional<std::uint32_t> to_float_bits(const Number& number);  // accepts integers, too
std::optional<std::uint64_t> to_double_bits(const Number& number);
std::optional<double> to_double(const Number& number);  // not for nan(0x...)

// Append the fewest digits that give the same bits when read: "1", "0.1", "1e-07", "-0", "inf", "nan", "-nan"; other
// nans as "nan(0x7fc00001)".
void append_float(std::string& out, std::uint32_t bits);
void append_double(std::string& out, std::uint64_t bits);
// Makes the number that begins at `begin` of `out` read as a real one: "1" becomes "1.0".
void mark_as_real(std::string& out, std::size_t begin);

}  // namespace onnxpress::text
