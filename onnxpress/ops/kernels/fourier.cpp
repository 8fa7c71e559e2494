// Powers of two by Cooley and Tukey; other lengths as a convolution with a chirp, by Bluestein.
#include "onnxpress/ops/kernels/fourier.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

namespace {

Fourier::Complex root(std::size_t k, std::size_t of) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(of);
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

Fourier::Fourier(std::size_t length)
    : length_(length), padded_(std::has_single_bit(length) ? length : std::bit_ceil(2 * length - 1)) {
  require_scratch(padded_, 4 * sizeof(Complex));
  spend_steps(steps());
  for (std::size_t k = 0; k < padded_ / 2; ++k) roots_.push_back(root(k, padded_));
  if (padded_ == length_) return;
  // exp(-pi i k^2 / length): k^2 modulo 2 * length keeps the angle exact.
  std::size_t square = 0;
  for (std::size_t k = 0; k < length_; ++k) {
    chirp_.push_back(root(square, 2 * length_));
    square = (square + 2 * k + 1) % (2 * length_);
  }
  filter_.assign(padded_, Complex());
  for (std::size_t k = 0; k < length_; ++k) filter_[k] = filter_[(padded_ - k) % padded_] = std::conj(chirp_[k]);
  transform_power_of_two(filter_);
}

std::uint64_t Fourier::steps() const {
  const std::uint64_t one = padded_ * static_cast<std::uint64_t>(std::bit_width(padded_)) * 4;
  return padded_ == length_ ? one : 2 * one;
}

void Fourier::transform(std::span<Complex> row, bool inverse) const {
  // The inverse transform of x is the conjugate of the transform of x's conjugate.
  if (inverse) {
    for (Complex& each : row) each = std::conj(each);
  }
  padded_ == length_ ? transform_power_of_two(row) : transform_any(row);
  if (inverse) {
    for (Complex& each : row) each = std::conj(each);
  }
}

void Fourier::transform_power_of_two(std::span<Complex> row) const {
  const std::size_t n = row.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {  // bit reversal
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(row[i], row[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t step = n / (2 * half);
    for (std::size_t begin = 0; begin < n; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex w = roots_[k * step], odd = row[begin + half + k];
        // Written out because the product of std::complex also checks for infinities.
        const Complex turned(w.real() * odd.real() - w.imag() * odd.imag(),
                             w.real() * odd.imag() + w.imag() * odd.real());
        row[begin + half + k] = row[begin + k] - turned;
        row[begin + k] += turned;
      }
    }
  }
}

void Fourier::transform_any(std::span<Complex> row) const {
  std::vector<Complex> padded(padded_);
  for (std::size_t k = 0; k < length_; ++k) padded[k] = row[k] * chirp_[k];
  transform_power_of_two(padded);
  for (std::size_t k = 0; k < padded_; ++k) padded[k] = std::conj(padded[k] * filter_[k]);
  transform_power_of_two(padded);  // of the conjugate: the inverse, unscaled
  const auto scale = static_cast<double>(padded_);
  for (std::size_t k = 0; k < length_; ++k) row[k] = std::conj(padded[k]) / scale * chirp_[k];
}

}  // namespace onnxpress::ops
