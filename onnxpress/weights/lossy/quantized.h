// Quantized: a weight with the scales that were chosen for it. Codes and decoded values are made when asked for, part
// by part, so that it needs memory for its scales only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/weights/lossy/quantize_kernels.h"
#include "onnxpress/weights/lossy/scales.h"
#include "onnxpress/weights/lossy/scheme.h"

namespace onnxpress::weights {

// Which axes of a weight are output channels, and which are summed over by the op that reads it: ranges of axes.
struct WeightRole {
  std::string_view op = {};                        // op type of the user; empty: not a weight
  std::string_view node = {};                      // its name
  std::size_t channel_begin = 0, channel_end = 0;  // empty: none known
  std::size_t reduced_begin = 0, reduced_end = 0;  // empty: all axes
};

// The tensor seen as [outer, length, inner], and which elements share a scale.
struct Grid {
  enum class Sharing : std::uint8_t { kTensor, kChannel, kBlock };
  Sharing sharing = Sharing::kTensor;
  std::uint64_t outer = 1, length = 1, inner = 1;
  std::uint64_t block = 1, blocks = 1;  // along the middle axis
  std::uint64_t groups() const;
  std::uint64_t count() const { return outer * length * inner; }
  // If blocks do not divide the axis, the last one is padded: the stored codes have this length.
  std::uint64_t padded_length() const { return sharing == Sharing::kBlock ? blocks * block : length; }
  std::uint64_t padded_count() const { return outer * padded_length() * inner; }
};
// `even`: blocks of nearly the same size instead of a short one at the end.
Grid grid_of(std::span<const std::int64_t> dims, const WeightRole& role, std::int64_t block, bool even = true);

// Reads the elements of a tensor of float, double, float16 or bfloat16 as floats.
class FloatSource {
 public:
  // The model's files must live as long as codes are asked for.
  FloatSource(std::vector<std::shared_ptr<const MappedFile>> files, const Tensor& tensor);
  static bool reads(ElementType type);
  std::uint64_t count() const { return count_; }
  void read(std::uint64_t first, std::size_t count, float* out) const;
  // The same without a copy if possible: in place, or read into `room`. For kernels only, because it may be unaligned.
  const float* view(std::uint64_t first, std::size_t count, float* room) const;
  const Tensor& tensor() const { return tensor_; }
  // These elements are not needed soon and may leave memory. The range may reach past the end.
  void release(std::uint64_t first, std::uint64_t count) const;

 private:
  std::vector<std::shared_ptr<const MappedFile>> files_;
  Tensor tensor_;
  Bytes bytes_;
  std::uint64_t count_;
};

struct WeightError {
  double noise = 0, signal = 0;  // sums of squares
  double kept = 0;               // sum of squares after rounding
  double largest = 0;            // largest difference
  double largest_weight = 0;
  double sqnr() const;  // in dB; infinite when nothing is lost
  double cosine() const;
  void add(const RowError& row);
};

class Quantized {
 public:
  Scheme scheme;
  Grid grid;
  std::shared_ptr<const FloatSource> source;
  Scales scales;     // by group
  ZeroPoints zeros;  // by group; empty: all have `middle`
  std::uint16_t middle = 0;
  std::vector<float> table;  // values of codes, ascending; empty: codes are whole numbers
  // Not null: the code of each element, in the order of the tensor, where it is not simply the nearest (compensate.h).
  std::shared_ptr<const std::vector<std::uint8_t>> given;
  WeightError error;

  bool is_affine() const { return table.empty(); }
  float zero_of(std::uint64_t group) const { return zeros.empty() ? middle : zeros[group]; }
  float top() const { return static_cast<float>(scheme.level_count() - 1); }
  std::uint64_t group_of(std::uint64_t element) const;  // by its position in the tensor

  // Codes from `first` on, with the padding of blocks or without it; decoded values in the order of the tensor.
  void encode(std::uint64_t first, std::size_t count, std::uint16_t* codes, bool padded = true) const;
  void decode(std::uint64_t first, std::size_t count, float* values) const;
  void measure();  // fills error
  // The elements of these codes are not needed soon.
  void release(std::uint64_t first, std::uint64_t count) const;

 private:
  struct Run;
  Run run_at(std::uint64_t position, std::uint64_t most, bool padded) const;
  struct Factors;
  void encode_run(const Run& run, const Factors& factors, const float* x, std::uint16_t* codes) const;
  void codes_of(const Run& run, const Factors& factors, float* room, std::uint16_t* codes) const;
  void decode_run(const Run& run, const Factors& factors, const std::uint16_t* codes, float* x) const;
};

}  // namespace onnxpress::weights
