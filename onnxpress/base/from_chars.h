// std::from_chars for integers and floating-point numbers. The C++ library of WebAssembly compilers supports only
// integers, so there fast_float, which GCC's own library uses as well, reads the others.
#pragma once

#include <charconv>
#include <type_traits>
#ifdef ONNXPRESS_HAVE_FAST_FLOAT
#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#endif

namespace onnxpress {

template <typename T, typename... Format>
std::from_chars_result from_chars(const char* begin, const char* end, T& value, Format... format) {
#ifdef ONNXPRESS_HAVE_FAST_FLOAT
  if constexpr (std::is_floating_point_v<T>) {
    const fast_float::from_chars_result read = fast_float::from_chars(begin, end, value);
    if (read.ec != std::errc()) return {read.ptr, read.ec};
    // It rounds numbers that are out of range to 0 or infinity, where the standard requires an error.
    const auto is_letter = [](char c) { return c == 'i' || c == 'I'; };
    const bool too_large = std::isinf(value) && std::none_of(begin, read.ptr, is_letter);
    const auto is_exponent = [](char c) { return c == 'e' || c == 'E'; };
    const auto is_digit = [](char c) { return c >= '1' && c <= '9'; };
    const bool too_small = value == 0 && std::any_of(begin, std::find_if(begin, read.ptr, is_exponent), is_digit);
    return {read.ptr, too_large || too_small ? std::errc::result_out_of_range : std::errc()};
  } else {
    return std::from_chars(begin, end, value, format...);
  }
#else
  return std::from_chars(begin, end, value, format...);
#endif
}

}  // namespace onnxpress
