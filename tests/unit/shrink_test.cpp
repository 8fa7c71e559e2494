// Shrinking: estimates match what is written, accepted results are proved, and no bit changes.
#include "onnxpress/tasks/shrink/shrink.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/storage_form.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/passes/whole/narrow_types.h"
#include "onnxpress/passes/whole/share_tensors.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/chain/expand_chains.h"
#include "onnxpress/weights/lossless/encode_weights.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossless/statistics.h"
#include "tests/support/encode.h"

namespace onnxpress::weights {
namespace {

namespace fields = tests::fields;

template <typename T>
std::string raw_of(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

template <typename T>
Statistics statistics_of(ElementType type, const std::vector<T>& elements, std::size_t part = 8) {
  StatisticsBuilder builder(type);
  const std::string raw = raw_of(elements);
  for (std::size_t at = 0; at < raw.size(); at += part) builder.add(std::string_view(raw).substr(at, part));
  return builder.finish();
}

TEST(Statistics, SeesSplatsByBits) {
  EXPECT_TRUE(statistics_of<float>(ElementType::kFloat, {2, 2, 2, 2, 2}).is_splat);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {0.0F, 0.0F, -0.0F}).is_splat);
  EXPECT_TRUE(statistics_of<float>(ElementType::kFloat, {NAN, NAN}).is_splat);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {}).is_splat);
}

TEST(Statistics, TakesEmptyParts) {
  StatisticsBuilder same(ElementType::kFloat), other(ElementType::kFloat);
  for (const std::string_view part : {"", "abcd", "", "abcd", ""}) same.add(part);
  for (const std::string_view part : {"abcd", "efgh", "", "abcd"}) other.add(part);
  EXPECT_TRUE(same.finish().is_splat);
  EXPECT_EQ(other.finish().distinct.size(), 2U);
}

TEST(Statistics, CountsDistinctElements) {
  EXPECT_EQ(statistics_of<float>(ElementType::kFloat, {1, 2, 1, -0.0F, 0.0F, 2}).distinct.size(), 4U);
  std::vector<std::int64_t> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<std::int64_t>(i * 7 % 300);
  EXPECT_EQ(statistics_of(ElementType::kInt64, many).distinct.size(), Statistics::kMostDistinct);
  for (std::int64_t& each : many) each %= 256;
  EXPECT_EQ(statistics_of(ElementType::kInt64, many, 1 << 20).distinct.size(), 256U);
}

TEST(Statistics, SaysWhatFits) {
  EXPECT_TRUE(statistics_of<float>(ElementType::kFloat, {1.5F, -0.0F, 65504.0F, 0x1p-24F, INFINITY}).fits_float16);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {1.5F, 65505.0F}).fits_float16);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {1.5F, 0x1p-25F}).fits_float16);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {1.5F, NAN}).fits_float16);
  EXPECT_TRUE(statistics_of<float>(ElementType::kFloat, {0x1.02p100F, -0.0F}).fits_bfloat16);
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {0x1.01p100F}).fits_bfloat16);
  EXPECT_TRUE(statistics_of<double>(ElementType::kDouble, {0.5, -0.0, 0x1p-149}).fits_float);
  EXPECT_FALSE(statistics_of<double>(ElementType::kDouble, {0.1}).fits_float);
  EXPECT_TRUE(statistics_of<float>(ElementType::kFloat, {-128, 0, 127}).fits(-128, 127));
  EXPECT_FALSE(statistics_of<float>(ElementType::kFloat, {-0.0F, 1}).is_whole);
  EXPECT_TRUE(statistics_of<std::int64_t>(ElementType::kInt64, {0, 255}).fits(0, 255));
  EXPECT_FALSE(statistics_of<std::uint64_t>(ElementType::kUint64, {~std::uint64_t{0}}).is_whole);
  EXPECT_EQ(statistics_of<std::int64_t>(ElementType::kInt64, {0, 127, 128, -1}).varint_bytes, 1U + 1 + 2 + 10);
}

// --- Whole models

std::string floats(std::size_t count, double step) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += fmt::format("{}{}", i ? ", " : "", step * static_cast<double>(i));
  return list;
}

// A model that was encoded and read, like one from a file, with a weight "w" of 100 elements.
Model model_with(const std::string& type, const std::string& elements) {
  Model parsed = text::parse_model(
      fmt::format("<ir_version: 8, opset_import: [\"\" : 17]>\ng ({0}[100] x) => ({0}[100] y)\n<{0}[100] w = {{{1}}}>\n"
                  "{{\n  a = Neg (x)\n  y = Add (a, w)\n}}",
                  type, elements));
  return format::read_model(Bytes::owned(format::encode_model(parsed)), {}, {});
}

