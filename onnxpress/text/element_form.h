// How elements of a type are written in text: as which kind of numbers, in which range, and how many per element.
#pragma once

#include <cstdint>

#include "onnxpress/ir/element_type.h"

namespace onnxpress::text {

struct ElementForm {
  enum class Kind : std::uint8_t {
    kInteger,  // integers, and the bit patterns of float16 and smaller
    kFloat,
    kDouble,
  };
  Kind kind = Kind::kInteger;
  int numbers = 1;  // per element: 2 for complex types
  int bytes = 0;    // per number in raw form; 0 for types under 8 bits
  std::int64_t least = 0, most = 0;
};

bool is_signed_integer(ElementType type);
ElementForm element_form_of(ElementType type);

}  // namespace onnxpress::text
