// Error compensation: less noise in a layer's results than with rounding to nearest, in every layout of weights; and
// the vectors of a layer are those that it multiplies.
#include "onnxpress/weights/lossy/compensate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/quantize/layers/layer_vectors.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/lossy/code_stream.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress::weights {
namespace {

std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(0, 1);
  std::vector<float> x(count);
  for (float& each : x) each = distribution(random);
  return x;
}

std::shared_ptr<const FloatSource> source_of(const std::vector<float>& x, std::span<const std::int64_t> dims) {
  Tensor tensor;
  tensor.type = ElementType::kFloat;
  tensor.storage = Storage::kMade;
  tensor.dims = dims;
  tensor.content = Bytes::owned({reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float)});
  return std::make_shared<FloatSource>(std::vector<std::shared_ptr<const MappedFile>>(), tensor);
}

// Vectors of correlated numbers around a mean that is not 0, as after a Relu.
std::vector<float> vectors_of(std::size_t count, std::size_t columns, unsigned seed) {
  const std::size_t causes = columns / 4;
  const std::vector<float> mixing = normal(causes * columns, 99), drawn = normal(count * causes, seed);
  std::vector<float> x = normal(count * columns, seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      float sum = 0.2F * x[i * columns + k];
      for (std::size_t c = 0; c < causes; ++c) sum += drawn[i * causes + c] * mixing[c * columns + k];
      x[i * columns + k] = std::max(0.0F, sum);
    }
  }
  return x;
}

constexpr std::size_t kRows = 24, kColumns = 64;

std::shared_ptr<LayerSample> sample_of(bool transposed) {
  auto sample = std::make_shared<LayerSample>();
  sample->rows = kRows, sample->columns = kColumns;
  sample->row_stride = transposed ? 1 : kColumns, sample->column_stride = transposed ? kRows : 1;
  sample->fitted = 400, sample->checked = 150;
  sample->fit_factors.assign(sample->fitted, 1), sample->check_factors.assign(sample->checked, 1);
  sample->to_fit = vectors_of(sample->fitted, kColumns, 1), sample->to_check = vectors_of(sample->checked, kColumns, 7);
  return sample;
}

TEST(Compensate, LeavesLessNoiseInTheResultsOfALayer) {
  constexpr std::int64_t kDims[] = {kRows, kColumns};
  const auto source = source_of(normal(kRows * kColumns, 3), kDims);
  const LayerRounding layer(*source, sample_of(false));
  for (const std::string_view scheme : {"int2 block=32 asym", "int3", "int4 block=32 asym", "int6", "int8", "palette4",
                                        "nf4", "int4 block=32 offset", "levels=15"}) {
    const Quantized plain = quantize(source, {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme));
    const Quantized better = layer.compensated(plain);
    EXPECT_LT(layer.loss_of(better).plain, 0.6 * layer.loss_of(plain).plain) << scheme;
    // For the weights themselves, rounding to nearest is optimal.
    EXPECT_GE(better.error.noise, 0.99 * plain.error.noise) << scheme;
    std::vector<std::uint16_t> codes(kRows * kColumns);
    better.encode(0, codes.size(), codes.data(), false);
    for (const std::uint16_t code : codes) EXPECT_LT(code, better.scheme.level_count());
  }
}

TEST(Compensate, MovesTheMeanOfTheErrorIntoTheBias) {
  constexpr std::int64_t kDims[] = {kRows, kColumns};
  const auto source = source_of(normal(kRows * kColumns, 3), kDims);
  const auto sample = sample_of(false);
  sample->has_bias = true;
  const LayerRounding layer(*source, sample);
  const Quantized plain = quantize(source, {"Gemm", "", 0, 1, 1, 2}, parse_scheme("int4"));
  const LayerLoss loss = layer.loss_of(plain);
  ASSERT_EQ(loss.shift.size(), kRows);
  EXPECT_TRUE(loss.prefers_shift());
  EXPECT_LT(loss.shifted, 0.9 * loss.plain);
  EXPECT_LT(layer.loss_of(layer.compensated(plain)).least(), 0.6 * loss.least());
}