std::string repeated(const std::string& element) {
  std::string list;
  for (int i = 0; i < 100; ++i) list += (i ? ", " : "") + element;
  return list;
}

struct Case {
  const char *type, *encoding;
  std::string elements;
};

TEST(Encode, EstimatesWhatIsWritten) {
  const Case cases[] = {{"float", "splat", repeated("2.5")},
                        {"float", "cast-float16", floats(100, 0.25)},
                        {"int64", "narrow-integers", floats(100, -3)},
                        {"int32", "narrow-integers", floats(100, -300)}};
  for (const Case& each : cases) {
    Model model = model_with(each.type, each.elements);
    const auto before = static_cast<std::int64_t>(format::encoded_size(model).total());
    const auto only = [&each](std::string_view name) { return name == each.encoding; };
    const std::vector<passes::Saving> savings = encode_weights(model, {.wants = only});
    ASSERT_EQ(savings.size(), 1U) << each.type;
    EXPECT_EQ(savings.front().method, each.encoding);
    const auto after = static_cast<std::int64_t>(format::encoded_size(model).total());
    const auto said = static_cast<std::int64_t>(savings.front().before - savings.front().after);
    // New names are assumed to have five letters, and lengths may take a byte more or less.
    EXPECT_NEAR(static_cast<double>(before - after), static_cast<double>(said), 12.0) << each.type;
    EXPECT_EQ(verify(model), "");
  }
}

TEST(Encode, ExpandsToTheSameBits) {
  for (const std::string& elements : {repeated("-0.0"), repeated("nan"), floats(100, 0.25)}) {
    Model model = model_with("float", elements);
    const std::string before(model.graph().initializers()[0]->initializer()->bytes().view());
    ASSERT_EQ(encode_weights(model, {}).size(), 1U);
    Model again = format::read_model(Bytes::owned(format::encode_model(model)), {}, {});
    EXPECT_EQ(expand_chains(again).tensors, 1U);
    ASSERT_EQ(again.graph().initializers().size(), 1U);
    EXPECT_EQ(again.graph().initializers()[0]->name(), "w");
    EXPECT_EQ(again.graph().initializers()[0]->initializer()->bytes().view(), before);
    EXPECT_EQ(again.graph().nodes().size(), 2U);
    EXPECT_EQ(verify(again), "");
  }
}

// Only codes of rounded weights are limited to one method: an int64 range that was narrowed is still a range.
TEST(Encode, TakesAllMethodsForNarrowedTensors) {
  std::string elements = "0";
  for (int i = 1; i < 8192; ++i) elements += fmt::format(", {}", i * 3);
  Model model = text::parse_model(fmt::format(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[30000] x) => (float[8192] y)
<int64[8192] i = {{{}}}>
{{ y = Gather (x, i) }})",
                                              elements));
  ASSERT_EQ(passes::narrow_types(model), 1U);
  const std::vector<passes::Saving> savings = encode_weights(model, {});
  ASSERT_FALSE(savings.empty());
  EXPECT_NE(savings[0].method, "repeated-slices");
  EXPECT_LT(savings[0].after, 200U);
}

TEST(Encode, ProvesBits) {
  const Model model = model_with("float", floats(100, 0.25));
  const Candidate candidate(model, *model.graph().initializers()[0]->initializer(), "w", Target::kOrt);
  const auto good = cast_float16.find(candidate);
  ASSERT_TRUE(good);
  EXPECT_TRUE(decodes_exactly(*good, candidate));
  Chain wrong = *good;
  std::string bytes(wrong.constants[0].bytes().view());
  bytes[42] = static_cast<char>(bytes[42] ^ 1);
  wrong.constants[0].content = Bytes::owned(bytes);
  EXPECT_FALSE(decodes_exactly(wrong, candidate));
  Chain unknown = *good;
  unknown.steps[0].op_type = "NoSuchOp";
  EXPECT_FALSE(decodes_exactly(unknown, candidate));
  Chain random = *good;
  random.steps[0].op_type = "Identity";
  EXPECT_FALSE(decodes_exactly(random, candidate));
}

TEST(Encode, KeepsToTheTypesOfTheTarget) {
  for (const Target target : {Target::kOrtFormat, Target::kAny}) {
    Model model = model_with("float", floats(100, 0.25));
    EXPECT_TRUE(encode_weights(model, {.target = target}).empty());
  }
  Model model = model_with("int64", floats(100, -300));
  const auto only = [](std::string_view name) { return name == "narrow-integers"; };
  ASSERT_EQ(encode_weights(model, {.target = Target::kOrtWebGpu, .wants = only}).size(), 1U);
  for (const Value* value : model.graph().initializers())
    EXPECT_EQ(value->initializer()->type, ElementType::kInt32);  // 16 bits would be enough, but are not available there
}

