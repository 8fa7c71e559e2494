// Scheme: one lossy way to store a weight: how many bits, what shares a scale, how the scale is chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onnxpress::weights {

enum class Codes : std::uint8_t {
  kKeep,     // as it is
  kInteger,  // whole numbers times a scale
  kFloat16,  // narrower floats
  kBfloat16,
  kFloat8,   // e4m3fn times a scale, decoded by a table
  kPalette,  // the best 2^bits values for the tensor
  kNf4,      // quantiles of a normal distribution, times the largest number of a block
};

enum class ScaleMethod : std::uint8_t {
  kMinMax,        // no number is clipped
  kMse,           // the clipping with the least squared error
  kLeastSquares,  // the same, and the scale fitted to the codes
  kHqq,           // half-quadratic: the zero point that fits all but the outliers (Badri and Shaji, 2023)
};

struct Scheme {
  static constexpr std::int64_t kPerTensor = 0, kPerChannel = -1;

  Codes codes = Codes::kInteger;
  int bits = 8;                      // integers: 2 to 8, 10, 12, 16; palettes: 1 to 6, 8
  std::uint32_t levels = 0;          // not 0: this many integers, instead of 2^bits
  std::int64_t block = kPerChannel;  // or this many elements along the reduction axis
  bool symmetric = true;             // 0 is the middle code
  bool offset = false;               // if not symmetric: the zero point is a float16, which may be between two codes
  ScaleMethod method = ScaleMethod::kLeastSquares;
  bool dynamic = false;  // only for 8 bits per channel: activations are rounded, too, when the model runs

  std::uint32_t level_count() const { return levels ? levels : std::uint32_t{1} << bits; }
  friend bool operator==(const Scheme&, const Scheme&) = default;
};

// Scales do not clip, until another method is set: clipping the few largest weights of a channel harms the outputs
// (PP-OCR's recognizer: 32 to 35 dB by least squares, 39 to 43 dB without), however small the squared error is.
void set_dynamic(Scheme& scheme);

// "int4 block=32 asym scale=mse", as recipes write it; parse_scheme(to_string(x)) == x.
std::string to_string(const Scheme& scheme);
// Throws Error that says which word is wrong.
Scheme parse_scheme(std::string_view text);

}  // namespace onnxpress::weights
