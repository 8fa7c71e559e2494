// The table of all encodings.
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

std::span<const Encoding* const> all_encodings() {
  static constexpr const Encoding* kAll[] = {
      // Made by a rule: next to nothing is stored.
      &splat,
      &affine,
      &eye,
      &triangular,
      &toeplitz,
      &one_hot,
      &label_mask,
      // A part of the tensor gives the whole.
      &broadcast,
      &periodic,
      &stretched,
      &outer,
      &repeated_slices,
      // A narrower type, or codes.
      &narrow_integers,
      &cast_integers,
      &cast_float8,
      &cast_float16,
      &cast_bfloat16,
      &cast_float,
      &palette,
      &exact_codes,
      // Only what is not zero.
      &sparse_gaps,
      &sparse_mask,
      // A few bits less for what has no other form.
      &packed_floats,
      &packed_codes,
  };
  return kAll;
}

}  // namespace onnxpress::weights
