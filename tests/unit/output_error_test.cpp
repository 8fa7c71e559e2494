// What counts as an error in the outputs of a model, and the inputs on which it is measured.
#include "onnxpress/tasks/quantize/output_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "onnxpress/inputs/input_kinds.h"
#include "onnxpress/inputs/signals.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

Model probability(const std::string& slope, const std::string& offset) {
  return text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[1,8] x) => (float[1,8] y) <float a = {)" +
                           slope + "}, float b = {" + offset + "}> { p = Mul(x, a)  q = Sub(p, b)  y = Sigmoid(q) }");
}

double loss_for_zeros(Model before, Model after) {
  OutputError outputs(before, {});
  const auto all = outputs.all();
  const auto losses = outputs.losses_of(after, all);
  for (const std::size_t each : all) {
    if (outputs.kind_of(each) == "zeros") return losses[each].snr;
  }
  return -1;
}

// 0.00012 instead of 0.0002 does not matter if the output is 1 for other inputs, but matters a lot if it never is.
TEST(OutputError, ComparesProbabilitiesWithNoLessThanAHundredth) {
  EXPECT_NEAR(loss_for_zeros(probability("8", "9"), probability("8", "8.5")), 42, 1);
  EXPECT_LT(loss_for_zeros(probability("0.1", "9"), probability("0.1", "8.5")), 6);
}

std::set<std::string> kinds_for(const std::string& shape) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float)" + shape + " x) => (float" +
                                  shape + " y) { y = Neg(x) }");
  const OutputError outputs(model, {});
  std::set<std::string> kinds;
  for (const std::size_t each : outputs.all()) kinds.insert(outputs.kind_of(each));
  return kinds;
}

TEST(OutputError, ShowsTextToModelsThatTakeImages) {
  EXPECT_TRUE(kinds_for("[1,3,32,48]").contains("text"));
  EXPECT_TRUE(kinds_for("[1,32,48,3]").contains("text"));
  EXPECT_TRUE(kinds_for("[1,1,32,48]").contains("text"));
  EXPECT_FALSE(kinds_for("[1,64]").contains("text"));
  EXPECT_FALSE(kinds_for("[1,40,64]").contains("text"));
  EXPECT_FALSE(kinds_for("[1,3,4,4]").contains("text"));
}

TEST(OutputError, ExcusesTheWorstInputs) {
  EXPECT_EQ(excused_of(99, 0.01), 0);
  EXPECT_EQ(excused_of(250, 0.01), 2);
  EXPECT_EQ(excused_of(250, 0), 0);
  const std::vector<Loss> losses = {{.snr = 31}, {.snr = 12}, {.snr = 45}, {.snr = 28}};
  EXPECT_EQ(worst_after(losses, 0), 12);
  EXPECT_EQ(worst_after(losses, 1), 28);
  EXPECT_EQ(worst_after(losses, 3), 45);
  EXPECT_EQ(worst_after(losses, 4), INFINITY);
}

std::size_t inputs_for(const std::string& size) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (double[1] x) => (double[)" + size +
                                  "] y) <int64[1] size = {" + size + "}> { y = Expand(x, size) }");
  return OutputError(model, {}).size();
}

TEST(OutputError, KeepsFewOutputsIfTheyAreLarge) {
  EXPECT_GT(inputs_for("10"), 60);
  EXPECT_LT(inputs_for("5000000"), 12);
}

// The noise is made as floats first, four times as large as the pixels.
TEST(OutputError, MakesUpNoInputsThatAreTooLarge) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (uint8[100000000] x) => (uint8[100000000] y) { y = Identity(x) })");
  const OutputError outputs(model, {});
  EXPECT_FALSE(outputs.works());
  EXPECT_NE(outputs.why().find("too large to be generated"), std::string::npos) << outputs.why();
}

Model frames(const std::string& length) {
  return text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[N,1,)" + length +
                           R"(] x) => (float[N,1,T] y)
    <float[1,1,4] w = {1,2,3,4}> { y = Conv <strides = [160], kernel_shape = [4]> (x, w) })");
}

// 64 samples make a single frame. The quality should hold for them, too.
TEST(OutputError, MakesOpenDimsLongEnoughForAllLayers) {
  Model open = frames("L"), given = frames("500");
  EXPECT_EQ(OutputError(open, {}).input_types(), (std::vector<std::string>{"x float[1,1,16384]", "x float[1,1,64]"}));
  EXPECT_EQ(OutputError(given, {}).input_types(), std::vector<std::string>{"x float[1,1,500]"});
  QuantizeOptions options;
  options.bindings.dim = {"L=320"};
  EXPECT_EQ(OutputError(open, options).input_types(), std::vector<std::string>{"x float[1,1,320]"});
}

