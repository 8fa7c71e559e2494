// Generated models: the same for the same options, valid, of the requested size, and made without memory for weights.
#include "onnxpress/tasks/generate/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/generate/generate_fill.h"

namespace onnxpress {
namespace {

GenerateOptions small(ModelKind kind) {
  GenerateOptions options;
  options.kind = kind;
  options.sizes.nodes = 20;
  options.sizes.layers = 3;
  options.sizes.hidden = 16;
  options.sizes.vocab = 30;
  options.sizes.bytes = 10'000;
  return options;
}

std::string encoded(const GenerateOptions& options) {
  Model model = generate_model(options);
  return format::encode_model(model);
}

std::string collected(const ByteStream& stream) {
  std::string all;
  stream.produce([&all](std::string_view piece) { piece.data() ? all.append(piece) : all.append(piece.size(), '\0'); });
  return all;
}

std::uint64_t weight_bytes(const Model& model) {
  std::uint64_t total = 0;
  for_each_tensor(model, [&total](const Tensor& tensor, const TensorPlace&) { total += tensor.stored_bytes(); });
  return total;
}

class EveryKind : public testing::TestWithParam<ModelKindRow> {};
INSTANTIATE_TEST_SUITE_P(Generate, EveryKind, testing::ValuesIn(model_kinds().begin(), model_kinds().end()),
                         [](const auto& row) { return std::string(word_of(row.param.kind)); });

TEST_P(EveryKind, IsSoundAndReadsBackAsWritten) {
  Model model = generate_model(small(GetParam().kind));
  EXPECT_EQ(verify(model), "");
  const std::string bytes = format::encode_model(model);
  Model again = format::read_model(Bytes::borrowed(bytes));
  EXPECT_EQ(verify(again), "");
  EXPECT_TRUE(again.notes.empty());
  EXPECT_EQ(format::encode_model(again, true), bytes);
}

TEST_P(EveryKind, DependsOnOptionsOnly) {
  GenerateOptions options = small(GetParam().kind);
  const std::string first = encoded(options);
  EXPECT_EQ(encoded(options), first);
  options.seed = 1;
  const bool has_weights = GetParam().kind != ModelKind::kWide && GetParam().kind != ModelKind::kIndices;
  EXPECT_EQ(encoded(options) != first, has_weights);
}

TEST(Generate, HasAsManyNodesAsAsked) {
  EXPECT_EQ(generate_model(small(ModelKind::kChain)).graph().nodes().size(), 20U);
  EXPECT_EQ(generate_model(small(ModelKind::kWide)).graph().inputs()[0]->value->use_count(), 20U);
}

TEST(Generate, DeclaresValuesWhenAsked) {
  GenerateOptions options = small(ModelKind::kChain);
  EXPECT_EQ(generate_model(options).graph().value_infos().size(), 0U);
  options.sizes.value_info = true;
  EXPECT_EQ(generate_model(options).graph().value_infos().size(), 19U);
}

TEST(Generate, NestsAsDeepAsAsked) {
  GenerateOptions options = small(ModelKind::kSubgraphs);
  options.sizes.depth = 5;
  std::size_t graphs = 0;
  for_each_graph(generate_model(options), [&graphs](const Graph&) { ++graphs; });
  EXPECT_EQ(graphs, 1U + 2 * 5);
}

TEST(Generate, MakesWeightsOfTheSizeAskedFor) {
  GenerateOptions options = small(ModelKind::kWeights);
  options.sizes.bytes = 10'000'000'000;
  const std::uint64_t made = weight_bytes(generate_model(options));
  EXPECT_GE(made, options.sizes.bytes);
  EXPECT_LT(made, options.sizes.bytes + 4 * 4096 * options.sizes.tensors);
  options.sizes.bytes = 3;  // less than an element each: one element each
  EXPECT_EQ(weight_bytes(generate_model(options)), 4 * options.sizes.tensors);
}

// How many tensors with more than one element there are, and how many different contents they have.
std::pair<std::size_t, std::size_t> weights_and_contents(const GenerateOptions& options) {
  const Model model = generate_model(options);
  std::multiset<std::string> contents;
  for_each_tensor(model, [&contents](const Tensor& tensor, const TensorPlace&) {
    if (tensor.name.starts_with("layers.")) contents.emplace(tensor.bytes().view());
  });
  return {contents.size(), std::set<std::string>(contents.begin(), contents.end()).size()};
}

TEST(Generate, SharesLayers) {
  constexpr std::size_t kPerLayer = 16;
  GenerateOptions options = small(ModelKind::kTransformer);
  options.sizes.layers = 5;
  EXPECT_EQ(weights_and_contents(options), std::make_pair(5 * kPerLayer, 5 * kPerLayer));
  options.sizes.shared_layers = 2;
  EXPECT_EQ(weights_and_contents(options), std::make_pair(2 * kPerLayer, 2 * kPerLayer));
  options.sizes.duplicate_weights = true;
  EXPECT_EQ(weights_and_contents(options), std::make_pair(5 * kPerLayer, 2 * kPerLayer));
}

TEST(Generate, RefusesOptionsThatMakeNoModel) {
  const auto refused = [](auto&& change) {
    GenerateOptions options = small(ModelKind::kTransformer);
    change(options);
    EXPECT_THROW(generate_model(options), Error);
  };
  refused([](auto& options) { options.sizes.heads = 3; });
  refused([](auto& options) { options.sizes.heads = 0; });
  refused([](auto& options) { options.sizes.layers = 0; });
  refused([](auto& options) { options.type = ElementType::kInt8; });
  refused([](auto& options) { options.type = ElementType::kString; });
  refused([](auto& options) { options.opset = 11; });
  refused([](auto& options) { options.opset = 29; });
  refused([](auto& options) { options.kind = ModelKind::kSubgraphs, options.sizes.depth = 64; });
  refused([](auto& options) { options.sizes.bytes = ~std::uint64_t{0}; });
}

TEST(GenerateFill, MakesZerosWithoutMemory) {
  const auto stream = make_fill(Fill::kZeros, ElementType::kFloat, std::uint64_t{1} << 40, 0);
  EXPECT_EQ(stream->size(), std::uint64_t{1} << 42);
  std::uint64_t total = 0;
  stream->produce([&total](std::string_view piece) {
    EXPECT_EQ(piece.data(), nullptr);
    total += piece.size();
  });
  EXPECT_EQ(total, stream->size());
}

TEST(GenerateFill, MakesSmallFiniteRandomNumbers) {
  constexpr std::size_t kCount = 600'000;  // more than one piece
  const std::string bytes = collected(*make_fill(Fill::kRandom, ElementType::kFloat, kCount, 7));
  ASSERT_EQ(bytes.size(), kCount * sizeof(float));
  double sum = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    ASSERT_GE(std::abs(value), 0x1p-7F);
    ASSERT_LT(std::abs(value), 0x1p-5F);
    sum += value;
  }
  EXPECT_NEAR(sum / kCount, 0, 1e-4);
}

TEST(GenerateFill, DiffersBySeedAndOverItsLength) {
  const auto words = [](std::uint64_t seed) {
    return collected(*make_fill(Fill::kRandom, ElementType::kUint64, 400'000, seed));
  };
  EXPECT_EQ(words(1), words(1));
  EXPECT_NE(words(1), words(2));
  const std::string all = words(1);
  std::set<std::string_view> distinct;
  for (std::size_t at = 0; at < all.size(); at += 8) distinct.insert(std::string_view(all).substr(at, 8));
  EXPECT_EQ(distinct.size(), 400'000U);
}

TEST(GenerateFill, CountsInEveryType) {
  const auto first = [](ElementType type, std::uint64_t count) {
    return collected(*make_fill(Fill::kArange, type, count, 0));
  };
  EXPECT_EQ(first(ElementType::kInt8, 3), std::string("\0\1\2", 3));
  EXPECT_EQ(first(ElementType::kBool, 3), std::string("\0\1\0", 3));
  EXPECT_EQ(first(ElementType::kUint16, 2), std::string("\0\0\1\0", 4));
  const std::string floats = first(ElementType::kFloat, 4), doubles = first(ElementType::kDouble, 4);
  EXPECT_EQ(Bytes::borrowed(floats).load<float>(3), 3.0F);
  EXPECT_EQ(Bytes::borrowed(doubles).load<double>(3), 3.0);
  EXPECT_EQ(Bytes::borrowed(first(ElementType::kFloat16, 3)).load<std::uint16_t>(2), 0x4000);  // 2 in binary16
  EXPECT_EQ(Bytes::borrowed(first(ElementType::kBfloat16, 4)).load<std::uint16_t>(3),
            0x4040);  // 3: the upper half of 3.0f
  const std::string halves = first(ElementType::kFloat16, 2049);
  EXPECT_EQ(Bytes::borrowed(halves).load<std::uint16_t>(2047), 0x67ff);  // 2047, the largest odd number in float16
  EXPECT_EQ(Bytes::borrowed(halves).load<std::uint16_t>(2048), 0);       // starts again
}

TEST(GenerateFill, EncodesSingleNumbers) {
  const auto bits = [](double number, ElementType type) {
    const std::string bytes = encode_number(number, type);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  };
  EXPECT_EQ(bits(0.5, ElementType::kFloat16), 0x3800U);
  EXPECT_EQ(bits(-1, ElementType::kFloat16), 0xbc00U);
  EXPECT_EQ(bits(std::sqrt(2.0), ElementType::kFloat16), 0x3da8U);
  EXPECT_EQ(bits(1 - 0x1p-12, ElementType::kFloat16), 0x3c00U);  // rounds up into the next exponent
  EXPECT_EQ(bits(std::sqrt(2.0), ElementType::kFloat), 0x3fb504f3U);
  EXPECT_EQ(bits(std::sqrt(2.0), ElementType::kBfloat16), 0x3fb5U);
  EXPECT_EQ(bits(-3, ElementType::kInt64), ~std::uint64_t{2});
}

}  // namespace
}  // namespace onnxpress
