// Quantizers: codes are right for every shape and scheme, errors are as small as theory predicts, zeros stay zero.
#include "onnxpress/weights/lossy/quantize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/small_float.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/chain/quantized_chain.h"
#include "onnxpress/weights/find/weight_roles.h"
#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {
namespace {

std::vector<float> normal(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(0, 0.1F);
  std::vector<float> x(count);
  for (float& each : x) each = distribution(random);
  return x;
}

std::string raw_of(const std::vector<float>& x, ElementType type) {
  std::string raw;
  for (const float each : x) {
    const double wide = each;
    const std::uint16_t half = float16_bits(each), brain = bfloat16_bits(each);
    if (type == ElementType::kFloat) raw.append(reinterpret_cast<const char*>(&each), sizeof each);
    if (type == ElementType::kDouble) raw.append(reinterpret_cast<const char*>(&wide), sizeof wide);
    if (type == ElementType::kFloat16) raw.append(reinterpret_cast<const char*>(&half), sizeof half);
    if (type == ElementType::kBfloat16) raw.append(reinterpret_cast<const char*>(&brain), sizeof brain);
  }
  return raw;
}

struct Sample {
  std::vector<std::int64_t> dims;
  Tensor tensor;
  Sample(const std::vector<float>& x, std::vector<std::int64_t> sizes, ElementType type = ElementType::kFloat)
      : dims(std::move(sizes)) {
    tensor.type = type;
    tensor.storage = Storage::kMade;
    tensor.dims = dims;
    tensor.content = Bytes::owned(raw_of(x, type));
  }
  std::shared_ptr<const FloatSource> source() const {
    return std::make_shared<FloatSource>(std::vector<std::shared_ptr<const MappedFile>>(), tensor);
  }
};

constexpr WeightRole kConv{"Conv", "", 0, 1, 1, 4}, kMatMul{"MatMul", "", 1, 2, 0, 1};

TEST(QuantizeKernels, AgreeWithPlainLoops) {
  for (const std::size_t count : {1U, 3U, 7U, 8U, 31U, 64U, 1000U}) {
    const std::vector<float> x = normal(count);
    std::vector<std::uint16_t> codes(count + 1, 999);
    encode_row(x.data(), count, 50, 8, 15, codes.data());
    double xq = 0, qq = 0, squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(codes[i], std::clamp(std::nearbyint(x[i] * 50) + 8, 0.0F, 15.0F));
      const double q = codes[i] - 8;
      xq += x[i] * q, qq += q * q, squares += static_cast<double>(x[i]) * x[i];
    }
    EXPECT_EQ(codes[count], 999);
    const CodeSums sums = sums_of(x.data(), count, 50, 0, -8, 7);
    EXPECT_NEAR(sums.xq, xq, 1e-3 * (1 + std::abs(xq)));
    EXPECT_EQ(sums.qq, qq);
    const RowRange range = range_of(x.data(), count);
    EXPECT_EQ(range.finite, count);
    EXPECT_EQ(range.zeros, 0U);
    EXPECT_NEAR(range.squares, squares, 1e-4 * squares);
    std::vector<float> back(count), scales(count, 0.02F), zeros(count, 8), same(count);
    decode_row(codes.data(), count, 0.02F, 8, back.data());
    decode_row(codes.data(), count, scales.data(), zeros.data(), same.data());
    EXPECT_EQ(back, same);
    EXPECT_EQ(back[0], static_cast<float>(codes[0] - 8) * 0.02F);
  }
}

