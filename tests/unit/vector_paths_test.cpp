// Code that exists once for each kind of vector registers: every version that this processor can run agrees with plain
// loops, and where files depend on it, with every other version, bit for bit.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "onnxpress/analysis/sparsity/zero_bits.h"
#include "onnxpress/ops/kernels/gemm_kernel.h"
#include "onnxpress/weights/lossy/quantize_kernels.h"

namespace onnxpress {
namespace {

constexpr std::size_t kCounts[] = {1, 3, 7, 8, 15, 16, 17, 33, 64, 100, 1000};

// Calls `check` with each version of the code in turn, the plainest first. Returns how many there were.
int with_each_version(const std::function<void()>& check) {
  const std::int64_t supported = hwy::SupportedTargets();
  int versions = 1;
  hwy::GetChosenTarget().Update(0);
  check();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1, ++versions) {
    hwy::GetChosenTarget().Update(rest & -rest);
    check();
  }
  hwy::GetChosenTarget().Update(supported);
  return versions;
}

std::vector<float> normal(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> x(count);
  for (float& each : x) each = distribution(random);
  return x;
}

template <typename T>
void append_bytes(std::string& to, const T* from, std::size_t count) {
  to.append(reinterpret_cast<const char*>(from), count * sizeof(T));
}

// Everything that the kernels of the quantizers compute, as bytes.
std::string quantized(std::size_t count) {
  using namespace weights;
  std::string bytes;
  const std::vector<float> x = normal(count), y = normal(count, 2), factors(count, 31.7F), zeros(count, 8.3F);
  std::vector<std::uint16_t> codes(count), more(count);
  encode_row(x.data(), count, 31.7F, 8.3F, 200, codes.data());
  encode_row(x.data(), count, factors.data(), zeros.data(), 200, more.data());
  append_bytes(bytes, codes.data(), count);
  append_bytes(bytes, more.data(), count);
  std::vector<float> back(count), inverse(count);
  decode_row(codes.data(), count, 0.02F, 8, back.data());
  append_bytes(bytes, back.data(), count);
  decode_row(codes.data(), count, factors.data(), zeros.data(), back.data());
  append_bytes(bytes, back.data(), count);
  invert(x.data(), count, inverse.data());
  append_bytes(bytes, inverse.data(), count);
  widen_halves(reinterpret_cast<const char*>(codes.data()), count, back.data());
  append_bytes(bytes, back.data(), count);
  std::vector<std::uint8_t> packed(count, 0x80);
  add_bits(codes.data(), count, {.shift = 1, .mask = 0xf, .flip = 5, .place = 2}, packed.data());
  append_bytes(bytes, packed.data(), count);
  const CodeSums sums = sums_of(x.data(), count, 31.7F, 0.3F, -8, 7);
  const RowRange range = range_of(x.data(), count);
  const RowError error = difference(x.data(), y.data(), count);
  const double numbers[] = {sums.q,     sums.qq,     sums.xq,      sums.x,     range.squares, range.low,
                            range.high, error.noise, error.signal, error.kept, error.largest, error.largest_x};
  append_bytes(bytes, numbers, std::size(numbers));
  return bytes;
}

TEST(VectorPaths, QuantizeToTheSameBits) {
  for (const std::size_t count : kCounts) {
    std::string plainest;
    const int versions = with_each_version([&] {
      const std::string bytes = quantized(count);
      if (plainest.empty()) plainest = bytes;
      EXPECT_EQ(bytes == plainest, true) << count << " elements";
    });
    EXPECT_GE(versions, 1);
  }
}

TEST(VectorPaths, FindTheSameZeros) {
  std::mt19937 random(3);
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    for (const std::size_t count : kCounts) {
      std::string data(count * width, '\0');
      std::vector<std::uint64_t> expected((count + 63) / 64);
      std::size_t zeros = count;
      for (std::size_t i = 0; i < count; ++i) {
        if (random() % 3 == 0) continue;
        data[i * width + random() % width] = 1;
        expected[i / 64] |= std::uint64_t{1} << i % 64;
        --zeros;
      }
      with_each_version([&] {
        std::vector<std::uint64_t> words(expected.size(), ~std::uint64_t{0});
        const auto* bytes = reinterpret_cast<const std::byte*>(data.data());
        EXPECT_EQ(analysis::find_nonzeros(bytes, count, {.width = width}, words.data()), zeros);
        EXPECT_EQ(words, expected) << count << " elements of " << width << " bytes";
      });
    }
  }
}