// --- Storage

Model one_weight(const tests::Message& tensor) {
  const tests::Message graph = tests::Message()
                                   .message(fields::graph::kNode, tests::node("Neg", {"w"}, {"y"}))
                                   .text(fields::graph::kName, "g")
                                   .message(fields::graph::kInitializer, tensor)
                                   .message(fields::graph::kOutput, tests::value_info("y"));
  return format::read_model(Bytes::owned(tests::model(graph).bytes()), {}, {});
}

tests::Message header(std::int32_t type, std::int64_t count) {
  return tests::Message()
      .number(fields::tensor::kDims, count)
      .number(fields::tensor::kDataType, type)
      .text(fields::tensor::kName, "w");
}

TEST(StorageForm, TakesTheSmallerOne) {
  // Floats that are not packed take five bytes each.
  tests::Message listed = header(1, 3);
  for (const float each : {1.0F, -0.0F, NAN}) listed.real(fields::tensor::kFloatData, each);
  Model model = one_weight(listed);
  const std::string before(model.graph().initializers()[0]->initializer()->bytes().view());
  const std::uint64_t size = format::encoded_size(model).total();
  EXPECT_EQ(format::choose_storage_form(model), 1U);
  EXPECT_EQ(format::encoded_size(model).total(), size - 15 + 2 + 12);
  Model again = format::read_model(Bytes::owned(format::encode_model(model)), {}, {});
  EXPECT_EQ(again.graph().initializers()[0]->initializer()->storage, Storage::kRaw);
  EXPECT_EQ(again.graph().initializers()[0]->initializer()->bytes().view(), before);
}

TEST(StorageForm, PacksSmallIntegers) {
  const std::vector<std::int64_t> small = {0, 1, 127, 128, 5, 6, 7, 8};
  Model model = one_weight(header(7, 8).text(fields::tensor::kRawData, raw_of(small)));
  EXPECT_EQ(format::choose_storage_form(model), 1U);
  EXPECT_EQ(format::choose_storage_form(model), 0U);
  Model again = format::read_model(Bytes::owned(format::encode_model(model)), {}, {});
  const Tensor& tensor = *again.graph().initializers()[0]->initializer();
  EXPECT_EQ(tensor.storage, Storage::kTyped);
  EXPECT_EQ(tensor.bytes().view(), raw_of(small));
  const std::vector<std::int64_t> negative = {-1, -2, -3};
  Model other = one_weight(header(7, 3).text(fields::tensor::kRawData, raw_of(negative)));
  EXPECT_EQ(format::choose_storage_form(other), 0U);
}

TEST(StorageForm, KeepsUnknownFields) {
  tests::Message listed = header(1, 1).real(fields::tensor::kFloatData, 1).text(999, "future");
  listed.real(fields::tensor::kFloatData, 1);
  Model model = one_weight(listed);
  EXPECT_EQ(format::choose_storage_form(model), 0U);
}

// --- Sharing

TEST(Share, TakesRawAndTypedStorageAsTheSame) {
  // Two tensors are not equal just because neither has raw_data.
  const std::vector<float> elements = {1.5F, 2.5F, 3.5F, 4.5F};
  tests::Message graph;
  graph.message(fields::graph::kNode, tests::node("Sum", {"raw", "typed", "other"}, {"y"}))
      .text(fields::graph::kName, "g");
  const auto typed = [](std::string_view name, std::initializer_list<float> values) {
    tests::Message tensor;
    tensor.number(fields::tensor::kDims, 4).number(fields::tensor::kDataType, 1).text(fields::tensor::kName, name);
    for (const float each : values) tensor.real(fields::tensor::kFloatData, each);
    return tensor;
  };
  graph.message(fields::graph::kInitializer, tests::raw_tensor("raw", 1, {4}, raw_of(elements)));
  graph.message(fields::graph::kInitializer, typed("typed", {1.5F, 2.5F, 3.5F, 4.5F}));
  graph.message(fields::graph::kInitializer, typed("other", {1.5F, 2.5F, 3.5F, 5.5F}));
  graph.message(fields::graph::kOutput, tests::value_info("y"));
  Model model = format::read_model(Bytes::owned(tests::model(graph).bytes()), {}, {});
  const std::vector<passes::Saving> savings = passes::share_tensors(model);
  ASSERT_EQ(savings.size(), 1U);
  EXPECT_EQ(savings[0].tensor, "typed");
  const Node& sum = *model.graph().nodes().front();
  EXPECT_EQ(sum.input(0)->name(), "raw");
  EXPECT_EQ(sum.input(1)->name(), "raw");
  EXPECT_EQ(sum.input(2)->name(), "other");
  EXPECT_EQ(verify(model), "");
}

}  // namespace
}  // namespace onnxpress::weights
