// The discrete Fourier transform of one row, for any length.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace onnxpress::ops {

// Prepared once per length, used for many rows. Written by hand because Debian has no permissively licensed library
// that transforms doubles (kissfft is packaged for float only, FFTW is under the GPL).
class Fourier {
 public:
  using Complex = std::complex<double>;

  explicit Fourier(std::size_t length);
  // Replaces the row (of `length` elements) with its transform; the inverse is not scaled by 1 / length.
  void transform(std::span<Complex> row, bool inverse) const;
  // The approximate number of steps of a transform (budget.h).
  std::uint64_t steps() const;

 private:
  void transform_power_of_two(std::span<Complex> row) const;
  void transform_any(std::span<Complex> row) const;

  std::size_t length_, padded_;          // padded_ is the power of two used for computing
  std::vector<Complex> roots_;           // exp(-2 pi i k / padded_), k < padded_ / 2
  std::vector<Complex> chirp_, filter_;  // for Bluestein's algorithm, if the length is not a power of two
};

}  // namespace onnxpress::ops
