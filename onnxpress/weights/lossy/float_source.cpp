// Reads weights of any float type as 32-bit floats, part by part.
#include <algorithm>
#include <cstring>

#include "onnxpress/base/small_float.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/weights/lossy/quantized.h"

namespace onnxpress::weights {

FloatSource::FloatSource(std::vector<std::shared_ptr<const MappedFile>> files, const Tensor& tensor)
    : files_(std::move(files)), tensor_(tensor), bytes_(tensor.bytes()), count_(tensor.element_count().value_or(0)) {}

bool FloatSource::reads(ElementType type) {
  return type == ElementType::kFloat || type == ElementType::kDouble || type == ElementType::kFloat16 ||
         type == ElementType::kBfloat16;
}

void FloatSource::read(std::uint64_t first, std::size_t count, float* out) const {
  const char* from = bytes_.data() + first * static_cast<std::uint64_t>(bits_of(tensor_.type)) / 8;
  switch (tensor_.type) {
    case ElementType::kFloat:
      std::memcpy(out, from, count * sizeof(float));
      return;
    case ElementType::kDouble:
      for (std::size_t i = 0; i < count; ++i) {
        double value = 0;
        std::memcpy(&value, from + i * sizeof value, sizeof value);
        out[i] = static_cast<float>(value);
      }
      return;
    default:
      for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
        out[i] = tensor_.type == ElementType::kFloat16 ? float16_value(bits) : bfloat16_value(bits);
      }
  }
}

const float* FloatSource::view(std::uint64_t first, std::size_t count, float* room) const {
  if (tensor_.type == ElementType::kFloat) return reinterpret_cast<const float*>(bytes_.data() + first * sizeof(float));
  read(first, count, room);
  return room;
}

void FloatSource::release(std::uint64_t first, std::uint64_t count) const {
  // Touching a page also loads its neighbours, even those that were released before, so release these again.
  constexpr std::uint64_t kNeighbours = std::uint64_t{32} << 10;
  const std::uint64_t begin = first > kNeighbours ? first - kNeighbours : 0;
  if (first >= count_) return;
  const auto width = static_cast<std::uint64_t>(bits_of(tensor_.type)) / 8;
  const std::uint64_t end = std::min(first + count, count_);
  release_pages(files_, tensor_, bytes_.view().substr(begin * width, (end - begin) * width));
}

}  // namespace onnxpress::weights