// The order of summation is fixed, because another order would give different files on other processors.
TEST(QuantizeKernels, SumInOneOrderOnEveryProcessor) {
  for (const std::size_t count : {1U, 5U, 15U, 16U, 17U, 44U, 63U, 1000U, 4096U}) {
    const std::vector<float> x = normal(count), y = normal(count, 2);
    float q[16] = {}, qq[16] = {}, xq[16] = {}, xs[16] = {}, noise[16] = {}, signal[16] = {};
    std::vector<std::uint16_t> codes(count);
    encode_row(x.data(), count, 31.7F, 8.3F, 15, codes.data());
    for (std::size_t i = 0; i < count; ++i) {
      const float scaled = x[i] * 31.7F, code = std::clamp(std::nearbyint(scaled + 0.3F), -8.0F, 7.0F);
      const float code_square = code * code, product = x[i] * code, square = x[i] * x[i];
      const float off = x[i] - y[i], off_square = off * off;
      q[i % 16] += code, qq[i % 16] += code_square, xq[i % 16] += product, xs[i % 16] += x[i];
      noise[i % 16] += off_square, signal[i % 16] += square;
      EXPECT_EQ(codes[i], std::clamp(std::nearbyint(scaled + (8.3F - 8.0F)) + 8, 0.0F, 15.0F));
    }
    const auto total = [](const float* sums) { return std::accumulate(sums, sums + 16, 0.0); };
    const CodeSums sums = sums_of(x.data(), count, 31.7F, 0.3F, -8, 7);
    EXPECT_EQ(sums.q, total(q));
    EXPECT_EQ(sums.qq, total(qq));
    EXPECT_EQ(sums.xq, total(xq));
    EXPECT_EQ(sums.x, total(xs));
    EXPECT_EQ(range_of(x.data(), count).squares, total(signal));
    const RowError error = difference(x.data(), y.data(), count);
    EXPECT_EQ(error.noise, total(noise));
    EXPECT_EQ(error.signal, total(signal));
  }
}

TEST(QuantizeKernels, CountNumbersThatAreNotFinite) {
  const float x[] = {1, NAN, -INFINITY, 0, -0.0F, 3e38F, 2, 2, 2};
  const RowRange range = range_of(x, 9);
  EXPECT_EQ(range.finite, 7U);
  EXPECT_EQ(range.zeros, 2U);
  EXPECT_EQ(range.high, 3e38F);
  EXPECT_EQ(range.low, 0);
}

double sqnr_of(std::string_view scheme, const WeightRole& role = kMatMul) {
  const Sample sample(normal(std::size_t{1024} * 256), {1024, 256});
  return quantize(sample.source(), role, parse_scheme(scheme)).error.sqnr();
}

// Normally distributed weights. In theory, uniform 4 bits reach 19.4 dB at best with one scale, Lloyd-Max 20.2 dB.
TEST(Quantize, ReachesTheErrorsOfTheory) {
  EXPECT_GT(sqnr_of("int16"), 85);
  EXPECT_GT(sqnr_of("int8"), 40);
  EXPECT_GT(sqnr_of("int8 block=32 asym"), 45);
  EXPECT_GT(sqnr_of("int6 block=32 asym"), 33.5);
  EXPECT_GT(sqnr_of("int5 block=32 asym"), 27.5);
  EXPECT_GT(sqnr_of("int4 block=32 asym"), 21.7);
  EXPECT_GT(sqnr_of("int4 block=32"), 20.8);
  EXPECT_GT(sqnr_of("int3 block=32 asym"), 15);
  EXPECT_GT(sqnr_of("int2 block=32 asym"), 8.5);
  EXPECT_GT(sqnr_of("palette4"), 19.8);
  EXPECT_GT(sqnr_of("palette2"), 9.0);
  EXPECT_GT(sqnr_of("nf4"), 19.5);
  EXPECT_GT(sqnr_of("float8"), 30);
}

TEST(Quantize, SearchingBeatsMinMax) {
  for (const std::string_view bits : {"int2", "int3", "int4", "int5"}) {
    const double plain = sqnr_of(fmt::format("{} scale=min-max", bits));
    const double clipped = sqnr_of(fmt::format("{} scale=mse", bits)), fitted = sqnr_of(std::string(bits));
    EXPECT_GT(clipped, plain) << bits;
    EXPECT_GE(fitted + 0.01, clipped) << bits;
  }
  EXPECT_GT(sqnr_of("int4 block=32 asym scale=hqq"), sqnr_of("int4 block=32 asym scale=min-max") - 0.5);
}

