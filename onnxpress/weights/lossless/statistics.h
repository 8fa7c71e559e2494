// Statistics from one walk over a tensor, which let most encodings decline without reading it themselves.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "onnxpress/ir/element_type.h"

namespace onnxpress::weights {

// Reads elements from bytes that may be unaligned, as weights in a file are.
template <typename T>
class Elements {
 public:
  explicit Elements(std::string_view bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size() / sizeof(T); }
  T operator[](std::size_t i) const {
    T value;
    __builtin_memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
    return value;
  }

 private:
  std::string_view bytes_;
};

struct Statistics {
  static constexpr std::size_t kMostDistinct = 257;  // one more than a palette of bytes can have

  std::uint64_t count = 0;
  bool is_splat = true;                 // all elements have the same bits
  std::vector<std::uint64_t> distinct;  // bit patterns in order of appearance; if kMostDistinct, there may be more
  // Whether all elements keep their bits in that type. A -0.0 fits, a NaN never does.
  bool fits_float16 = false, fits_bfloat16 = false, fits_float = false;
  bool is_whole = false;           // integers, or floats that are all whole numbers (not -0.0), between low and high
  std::int64_t low = 0, high = 0;  // only if is_whole
  std::uint64_t varint_bytes = 0;  // of integers, packed as a list of varints; 0 for other types

  bool fits(std::int64_t least, std::int64_t most) const { return is_whole && low >= least && high <= most; }
};

// Takes the content part by part; parts hold whole elements.
class StatisticsBuilder {
 public:
  explicit StatisticsBuilder(ElementType type);
  void add(std::string_view part);
  Statistics finish();

 private:
  template <typename T>
  void add_bits(Elements<T> part);
  template <typename T>
  void add_float(Elements<T> part);
  template <typename T>
  void add_integers(Elements<T> part);
  bool insert(std::uint64_t bits);

  ElementType type_;
  Statistics found_;
  std::vector<std::uint16_t> slots_;  // a hash table over found_.distinct; 0 is empty
  bool first_ = true;
  std::uint64_t first_bits_ = 0;
};

}  // namespace onnxpress::weights