ops::Array array_of(const OutputError& outputs, std::size_t probe, const std::string& name) {
  for (const auto& [each, array] : outputs.inputs_of(probe)) {
    if (each == name) return array;
  }
  return {};
}

// Some models write OneHot as Equal with 0, 1, 2, ...: then the input has such codes, not the ones and zeros of a mask.
TEST(OutputError, MakesUpCodesThatAModelComparesItsInputWith) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (int32[1,16] x) => (float[1,16,5] y) <int64[1] last = {2}, int32[1,1,5] codes = {3,4,5,6,7}>
    { u = Unsqueeze(x, last)  e = Equal(u, codes)  y = Cast<to = 1>(e) })");
  const OutputError outputs(model, {});
  std::set<std::int32_t> seen;
  for (const std::size_t each : outputs.all()) {
    for (const std::int32_t code : array_of(outputs, each, "x").data<std::int32_t>()) seen.insert(code);
  }
  EXPECT_EQ(seen, (std::set<std::int32_t>{3, 4, 5, 6, 7}));
}

// A limit that is compared with a table of frequencies is one of them, not a number near 1: otherwise nothing passes.
TEST(OutputError, MakesUpLimitsThatLetNumbersPass) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (float lowest, float highest) => (float[5] y) <float[5] table = {50, 100, 200, 400, 800}>
    { a = GreaterOrEqual(table, lowest)  b = Less(highest, table)  c = Not(b)  d = And(a, c)  y = Cast<to = 1>(d) })");
  const OutputError outputs(model, {});
  int narrow = 0;
  for (const std::size_t each : outputs.all()) {
    const float low = array_of(outputs, each, "lowest").data<float>()[0];
    const float high = array_of(outputs, each, "highest").data<float>()[0];
    EXPECT_GE(low, 50);
    EXPECT_LE(high, 800);
    narrow += low < high ? 0 : 1;
  }
  EXPECT_LT(narrow, 5);
}

TEST(OutputError, NormalizesImagesForModelsThatTakeFloats) {
  EXPECT_TRUE(kinds_for("[1,3,32,48]").contains("normalized image"));
  EXPECT_TRUE(kinds_for("[1,3,32,48]").contains("normalized text"));
  EXPECT_TRUE(kinds_for("[1,64]").contains("normalized image"));
  EXPECT_FALSE(kinds_for("[1,64]").contains("normalized text"));
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]>
    g (uint8[1,3,32,48] x) => (float[1,3,32,48] y) { y = Cast<to = 1>(x) })");
  const OutputError outputs(model, {});
  for (const std::size_t each : outputs.all()) EXPECT_FALSE(outputs.kind_of(each).starts_with("normalized"));
}

// Photographs of the sky at night or of snow are as real as others.
TEST(SmoothImage, IsDarkOrBrightNowAndThen) {
  int dark = 0, bright = 0;
  constexpr int kImages = 200;
  for (std::uint64_t seed = 0; seed < kImages; ++seed) {
    inputs::RandomNumbers random(seed, "x");
    const inputs::Signal image = inputs::smooth_image({1, 3, 24, 24}, random);
    const auto [low, high] = std::ranges::minmax(image);
    EXPECT_GE(low, 0);
    EXPECT_LE(high, 1);
    double mean = 0;
    for (const float each : image) mean += each / static_cast<double>(image.size());
    dark += mean < 0.2 ? 1 : 0, bright += mean > 0.75 ? 1 : 0;
  }
  EXPECT_GT(dark, 5);
  EXPECT_GT(bright, 5);
  EXPECT_LT(dark + bright, kImages / 3);
}

TEST(TextImage, HasInkAndPaper) {
  int with_ink = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    inputs::RandomNumbers random(seed, "x");
    const inputs::Signal image = inputs::text_image({1, 3, 48, 64}, random);
    ASSERT_EQ(image.size(), 3U * 48 * 64);
    const auto [low, high] = std::ranges::minmax(image);
    EXPECT_GE(low, 0);
    EXPECT_LE(high, 1);
    with_ink += high - low > 0.3 ? 1 : 0;
  }
  EXPECT_GE(with_ink, 18);
}

}  // namespace
}  // namespace onnxpress