std::vector<float> decoded(const Quantized& q) {
  std::vector<float> values(q.grid.count());
  q.decode(0, values.size(), values.data());
  return values;
}

TEST(Quantize, KeepsZerosAndEmptyGroups) {
  std::vector<float> x = normal(64 * 40);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 0;
  for (std::size_t i = 0; i < 80; ++i) x[i] = 0;
  const Sample sample(x, {64, 40});
  for (const std::string_view scheme :
       {"int8", "int4 block=32 asym", "int3 block=16", "palette3", "nf4", "float8", "levels=100", "levels=1000", "int2",
        "int16", "int4 block=32 offset", "int5 offset scale=hqq"}) {
    const std::vector<float> back = decoded(quantize(sample.source(), {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme)));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 0) {
        EXPECT_EQ(back[i], 0) << scheme << " element " << i;
      }
    }
  }
}

// Blocks of numbers far from 0, like scales of norms: with integer zero points, most codes would not be used.
TEST(Quantize, OffsetsBeatWholeZeroPoints) {
  EXPECT_GT(sqnr_of("int4 block=32 offset"), sqnr_of("int4 block=32 asym") + 0.2);
  EXPECT_GT(sqnr_of("int3 block=32 offset"), sqnr_of("int3 block=32 asym") + 0.4);
  EXPECT_GT(sqnr_of("int2 block=32 offset"), sqnr_of("int2 block=32 asym") + 0.6);
  EXPECT_GT(sqnr_of("int4 block=32 offset scale=hqq"), sqnr_of("int4 block=32 asym scale=hqq"));
  EXPECT_GT(sqnr_of("int4 block=32 offset"), sqnr_of("int4 block=32 offset scale=mse"));
  std::vector<float> x = normal(64 * 32);
  for (float& each : x) each += 1;
  const Sample shifted(x, {64, 32});
  const auto error = [&](std::string_view scheme) {
    return quantize(shifted.source(), kMatMul, parse_scheme(scheme)).error.sqnr();
  };
  EXPECT_GT(error("int4 block=32 offset"), error("int4 block=32 asym") + 6);
  EXPECT_GT(error("int4 block=32 offset scale=min-max"), error("int4 block=32 asym scale=min-max") + 6);
}

TEST(Quantize, OffsetsStandTheSmallestGroups) {
  for (const std::vector<float>& x : {std::vector<float>(48, 3.5F), std::vector<float>(48, -1e-20F), normal(48)}) {
    const Sample sample(x, {3, 16});
    for (const std::string_view scheme : {"int4 block=2 offset", "int4 per-tensor offset", "int8 offset scale=mse"}) {
      const Quantized q = quantize(sample.source(), {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme));
      EXPECT_TRUE(std::isfinite(q.error.noise)) << scheme;
      EXPECT_GT(q.error.sqnr(), 15) << scheme;
    }
  }
}

TEST(Quantize, HasAsManyLevelsAsAsked) {
  const Sample sample(normal(5000), {5000});
  for (const int levels : {2, 3, 10, 100, 256, 257, 1000}) {
    std::vector<float> back = decoded(quantize(sample.source(), {}, parse_scheme(fmt::format("levels={}", levels))));
    std::ranges::sort(back);
    back.erase(std::unique(back.begin(), back.end()), back.end());
    EXPECT_LE(back.size(), static_cast<std::size_t>(levels));
    EXPECT_GE(back.size() * 3, static_cast<std::size_t>(levels));
  }
}

// --- The nodes compute what the quantizer reports

std::string evaluated(const Chain& chain, const Candidate& candidate, Model& scratch) {
  scratch.ir_version = candidate.model().ir_version;
  scratch.opsets = candidate.model().opsets;
  Value* result = scratch.graph().create_value("result");
  insert(chain, scratch, nullptr, result);
  scratch.graph().add_output(result, nullptr);
  analysis::Evaluator evaluator(scratch);
  const auto results = evaluator.run({});
  if (!results) return "failed: " + evaluator.why();
  const ops::Array& array = *results->front().array();
  EXPECT_TRUE(std::ranges::equal(array.sizes(), candidate.dims()));
  EXPECT_EQ(array.type(), candidate.type());
  return {reinterpret_cast<const char*>(array.bytes()), array.count() * array.width()};
}