// One run is louder than the others: its vectors are scaled to have equal weight, but the bias is not.
TEST(Compensate, GivesTheBiasInTheUnitsOfTheLayer) {
  constexpr std::int64_t kDims[] = {kRows, kColumns};
  const auto source = source_of(normal(kRows * kColumns, 3), kDims);
  const auto plain = sample_of(false), scaled = sample_of(false);
  plain->has_bias = scaled->has_bias = true;
  for (float& each : scaled->to_fit) each *= 0.01F;
  for (float& each : scaled->to_check) each *= 0.01F;
  scaled->fit_factors.assign(scaled->fitted, 0.01F), scaled->check_factors.assign(scaled->checked, 0.01F);
  const Quantized codes = quantize(source, {"Gemm", "", 0, 1, 1, 2}, parse_scheme("int4"));
  const LayerLoss a = LayerRounding(*source, plain).loss_of(codes), b = LayerRounding(*source, scaled).loss_of(codes);
  for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(a.shift[i], b.shift[i], 1e-3);
  EXPECT_NEAR(a.shifted, b.shifted, 1e-3 * a.shifted);
}

// The same weight in the layouts of Gemm and of MatMul gives the same codes.
// The mean of such inputs is all there is, and the bias takes care of it. What is left are rounding errors, from which
// factors follow that are infinite.
TEST(Compensate, StaysNearTheWeightsWhereInputsNeverChange) {
  constexpr std::int64_t kDims[] = {kRows, kColumns};
  const auto source = source_of(normal(kRows * kColumns, 3), kDims);
  auto sample = sample_of(false);
  const std::vector<float> always = normal(kColumns, 5);
  for (auto* all : {&sample->to_fit, &sample->to_check}) {
    for (std::size_t i = 0; i < all->size(); ++i) (*all)[i] = 0.1F * always[i % kColumns];
  }
  sample->has_bias = true;
  const LayerRounding layer(*source, sample);
  for (const std::string_view scheme : {"int4 block=32 asym", "int8"}) {
    const Quantized plain = quantize(source, {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme));
    const Quantized better = layer.compensated(plain);
    EXPECT_LT(better.error.noise, 4 * plain.error.noise) << scheme;
  }
}

TEST(Compensate, DoesNotDependOnTheLayout) {
  const std::vector<float> x = normal(kRows * kColumns, 5);
  std::vector<float> turned(x.size());
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t k = 0; k < kColumns; ++k) turned[k * kRows + r] = x[r * kColumns + k];
  }
  constexpr std::int64_t kDims[] = {kRows, kColumns}, kTurned[] = {kColumns, kRows};
  const auto straight = source_of(x, kDims), other = source_of(turned, kTurned);
  const LayerRounding first(*straight, sample_of(false)), second(*other, sample_of(true));
  for (const std::string_view scheme : {"int4", "int4 block=32 asym", "levels=31"}) {
    const Quantized a = first.compensated(quantize(straight, {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme)));
    const Quantized b = second.compensated(quantize(other, {"MatMul", "", 1, 2, 0, 1}, parse_scheme(scheme)));
    std::vector<float> y(x.size()), z(x.size());
    a.decode(0, y.size(), y.data());
    b.decode(0, z.size(), z.data());
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t k = 0; k < kColumns; ++k) EXPECT_EQ(y[r * kColumns + k], z[k * kRows + r]) << scheme;
    }
  }
}

TEST(Compensate, KeepsZerosAndGroupsOfZeros) {
  std::vector<float> x = normal(kRows * kColumns, 5);
  for (std::size_t i = 0; i < x.size(); i += 3) x[i] = 0;
  std::fill_n(x.begin(), kColumns, 0.0F);
  constexpr std::int64_t kDims[] = {kRows, kColumns};
  const auto source = source_of(x, kDims);
  const LayerRounding layer(*source, sample_of(false));
  for (const std::string_view scheme : {"int4", "int4 block=32 asym", "palette4"}) {
    const Quantized made = layer.compensated(quantize(source, {"Gemm", "", 0, 1, 1, 2}, parse_scheme(scheme)));
    std::vector<float> y(x.size());
    made.decode(0, y.size(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == 0) EXPECT_EQ(y[i], 0) << scheme << " " << i;
    }
  }
}

