// The table of all encodings.
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

std::span<const Encoding* const> all_encodings() {
  static constexpr const Encoding* kAll[] = {
      // Computed by a rule: almost nothing is stored.
      &splat,
      &affine,
      &eye,
      &triangular,
      &toeplitz,
      &one_hot,
      &label_mask,
      // The tensor is computed from a part of it.
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
      // Only elements that are not zero are stored.
      &sparse_gaps,
      &sparse_mask,
      // A few bits less for tensors that nothing else makes smaller.
      &packed_floats,
      &packed_codes,
  };
  return kAll;
}

}  // namespace onnxpress::weights
