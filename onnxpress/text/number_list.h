// NumberList: the elements of a tensor as the text writes them, number by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/ir/element_type.h"

namespace onnxpress::text {

class NumberList {
 public:
  // `raw` holds `elements` elements. `small_as_values`: see PrintOptions::small_types_as_values.
  NumberList(ElementType type, std::string_view raw, std::uint64_t elements, bool small_as_values);

  std::uint64_t size() const { return size_; }  // in numbers: two for a complex element, one for a packed byte
  // Appends numbers [begin, end), each with ", " before it, except for the very first of the list. Thread-safe.
  void append(std::string& out, std::uint64_t begin, std::uint64_t end) const;
  // The raw bytes that these numbers represent.
  std::string_view bytes_of(std::uint64_t begin, std::uint64_t end) const;

 private:
  void append_integers(std::string& out, std::uint64_t begin, std::uint64_t end) const;
  void append_small(std::string& out, std::uint64_t begin, std::uint64_t end) const;

  ElementType type_;
  std::string_view raw_;
  bool small_as_values_;
  int bits_;  // of one number in `raw`
  std::uint64_t size_;
};

}  // namespace onnxpress::text