// The vectors times the weight must be what the evaluator computes.
void expect_products(std::string_view text, std::size_t positions) {
  const Model model = text::parse_model(text);
  const Node& node = *model.graph().nodes().front();
  const Value& weight = *node.input(1);
  const Tensor& tensor = *constant_tensor(weight);
  const analysis::OpResolver ops(model);
  const auto uses = layer_uses(weight, tensor, ops);
  ASSERT_EQ(uses.size(), 1U);
  const LayerSample sample = sample_for(uses.front(), tensor);
  const Type& type = *model.graph().inputs().front()->type;
  ops::Sizes sizes;
  for (const Dim dim : type.dims) sizes.push_back(dim.size().value());
  ops::Array x = ops::Array::make<float>(sizes);
  const std::vector<float> numbers = normal(x.count(), 11);
  std::copy(numbers.begin(), numbers.end(), x.mutable_data<float>().begin());
  analysis::Evaluator evaluator(model);
  const auto results = evaluator.run({{model.graph().inputs().front()->value->name(), x}});
  ASSERT_TRUE(results) << evaluator.why();
  const auto y = results->front().array()->data<float>();
  const std::vector<float> vectors = layer_vectors(uses.front(), sample, x, 1000);
  const std::size_t width = sample.groups * sample.columns;
  ASSERT_EQ(vectors.size(), positions * width);
  std::vector<float> w(tensor.element_count().value());
  FloatSource(model.files, tensor).read(0, w.size(), w.data());
  const bool channels_last = !node.is("Conv");
  const std::size_t rows = sample.all_rows(), images = node.is("Conv") ? static_cast<std::size_t>(sizes[0]) : 1;
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < sample.columns; ++k)
        sum += static_cast<double>(vectors[p * width + r / sample.rows * sample.columns + k]) *
               w[r * sample.row_stride + k * sample.column_stride];
      const std::size_t each = positions / images, image = p / each;
      const std::size_t at = channels_last ? p * rows + r : (image * rows + r) * each + p % each;
      EXPECT_NEAR(sum, y[at], 1e-4) << p << " " << r;
    }
  }
}

TEST(LayerVectors, AreWhatAConvolutionMultiplies) {
  expect_products(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2,4,5,6] x) => (float y) <float[6,2,3,2] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,
      7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9}>
    { y = Conv<group = 2, pads = [1,0,2,1], strides = [2,1], dilations = [1,2]>(x, w) })",
                  std::size_t{2} * 3 * 5);
  expect_products(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1,2,7] x) => (float y) <float[2,2,3] w = {1,2,3,4,5,6,7,8,9,1,2,3}>
    { y = Conv<auto_pad = "SAME_LOWER", strides = [2]>(x, w) })",
                  4);
}

TEST(LayerVectors, AreWhatMatricesMultiply) {
  expect_products(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2,3,2] x) => (float y) <float[2,4] w = {1,2,3,4,5,6,7,8}> { y = MatMul(x, w) })",
                  6);
  expect_products(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2,3] x) => (float y) <float[4,2] w = {1,2,3,4,5,6,7,8}> { y = Gemm<transA = 1, transB = 1>(x, w) })",
                  3);
}

TEST(LayerVectors, FindTheBiasThatBelongsToOneLayer) {
  const Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2,2] x) => (float y, float z, float v)
      <float[2,2] w = {1,2,3,4}, float[2,2] u = {1,2,3,4}, float[2,2] t = {1,2,3,4}, float[2] b = {1,2}, float[2] c = {1,2}>
    { p = MatMul(x, w)  y = Add(b, p)  z = Gemm(x, u, c)  v = Gemm(y, t, c) })");
  const analysis::OpResolver ops(model);
  for (const Value* value : model.graph().initializers()) {
    const auto uses = layer_uses(*value, *value->initializer(), ops);
    if (value->name() == "w") {
      ASSERT_EQ(uses.size(), 1U);
      ASSERT_TRUE(uses.front().bias);
      EXPECT_EQ(uses.front().bias->name(), "b");
    } else if (value->name() == "u" || value->name() == "t") {
      ASSERT_EQ(uses.size(), 1U);
      EXPECT_FALSE(uses.front().bias);  // c has two users
    } else {
      EXPECT_TRUE(uses.empty());
    }
  }
}

}  // namespace
}  // namespace onnxpress::weights
