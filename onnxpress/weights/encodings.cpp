// The table of all encodings.
#include "onnxpress/weights/encoding.h"

namespace onnxpress::weights {

std::span<const Encoding* const> all_encodings() {
  static constexpr const Encoding* kAll[] = {
      &splat,
      &cast_float16,
      &narrow_integers,
  };
  return kAll;
}

}  // namespace onnxpress::weights
