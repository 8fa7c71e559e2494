// The check before a result replaces a file: what it must accept, and every kind of difference that it must find.
#include "onnxpress/compare/same_model.h"

#include <gtest/gtest.h>

#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

Model model_of(const std::string& graph) {
  return text::parse_model("<ir_version: 8, opset_import: [\"\" : 17]>\n" + graph, "test", {});
}

// Empty when the models are the same.
std::string difference(const std::string& before, const std::string& after,
                       const compare::RoundedWeights& rounded = {}) {
  const Model a = model_of(before), b = model_of(after);
  try {
    compare::require_same_model(a, b, rounded);
    return {};
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("bug in onnxpress"), std::string::npos);
    return std::string(error.message());
  }
}

const std::string kPlain = "g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 1, 2}> { y = Mul (x, w) }";

TEST(SameModel, AcceptsOtherNamesAndForms) {
  EXPECT_EQ(
      difference(kPlain,
                 "g (float[4] x) => (float[4] y) { w2 = Constant <value = float[4] {1, 2, 1, 2}> () y = Mul (x, w2) }"),
      "");
}

TEST(SameModel, DecodesChains) {
  const std::string graph =
      "g (float[4] x) => (float[4] y) <float[2] p = {1, 2}, int64[1] n = {NUMBER}> { w = Tile (p, n) y = Mul (x, w) }";
  const auto with = [&graph](const char* number) {
    std::string text = graph;
    return text.replace(text.find("NUMBER"), 6, number);
  };
  EXPECT_EQ(difference(kPlain, with("2")), "");
  EXPECT_EQ(difference(with("2"), kPlain), "");
  EXPECT_EQ(difference(with("2"), with("2")), "");
  EXPECT_NE(difference(kPlain, with("3")).find("the values of 'w' differ"), std::string::npos);
}

TEST(SameModel, FindsOtherBits) {
  EXPECT_NE(difference(kPlain, "g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 1, 2.0000002}> { y = Mul (x, w) }"),
            "");
  EXPECT_NE(difference(kPlain, "g (float[4] x) => (float[4] y) <float[1, 4] w = {1, 2, 1, 2}> { y = Mul (x, w) }"), "");
}

TEST(SameModel, FindsOtherConnections) {
  const std::string two = "g (float[4] x, float[4] z) => (float[4] y) { ";
  EXPECT_NE(difference(two + "y = Sub (x, z) }", two + "y = Sub (z, x) }"), "");
  EXPECT_NE(difference(two + "y = Clip (x, z) }", two + "y = Clip (x, \"\") }"), "");
  EXPECT_NE(difference(two + "a = Abs (x) y = Neg (a) }", two + "a = Abs (x) y = Neg (x) }"), "");
  EXPECT_NE(difference(two + "y = Abs (x) }", two + "y = Neg (x) }"), "");
  EXPECT_NE(difference(two + "y = Abs (x) }", two + "a = Abs (x) y = Abs (a) }"), "");
}

TEST(SameModel, FindsOtherAttributesButNotDefaults) {
  const std::string one = "g (float[4] x) => (float[4] y) { y = LeakyRelu ";
  EXPECT_EQ(difference(one + "<alpha = 0.01> (x) }", one + "(x) }"), "");
  EXPECT_NE(difference(one + "<alpha = 0.02> (x) }", one + "(x) }"), "");
}

TEST(SameModel, FindsOtherInterfaces) {
  EXPECT_NE(
      difference("g (float[4] x) => (float[4] y) { y = Abs (x) }", "g (float[4] x) => (float[4] z) { z = Abs (x) }"),
      "");
  EXPECT_NE(
      difference("g (float[4] x) => (float[4] y) { y = Abs (x) }", "g (float[5] x) => (float[4] y) { y = Abs (x) }"),
      "");
  EXPECT_NE(difference("g (float[1] x = {1}) => (float[1] y) { y = Abs (x) }",
                       "g (float[1] x = {2}) => (float[1] y) { y = Abs (x) }"),
            "");
}

TEST(SameModel, LooksIntoBodies) {
  const std::string begin =
      "g (bool c, float[1] x) => (float[1] y) { y = If (c) <then_branch = t () => (float[1] p) { p = Abs (x) }, ";
  const std::string same = begin + "else_branch = e () => (float[1] q) { q = Neg (x) }> }";
  EXPECT_EQ(difference(same, same), "");
  EXPECT_NE(difference(same, begin + "else_branch = e () => (float[1] q) { q = Exp (x) }> }"), "");
}

TEST(SameModel, AllowsRoundedWeightsWhatWasReported) {
  const std::string rounded = "g (float[4] x) => (float[4] y) <float[4] w = {1, 2.1, 1, 2}> { y = Mul (x, w) }";
  EXPECT_EQ(difference(kPlain, rounded, {{"w", 0.1}}), "");
  EXPECT_NE(difference(kPlain, rounded, {{"w", 0.05}}), "");
  // Two equal weights that were shared first.
  const auto twice = [](const char* tensors, const char* second) {
    return std::string("g (float[2] x) => (float[2] y) <") + tensors + "> { a = Mul (x, w) y = Mul (a, " + second +
           ") }";
  };
  const std::string equal = twice("float[2] w = {1, 2}, float[2] v = {1, 2}", "v");
  const std::string other = twice("float[2] w = {1, 2}, float[2] v = {1, 3}", "v");
  EXPECT_EQ(difference(equal, twice("float[2] w = {1, 2.1}", "w"), {{"w", 0.1}}), "");
  EXPECT_NE(difference(other, twice("float[2] w = {1, 2.1}", "w"), {{"w", 0.1}}), "");
}

}  // namespace
}  // namespace onnxpress