std::string content_of(const ByteStream& stream) {
  std::string all;
  stream.produce([&all](std::string_view piece) { all += piece; });
  EXPECT_EQ(all.size(), stream.size());
  return all;
}

struct Shape {
  std::vector<std::int64_t> dims;
  WeightRole role;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kShapes = {{{6, 5, 3, 3}, kConv},
                                             {{70, 9}, kMatMul},
                                             {{9, 70}, {"Gemm", "", 0, 1, 1, 2}},
                                             {{2, 33, 5}, {"MatMul", "", 2, 3, 1, 2}},
                                             {{2, 8, 35}, {"LSTM", "", 0, 2, 2, 3}},
                                             {{7, 3, 2, 2}, {"ConvTranspose", "", 1, 2, 0, 1}},
                                             {{301}, {}}};
  return kShapes;
}

TEST(QuantizedChain, ComputesTheRoundedWeights) {
  Model model;
  model.ir_version = 8;
  model.opsets = {{"", 13, {}}};
  for (const Shape& shape : shapes()) {
    std::size_t count = 1;
    for (const std::int64_t dim : shape.dims) count *= static_cast<std::size_t>(dim);
    for (const ElementType type : {ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16}) {
      const Sample sample(normal(count), shape.dims, type);
      const Candidate candidate(model, sample.tensor, "w", Target::kOrt, Statistics{.count = count});
      for (const std::string_view text : {"int8",
                                          "int8 asym",
                                          "int8 per-tensor",
                                          "int8 block=16 asym",
                                          "int6 block=32",
                                          "int5",
                                          "int4",
                                          "int4 asym",
                                          "int4 block=16",
                                          "int4 block=32 asym",
                                          "int3 block=32 asym",
                                          "int2 block=16 asym",
                                          "int16",
                                          "int16 asym",
                                          "palette1",
                                          "palette3",
                                          "palette4",
                                          "palette8",
                                          "nf4",
                                          "float8",
                                          "levels=10",
                                          "levels=100",
                                          "levels=1000",
                                          "int4 block=16 offset",
                                          "int8 offset",
                                          "int3 per-tensor offset",
                                          "int2 block=32 offset scale=hqq"}) {
        const auto q = std::make_shared<const Quantized>(quantize(sample.source(), shape.role, parse_scheme(text)));
        for (const bool whole : {false, true}) {
          const auto chain = folded_chain(candidate, q, whole);
          ASSERT_TRUE(chain) << text;
          Model scratch;
          EXPECT_EQ(evaluated(*chain, candidate, scratch), content_of(RoundedStream(q)))
              << text << " on " << to_string(type, shape.dims);
        }
      }
    }
  }
}

TEST(QuantizedChain, ComputesTheSameWithDequantizeLinear) {
  Model model;
  model.ir_version = 10;
  model.opsets = {{"", 21, {}}};
  int made = 0;
  for (const Shape& shape : shapes()) {
    std::size_t count = 1;
    for (const std::int64_t dim : shape.dims) count *= static_cast<std::size_t>(dim);
    const Sample sample(normal(count), shape.dims);
    const Candidate candidate(model, sample.tensor, "w", Target::kOrt, Statistics{.count = count});
    for (const std::string_view text :
         {"int8", "int8 asym", "int8 per-tensor", "int4 asym", "int4", "int8 block=16", "int4 block=16 asym"}) {
      const auto q =
          std::make_shared<const Quantized>(quantize(sample.source(), shape.role, parse_scheme(text), false));
      const auto chain = dequantize_chain(candidate, q, shape.role);
      if (!chain) continue;
      ++made;
      Model scratch;
      EXPECT_EQ(evaluated(*chain, candidate, scratch), content_of(RoundedStream(q)))
          << text << " on " << to_string(ElementType::kFloat, shape.dims);
    }
  }
  EXPECT_GT(made, 25);
}

