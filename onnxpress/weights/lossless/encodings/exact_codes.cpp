// Floats that are exactly code * scale: weights that were quantized and turned back into floats.
//
//   before: w, float32, w = q * s[channel], q whole numbers of 8 bits
//   after:  w = Mul(Cast(q) <to = float>, s)
//
// A scale for the whole tensor, for each slice of an axis, or for each block of 32, 64, 128, ... along the last axis
// (then a Reshape follows). Codes that need fewer bits are packed by a second round (palette).
#include <algorithm>
#include <cmath>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kMostCodes = 256;
constexpr std::size_t kLeastGroup = 8;  // elements that share a scale: fewer are not worth one

// How elements fall into groups with one scale each: element i belongs to (i / run) % groups.
struct Grouping {
  std::size_t groups, run;
};

// Up to 256 different magnitudes, sorted; empty if there are more, or if a number is not finite.
std::vector<float> magnitudes(Elements<float> w, Grouping grouping, std::size_t group) {
  std::vector<float> found;
  const std::size_t stride = grouping.groups * grouping.run;
  for (std::size_t begin = group * grouping.run; begin < w.size(); begin += stride) {
    for (std::size_t i = begin; i < begin + grouping.run; ++i) {
      const float value = std::abs(w[i]);
      if (!std::isfinite(value)) return {};
      const auto place = std::lower_bound(found.begin(), found.end(), value);
      if (place != found.end() && *place == value) continue;
      if (found.size() == kMostCodes) return {};
      found.insert(place, value);
    }
  }
  return found;
}

bool all_multiples(const std::vector<float>& values, float scale) {
  return std::all_of(values.begin(), values.end(), [scale](float value) {
    const float code = std::nearbyint(value / scale);
    return code < kMostCodes && code * scale == value;
  });
}

// The scale of which all values are whole multiples in float arithmetic; 0 if there is none.
float scale_of(const std::vector<float>& values) {
  if (values.empty()) return 0;
  if (values.back() == 0) return 1;  // all zero: any scale does
  float step = values.back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float below = i == 0 ? 0 : values[i - 1];
    if (values[i] > below) step = std::min(step, values[i] - below);
  }
  // The smallest gap is the scale or a multiple of it, but rounded. The largest value is rounded less in proportion, so
  // it gives the scale.
  for (int divisor = 1; divisor <= 4; ++divisor) {
    const float code = std::nearbyint(values.back() / (step / static_cast<float>(divisor)));
    if (code >= kMostCodes) break;
    const float near = values.back() / code;
    for (const float scale : {near, std::nextafter(near, 0.0F), std::nextafter(near, 2 * near)}) {
      if (all_multiples(values, scale)) return scale;
    }
  }
  return 0;
}

std::optional<std::vector<float>> scales_of(Elements<float> w, Grouping grouping) {
  std::vector<float> scales;
  for (std::size_t group = 0; group < grouping.groups; ++group) {
    const float scale = scale_of(magnitudes(w, grouping, group));
    if (scale == 0) return std::nullopt;
    scales.push_back(scale);
  }
  return scales;
}

// Codes as int8 or uint8; nullopt if they fit neither, or if there is a -0.0, which no code gives.
struct Codes {
  std::string bytes;
  ElementType type = ElementType::kInt8;
};
std::optional<Codes> codes_of(Elements<float> w, Grouping grouping, const std::vector<float>& scales) {
  Codes codes;
  codes.bytes.reserve(w.size());
  int low = 0, high = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (w[i] == 0 && std::signbit(w[i])) return std::nullopt;
    const int code = static_cast<int>(std::nearbyint(w[i] / scales[(i / grouping.run) % grouping.groups]));
    low = std::min(low, code);
    high = std::max(high, code);
    codes.bytes.push_back(static_cast<char>(code));
  }
  if (low >= 0) codes.type = ElementType::kUint8;
  if (low < -128 || (low < 0 && high > 127)) return std::nullopt;
  return codes;
}

// `dims` and `scale_dims` broadcast against each other.
std::optional<Chain> chain_of(const Candidate& tensor, Grouping grouping, const std::vector<float>& scales,
                              std::span<const std::int64_t> dims, std::span<const std::int64_t> scale_dims) {
  auto codes = codes_of(tensor.elements<float>(), grouping, scales);
  if (!codes) return std::nullopt;
  ChainBuilder chain(tensor);
  const auto stored = chain.constant(codes->type, dims, Bytes::owned(std::move(codes->bytes)));
  const auto scale = chain.constant(
      ElementType::kFloat, scale_dims,
      Bytes::owned(std::string(reinterpret_cast<const char*>(scales.data()), scales.size() * sizeof(float))));
  const auto result = chain.op("Mul", {cast(chain, stored, ElementType::kFloat), scale});
  if (!std::ranges::equal(dims, tensor.dims())) reshape(chain, result, tensor.dims());
  return chain.finish();
}

std::optional<Chain> by_axis(const Candidate& tensor, std::size_t axis) {
  const auto dims = tensor.dims();
  Grouping grouping{static_cast<std::size_t>(dims[axis]), 1};
  for (std::size_t i = axis + 1; i < dims.size(); ++i) grouping.run *= static_cast<std::size_t>(dims[i]);
  if (tensor.count() / grouping.groups < kLeastGroup) return std::nullopt;
  const auto scales = scales_of(tensor.elements<float>(), grouping);
  if (!scales) return std::nullopt;
  std::vector<std::int64_t> scale_dims(dims.size() - axis, 1);
  scale_dims[0] = dims[axis];
  return chain_of(tensor, grouping, *scales, dims, scale_dims);
}

std::optional<Chain> by_block(const Candidate& tensor, std::int64_t block) {
  const auto length = tensor.dims().back();
  if (length % block != 0 || length == block) return std::nullopt;
  const auto blocks = static_cast<std::int64_t>(tensor.count()) / block;
  const Grouping grouping{static_cast<std::size_t>(blocks), static_cast<std::size_t>(block)};
  const auto scales = scales_of(tensor.elements<float>(), grouping);
  if (!scales) return std::nullopt;
  const std::int64_t dims[] = {blocks, block}, scale_dims[] = {blocks, 1};
  return chain_of(tensor, grouping, *scales, dims, scale_dims);
}

std::optional<Chain> find_exact_codes(const Candidate& tensor) {
  const auto dims = tensor.dims();
  if (tensor.type() != ElementType::kFloat || tensor.statistics().is_splat || dims.empty()) return std::nullopt;
  const Grouping whole{1, static_cast<std::size_t>(tensor.count())};
  if (tensor.statistics().distinct.size() < Statistics::kMostDistinct) {
    if (const auto scales = scales_of(tensor.elements<float>(), whole))
      return chain_of(tensor, whole, *scales, dims, {});
  }
  for (const std::size_t axis : {std::size_t{0}, dims.size() - 1, std::size_t{1}}) {
    if (axis >= dims.size() || dims[axis] < 2) continue;
    if (auto chain = by_axis(tensor, axis)) return chain;
  }
  for (const std::int64_t block : {32, 64, 128, 16, 256}) {
    if (auto chain = by_block(tensor, block)) return chain;
  }
  return std::nullopt;
}

}  // namespace

constinit const Encoding exact_codes = {
    .name = "exact-codes", .summary = "floats that are 8-bit codes times a scale", .find = find_exact_codes};

}  // namespace onnxpress::weights
