// Scales and zero points of a quantized weight, one for each group. Large weights have many millions of them, so they
// are kept small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onnxpress/base/bytes.h"
#include "onnxpress/base/small_float.h"

namespace onnxpress::weights {

// Factors, in the form in which they are stored.
class Scales {
 public:
  Scales() = default;
  // `half`: as float16, to which they are rounded.
  Scales(std::span<const float> values, bool half);
  std::size_t size() const { return bytes_.size() / width(); }
  bool is_half() const { return is_half_; }
  const Bytes& bytes() const { return bytes_; }  // to be stored; not copied
  float operator[](std::size_t i) const {
    return is_half_ ? float16_value(bytes_.load<std::uint16_t>(i)) : bytes_.load<float>(i);
  }
  void read(std::size_t first, std::size_t count, float* out) const;
  std::vector<float> floats() const;

 private:
  std::size_t width() const { return is_half_ ? sizeof(std::uint16_t) : sizeof(float); }
  Bytes bytes_;
  bool is_half_ = false;
};

// Zero points: the code of 0 in each group. One byte each if codes are bytes; or float16, which may be between codes.
class ZeroPoints {
 public:
  enum class Form : std::uint8_t { kByte, kWide, kHalf };

  void assign(std::size_t count, float value, Form form) {
    form_ = form;
    low_.assign(count, 0);
    if (form != Form::kByte) high_.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) set(i, value);
  }
  // Rounded to what the form can hold.
  void set(std::size_t i, float value) {
    const std::uint16_t bits = is_half() ? float16_bits(value) : static_cast<std::uint16_t>(value);
    low_[i] = static_cast<std::uint8_t>(bits);
    if (form_ != Form::kByte) high_[i] = static_cast<std::uint8_t>(bits >> 8);
  }
  float operator[](std::size_t i) const { return is_half() ? float16_value(bits(i)) : bits(i); }
  // The whole number, or the bits of a float16.
  std::uint16_t bits(std::size_t i) const {
    return static_cast<std::uint16_t>(low_[i] | (form_ == Form::kByte ? 0 : high_[i] << 8));
  }
  bool is_half() const { return form_ == Form::kHalf; }
  std::size_t size() const { return low_.size(); }
  bool empty() const { return low_.empty(); }

 private:
  Form form_ = Form::kByte;
  std::vector<std::uint8_t> low_, high_;
};

}  // namespace onnxpress::weights