TEST(Scheme, IsWrittenAndReadAgain) {
  for (const std::string_view text :
       {"keep", "float16", "bfloat16", "float8", "nf4 block=64", "palette4", "int8", "int4 block=32 asym",
        "int6 per-tensor", "int5 asym scale=hqq", "levels=100", "int4 block=32 offset", "int3 offset scale=hqq",
        "nf4 per-channel", "nf4 per-tensor", "float8 per-tensor", "float8 block=32", "levels=100 sym scale=mse"})
    EXPECT_EQ(to_string(parse_scheme(text)), text);
  EXPECT_EQ(parse_scheme("palette4 per-tensor"), parse_scheme("palette4"));
  for (const std::string_view text :
       {"", "int9", "palette7", "int4 block=1", "int4 block=x", "int4 int4", "levels=1", "levels=65537",
        "int8 scale=best", "INT8", "int16 offset", "levels=10 offset", "palette4 offset", "int8 dynamic offset",
        "palette4 block=32", "levels=100 per-channel", "float16 block=32", "keep asym", "nf4 asym"})
    EXPECT_THROW(parse_scheme(text), Error) << text;
}

TEST(WeightRoles, KnowTheAxesOfChannels) {
  const auto zeros = [](int count) {
    std::string list = "{0";
    for (int i = 1; i < count; ++i) list += ", 0";
    return list + "}";
  };
  const std::string text = fmt::format(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4] x, int64[2] i) => (float[1,6] y, float[1,6] z, float[2,4] e)
<float[4,6] a = {0}, float[6,4] b = {0}, float[6,4] t = {0}, float[9,4] table = {1}, float[6] bias = {2}>
{{
  y0 = MatMul (x, a)
  y = Add (y0, bias)
  s = Transpose (t)
  z0 = Gemm <transB = 1> (x, b)
  z1 = MatMul (x, s)
  z = Add (z0, z1)
  e = Gather (table, i)
}})",
                                       zeros(24), zeros(36), zeros(6));
  const Model model = text::parse_model(text);
  const passes::Scopes scopes(model);
  const auto found = find_weights(model, scopes);
  ASSERT_EQ(found.size(), 5U);
  const auto axes = [&](std::string_view name) {
    for (const Weight& each : found) {
      if (each.value->name() == name)
        return fmt::format("{} {}-{} {}-{}", each.role.op, each.role.channel_begin, each.role.channel_end,
                           each.role.reduced_begin, each.role.reduced_end);
    }
    return std::string("none");
  };
  EXPECT_EQ(axes("a"), "MatMul 1-2 0-1");
  EXPECT_EQ(axes("b"), "Gemm 0-1 1-2");
  EXPECT_EQ(axes("t"), "MatMul 0-1 1-2");
  EXPECT_EQ(axes("table"), "Gather 0-1 1-2");
  EXPECT_EQ(axes("bias"), " 0-0 0-0");
}

// 60 calls in each of 7 functions lead to 60^7 uses, but each function is visited only once.
TEST(WeightRoles, FollowAWeightThroughManyCallsInLinearTime) {
  for (const std::string_view leaf : {"MatMul (x, w)", "Sin (w)"}) {
    std::string text = R"(<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
g (float[1,2] x) => (y)
<float[2,3] w = {1, 2, 3, 4, 5, 6}>
{ y = my.f0 (x, w) }
)";
    for (int level = 0; level < 8; ++level) {
      text += fmt::format("<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]>\nf{} (x, w) => (c0)\n{{\n", level);
      if (level == 7) text += fmt::format("  c0 = {}\n", leaf);
      for (int call = 0; call < 60 && level < 7; ++call)
        text += fmt::format("  c{} = my.f{} (x, w)\n", call, level + 1);
      text += "}\n";
    }
    const Model model = text::parse_model(text);
    const auto found = find_weights(model, passes::Scopes(model));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].may_move) << leaf;
    EXPECT_EQ(found[0].role.op, "") << "too many functions away";
  }
}

}  // namespace
}  // namespace onnxpress::weights
