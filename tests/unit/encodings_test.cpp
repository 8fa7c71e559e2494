// Each lossless encoding on a tensor made for it: it is found, proved bit for bit, and smaller; and if one element is
// changed, the result is never wrong.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "onnxpress/base/small_float.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/weights/lossless/candidate.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {
namespace {

using Dims = std::vector<std::int64_t>;

struct Case {
  std::string encoding;
  ElementType type;
  Dims dims;
  std::string bytes;
  double most;  // share of the plain size that the chain may take
};

std::size_t count_of(const Dims& dims) {
  std::size_t count = 1;
  for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
  return count;
}

template <typename T>
Case make(std::string encoding, ElementType type, Dims dims, double most,
          const std::function<T(std::size_t)>& element) {
  std::string bytes;
  for (std::size_t i = 0; i < count_of(dims); ++i) {
    const T value = element(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return {std::move(encoding), type, std::move(dims), std::move(bytes), most};
}

Case floats(std::string encoding, Dims dims, double most, const std::function<float(std::size_t)>& element) {
  return make<float>(std::move(encoding), ElementType::kFloat, std::move(dims), most, element);
}
Case int64s(std::string encoding, Dims dims, double most, const std::function<std::int64_t(std::size_t)>& element) {
  return make<std::int64_t>(std::move(encoding), ElementType::kInt64, std::move(dims), most, element);
}

// Numbers without any pattern, the same for the same i.
float noise(std::size_t i) {
  std::mt19937 random(static_cast<std::uint32_t>(i) + 1);
  return std::normal_distribution<float>()(random);
}

const float kInfinity = std::numeric_limits<float>::infinity();

std::vector<Case> all_cases() {
  const auto row = [](std::size_t i, std::size_t columns) { return i / columns; };
  const auto column = [](std::size_t i, std::size_t columns) { return i % columns; };
  return {
      floats("splat", {10, 20}, 0.2, [](std::size_t) { return -0.0F; }),
      int64s("affine", {1000}, 0.05, [](std::size_t i) { return 5 + 3 * static_cast<std::int64_t>(i); }),
      int64s("affine", {20, 30}, 0.1,
             [&](std::size_t i) { return static_cast<std::int64_t>(100 * row(i, 30) + 7 * column(i, 30)); }),
      int64s("affine", {2, 20, 30}, 0.1, [&](std::size_t i) { return -static_cast<std::int64_t>(row(i, 30) % 20); }),
      make<std::int32_t>("affine", ElementType::kInt32, {40, 25}, 0.1,
                         [](std::size_t i) { return static_cast<std::int32_t>(i); }),
      floats("affine", {1, 500}, 0.2, [](std::size_t i) { return static_cast<float>(i); }),
      floats("eye", {64, 64}, 0.05, [&](std::size_t i) { return row(i, 64) == column(i, 64) ? 1.0F : 0.0F; }),
      floats("eye", {1, 32, 48}, 0.1, [&](std::size_t i) { return row(i, 48) + 5 == column(i, 48) ? -0.0F : 2.0F; }),
      floats("triangular", {1, 1, 128, 128}, 0.01,
             [&](std::size_t i) { return column(i, 128) > row(i, 128) ? -kInfinity : 0.0F; }),
      make<std::uint8_t>("triangular", ElementType::kBool, {100, 90}, 0.1,
                         [&](std::size_t i) { return static_cast<std::uint8_t>(column(i, 90) <= row(i, 90)); }),
      floats("toeplitz", {50, 60}, 0.1, [&](std::size_t i) { return noise(column(i, 60) + 100 - row(i, 60)); }),
      floats("one-hot", {100, 40}, 0.1,
             [&](std::size_t i) { return column(i, 40) == row(i, 40) * 17 % 40 ? 1.0F : 0.0F; }),
      floats("label-mask", {4, 36, 36}, 0.05,
             [&](std::size_t i) {
               const auto label = [&](std::size_t k) { return (i / 1296 * 7 + k / 5) % 3; };
               return label(row(i, 36) % 36) == label(column(i, 36)) ? 0.0F : -100.0F;
             }),
      floats("broadcast", {16, 30, 20}, 0.1, [&](std::size_t i) { return noise(row(i, 20) % 30); }),
      floats("periodic", {40, 60}, 0.3,
             [&](std::size_t i) { return noise(100 * (row(i, 60) % 20) + column(i, 60) % 30); }),
      floats("stretched", {600}, 0.3, [](std::size_t i) { return noise(i / 6); }),
      floats("outer", {30, 64}, 0.1,
             [&](std::size_t i) { return static_cast<float>(row(i, 64)) * std::abs(noise(column(i, 64))); }),
      int64s("outer", {30, 20}, 0.4,
             [&](std::size_t i) { return static_cast<std::int64_t>(row(i, 20) * row(i, 20) + column(i, 20) % 7); }),
      floats("repeated-slices", {8, 100}, 0.5,
             [&](std::size_t i) { return noise(column(i, 100) * 37 % 31 + 1000 * row(i, 100)); }),
      floats("repeated-slices", {6, 30, 30}, 0.3,
             [&](std::size_t i) { return noise(i / 900 * 1000 + i % 900 * 37 % 101); }),
      int64s("narrow-integers", {500}, 0.3, [](std::size_t i) { return static_cast<std::int64_t>(i * i % 251) - 100; }),
      floats("cast-integers", {300}, 0.55, [](std::size_t i) { return static_cast<float>(i * i % 60000); }),
      floats(
          "cast-float8", {512}, 0.4,
          [](std::size_t i) { return value_of(SmallFloat::kFloat8e4m3fn, static_cast<std::uint32_t>(i * 37 % 127)); }),
      floats("cast-float16", {500}, 0.6, [](std::size_t i) { return float16_value(float16_bits(noise(i))); }),
      floats("cast-bfloat16", {500}, 0.6,
             [](std::size_t i) { return bfloat16_value(bfloat16_bits(noise(i) * 1e-20F)); }),
      make<double>("cast-float", ElementType::kDouble, {500}, 0.6,
                   [](std::size_t i) { return static_cast<double>(noise(i)); }),
      floats("palette", {8, 200}, 0.1, [](std::size_t i) { return i * i % 7 < 3 ? -100.0F : std::nanf("3"); }),
      floats("palette", {999}, 0.3, [](std::size_t i) { return noise(i * i % 16); }),
      floats("palette", {5000}, 0.5, [](std::size_t i) { return noise(i * i % 251); }),
      floats("exact-codes", {2000}, 0.4,
             [](std::size_t i) { return static_cast<float>(static_cast<int>(i * i % 255) - 127) * 0.0123F; }),
      floats("exact-codes", {16, 300}, 0.4,
             [&](std::size_t i) {
               return static_cast<float>(static_cast<int>(i * i % 211) - 105) * std::abs(noise(row(i, 300)));
             }),
      floats(
          "exact-codes", {8, 256}, 0.5,
          [](std::size_t i) { return static_cast<float>(static_cast<int>(i * i % 15) - 7) * std::abs(noise(i / 32)); }),
      floats("sparse-mask", {40, 100}, 0.6, [](std::size_t i) { return i * i % 10 < 7 ? 0.0F : noise(i); }),
      floats("sparse-gaps", {100, 100}, 0.1, [](std::size_t i) { return i % 173 == 5 ? noise(i) : 0.0F; }),
  };
}

struct Tried {
  bool found = false, proved = false;
  std::uint64_t bytes = 0, plain = 0;
};

Tried try_on(const Case& given, std::int64_t opset = 21, Target target = Target::kOrt) {
  Model model;
  model.ir_version = 8;
  model.opsets.push_back({.domain = "", .version = opset});
  Tensor tensor;
  tensor.type = given.type;
  tensor.storage = Storage::kMade;
  tensor.dims = model.arena().copy(std::span<const std::int64_t>(given.dims));
  tensor.content = Bytes::owned(given.bytes);
  const Candidate candidate(model, tensor, "w", target);
  for (const Encoding* encoding : all_encodings()) {
    if (encoding->name != given.encoding) continue;
    const auto chain = encoding->find(candidate);
    if (!chain) return {};
    return {true, decodes_exactly(*chain, candidate), chain->serialized_bytes("w"), candidate.plain_bytes()};
  }
  ADD_FAILURE() << "no encoding " << given.encoding;
  return {};
}

TEST(Encodings, EachIsFoundProvedAndSmall) {
  for (const Case& each : all_cases()) {
    const Tried tried = try_on(each);
    EXPECT_TRUE(tried.found) << each.encoding << " of " << each.dims.size() << " axes is not found";
    EXPECT_TRUE(tried.proved) << each.encoding << " of " << each.dims.size() << " axes is not proved";
    const double share = static_cast<double>(tried.bytes) / static_cast<double>(each.bytes.size());
    EXPECT_LE(share, each.most) << each.encoding << " of " << each.dims.size() << " axes";
  }
}

// Every encoding on every tensor, with each of a few elements changed by one bit: whether it is found or not, what is
// proved must be right (decodes_exactly() compares all bits), and nothing crashes.
TEST(Encodings, AChangedElementIsNeverLost) {
  for (const Case& each : all_cases()) {
    const std::size_t width = each.bytes.size() / count_of(each.dims);
    for (const std::size_t element : {std::size_t{0}, count_of(each.dims) / 2, count_of(each.dims) - 1}) {
      Case changed = each;
      changed.bytes[element * width] = static_cast<char>(changed.bytes[element * width] ^ 1);
      for (const Encoding* encoding : all_encodings()) {
        changed.encoding = encoding->name;
        (void)try_on(changed);
      }
      changed.encoding = each.encoding;
      const Tried tried = try_on(changed);
      const bool needs_every_bit = each.encoding != "palette" && each.encoding.substr(0, 4) != "cast" &&
                                   each.encoding.substr(0, 6) != "sparse" && each.encoding != "narrow-integers" &&
                                   each.encoding != "repeated-slices" && each.encoding != "toeplitz";
      if (needs_every_bit && each.type == ElementType::kFloat) {
        EXPECT_FALSE(tried.proved) << each.encoding << " with element " << element << " changed";
      }
    }
  }
}

TEST(Encodings, TargetsWithoutChainsGetNone) {
  for (const Case& each : all_cases()) {
    EXPECT_FALSE(try_on(each, 21, Target::kAny).proved) << each.encoding;
    EXPECT_FALSE(try_on(each, 21, Target::kOrtFormat).proved) << each.encoding;
  }
}

// Old opsets have fewer ops, so encodings for them may only use those.
TEST(Encodings, NothingIsProvedWithOpsThatTheOpsetLacks) {
  for (const Case& each : all_cases()) {
    for (const std::int64_t opset : {7, 9, 10}) {
      const Tried tried = try_on(each, opset);
      const bool unpacks =
          each.encoding == "sparse-mask" || each.encoding == "sparse-gaps" || each.encoding == "affine";
      if (unpacks) {
        EXPECT_FALSE(tried.proved) << each.encoding << " in opset " << opset;
      }
    }
  }
}

}  // namespace
}  // namespace onnxpress::weights
