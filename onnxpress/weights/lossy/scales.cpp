// Keeps scales as float16 or float32, and reads them as floats.
#include "onnxpress/weights/lossy/scales.h"

#include <cstring>
#include <string>

#include "onnxpress/weights/lossy/quantize_kernels.h"

namespace onnxpress::weights {

Scales::Scales(std::span<const float> values, bool half) : is_half_(half) {
  std::string bytes(values.size() * width(), '\0');
  if (!half) {
    std::memcpy(bytes.data(), values.data(), values.size_bytes());
  } else {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint16_t bits = float16_bits(values[i]);
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    }
  }
  bytes_ = Bytes::owned(std::move(bytes));
}

void Scales::read(std::size_t first, std::size_t count, float* out) const {
  const char* from = bytes_.data() + first * width();
  if (is_half_)
    widen_halves(from, count, out);
  else
    std::memcpy(out, from, count * sizeof(float));
}

std::vector<float> Scales::floats() const {
  std::vector<float> all(size());
  read(0, all.size(), all.data());
  return all;
}

}  // namespace onnxpress::weights
