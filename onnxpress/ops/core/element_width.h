// For ops that only move elements: a type of the elements' width instead of one per element type, so that a kernel is
// compiled six times and not 28.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "onnxpress/ops/core/array.h"

namespace onnxpress::ops {

// An element whose value does not matter. Made of bytes, so it can stand for any type.
template <std::size_t Width>
struct Unit {
  std::byte bytes[Width];
};

template <typename U>
const U* units_of(const Array& array) {
  if constexpr (std::is_same_v<U, std::string>) {
    return array.data<std::string>().data();
  } else {
    return reinterpret_cast<const U*>(array.bytes());
  }
}

template <typename U>
U* mutable_units_of(Array& array) {
  if constexpr (std::is_same_v<U, std::string>) {
    return array.mutable_data<std::string>().data();
  } else {
    return reinterpret_cast<U*>(array.mutable_bytes());
  }
}

// Calls `work.template operator()<U>()` with std::string or the Unit that is as wide as the array's elements; false
// when the array has no type.
template <typename Work>
bool dispatch_width(const Array& array, Work&& work) {
  if (array.is_string()) {
    work.template operator()<std::string>();
    return true;
  }
  switch (array.width()) {
    case 1:
      work.template operator()<Unit<1>>();
      return true;
    case 2:
      work.template operator()<Unit<2>>();
      return true;
    case 4:
      work.template operator()<Unit<4>>();
      return true;
    case 8:
      work.template operator()<Unit<8>>();
      return true;
    case 16:
      work.template operator()<Unit<16>>();
      return true;
    default:
      return false;
  }
}

}  // namespace onnxpress::ops