// The order of sums may differ, so these are compared with sums in double precision.
TEST(VectorPaths, MultiplyAsPlainLoopsDo) {
  using namespace ops;
  for (const std::size_t count : kCounts) {
    const std::vector<float> x = normal(count), y = normal(count, 2);
    const std::vector<double> wide_x(x.begin(), x.end()), wide_y(y.begin(), y.end());
    double expected = 0, sizes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      expected += wide_x[i] * wide_y[i];
      sizes += std::abs(wide_x[i] * wide_y[i]);
    }
    with_each_version([&] {
      EXPECT_NEAR(dot(count, x.data(), y.data()), expected, 1e-6 * sizes);
      EXPECT_NEAR(dot(count, wide_x.data(), wide_y.data()), expected, 1e-14 * sizes);
      std::vector<float> sum = y, row(count, 1);
      add_scaled(count, 2.0F, x.data(), sum.data());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sum[i], 2.0F * x[i] + y[i]);
      const float pair[] = {2, -1};
      std::vector<float> matrix = x;
      matrix.insert(matrix.end(), y.begin(), y.end());
      multiply_row(2, count, pair, matrix.data(), count, row.data(), true);
      for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(row[i], 1 + 2 * x[i] - y[i], 1e-5);
    });
  }
}

template <typename T, typename Out>
void multiply_blocks() {
  constexpr std::size_t kRows = 5, kDepth = 9;
  with_each_version([] {
    const std::size_t width = ops::panel_columns(T{}), columns = width - 1;
    // Panels are aligned to 64 bytes and padded with zeros.
    const auto panel = [](std::size_t size) {
      return std::unique_ptr<T[], void (*)(T*)>(
          static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{64})),
          [](T* memory) { ::operator delete (memory, std::align_val_t{64}); });
    };
    const auto left = panel(kDepth * ops::kPanelRows), right = panel(kDepth * width);
    for (std::size_t k = 0; k < kDepth; ++k) {
      for (std::size_t i = 0; i < ops::kPanelRows; ++i)
        left[k * ops::kPanelRows + i] = i < kRows ? static_cast<T>(k * 7 % 5) - static_cast<T>(i) : T{0};
      for (std::size_t j = 0; j < width; ++j)
        right[k * width + j] = j < columns ? static_cast<T>((k + j) % 11) - T{4} : T{0};
    }
    std::vector<Out> result(kRows * columns, Out{100});
    ops::multiply_packed(
        ops::PackedBlock<T, Out>{kRows, columns, kDepth, left.get(), right.get(), result.data(), columns, true});
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        Out expected{100};  // whole numbers, so every order of summation gives this
        for (std::size_t k = 0; k < kDepth; ++k)
          expected += static_cast<Out>(left[k * ops::kPanelRows + i] * right[k * width + j]);
        EXPECT_EQ(result[i * columns + j], expected) << i << ", " << j;
      }
    }
  });
}

TEST(VectorPaths, MultiplyBlocksExactly) {
  multiply_blocks<float, float>();
  multiply_blocks<double, double>();
  multiply_blocks<float, std::int32_t>();
}

TEST(VectorPaths, WidenTheSameNumbers) {
  for (const std::size_t count : kCounts) {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
    with_each_version([&] {
      std::vector<float> wide(count), wide_signed(count);
      ops::widen(count, bytes.data(), 7, wide.data());
      ops::widen(count, reinterpret_cast<const std::int8_t*>(bytes.data()), 7, wide_signed.data());
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(wide[i], static_cast<float>(bytes[i]) - 7);
        EXPECT_EQ(wide_signed[i], static_cast<float>(static_cast<std::int8_t>(bytes[i])) - 7);
      }
    });
  }
}

#if HWY_ARCH_X86
// Without this, a mistake in reading the processor's features would only make everything slow.
TEST(VectorPaths, FindWhatTheCompilerFinds) {
  __builtin_cpu_init();
  const std::int64_t found = hwy::SupportedTargets();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  EXPECT_EQ((found & HWY_SSSE3) != 0, __builtin_cpu_supports("ssse3") != 0);
  EXPECT_EQ((found & HWY_AVX2) != 0, avx2);
  EXPECT_EQ((found & HWY_AVX3) != 0, avx512);
}
#endif

}  // namespace
}  // namespace onnxpress
