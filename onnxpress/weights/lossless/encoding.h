// Encoding: one lossless way to store a tensor. A value, not a class: one file, one row in encodings.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/lossless/candidate.h"

namespace onnxpress::weights {

struct Encoding {
  std::string_view name;     // as in --only and --skip: "cast-float16"
  std::string_view summary;  // "float32 weights that are float16 values"
  // A chain that computes the tensor; nullopt if the encoding does not apply. Must be cheap for tensors that it does
  // not fit, so ask the statistics first. The caller checks that the chain is smaller and exact in every bit.
  std::optional<Chain> (*find)(const Candidate& tensor);
  bool only_when_packing = false;  // smaller, but takes long to decode: only used with --pack
};

// NOLINTBEGIN(readability-identifier-naming): each is named like its file, and like the method on the command line
extern const Encoding splat;
extern const Encoding affine;
extern const Encoding eye;
extern const Encoding triangular;
extern const Encoding toeplitz;
extern const Encoding one_hot;
extern const Encoding label_mask;
extern const Encoding broadcast;
extern const Encoding periodic;
extern const Encoding stretched;
extern const Encoding outer;
extern const Encoding repeated_slices;
extern const Encoding narrow_integers;
extern const Encoding cast_integers;
extern const Encoding cast_float8;
extern const Encoding cast_float16;
extern const Encoding cast_bfloat16;
extern const Encoding cast_float;
extern const Encoding palette;
extern const Encoding exact_codes;
extern const Encoding sparse_gaps;
extern const Encoding sparse_mask;
extern const Encoding packed_floats;
extern const Encoding packed_codes;
// NOLINTEND(readability-identifier-naming)

// In the order in which they are tried; of two that are equally small the first is taken.
std::span<const Encoding* const> all_encodings();

}  // namespace onnxpress::weights
