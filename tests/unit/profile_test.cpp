// Counting multiply-adds, operations, parameters and memory of small models.
#include "onnxpress/tasks/profile/profile.h"

#include <gtest/gtest.h>

#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

ProfileReport profile_of(std::string_view graph, int opset = 17, const ProfileOptions& options = {}) {
  const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) +
                           ", \"com.microsoft\" : 1]>\n" + std::string(graph);
  Model model = text::parse_model(text);
  return profile(model, options);
}

std::uint64_t macs_of(std::string_view graph, int opset = 17) {
  return profile_of(graph, opset).macs.value.value_or(0);
}

TEST(Profile, ConvCountsItsWindowForEachResult) {
  // 1 x 8 x 14 x 14 results, 3 x 3 x 3 products each; padding is not subtracted, and the bias is not a product.
  EXPECT_EQ(macs_of("g (float[1,3,14,14] x, float[8,3,3,3] w, float[8] b) => (float[1,8,14,14] y) "
                    "{ y = Conv<pads = [1,1,1,1]>(x, w, b) }"),
            1u * 8 * 14 * 14 * 27);
}

TEST(Profile, TablesAreUtf8) {
  ProfileReport report;
  report.node_list.push_back({.name = "a\xffz\xc3\xa4", .op = "Relu"});
  EXPECT_NE(to_csv(report).find("a\\xffz\xc3\xa4,"), std::string::npos);
}

TEST(Profile, ANodeWithoutADeviceIsBoundByNothing) {
  ProfileReport report;
  report.node_list.push_back({.name = "a", .op = "Relu"});
  EXPECT_NE(to_json(report).find("\"bound\": \"\""), std::string::npos);
  report.node_list[0].bound = Bound::kCompute;
  EXPECT_NE(to_json(report).find("\"bound\": \"compute\""), std::string::npos);
}

TEST(Profile, GroupsMakeConvCheaper) {
  EXPECT_EQ(macs_of("g (float[1,8,4,4] x, float[8,1,3,3] w) => (float[1,8,2,2] y) { y = Conv<group = 8>(x, w) }"),
            8u * 2 * 2 * 9);
}

TEST(Profile, ConvTransposeSpreadsEachOperandElement) {
  EXPECT_EQ(macs_of("g (float[1,16,5,5] x, float[16,8,2,2] w) => (float[1,8,10,10] y) "
                    "{ y = ConvTranspose<strides = [2,2]>(x, w) }"),
            16u * 5 * 5 * 8 * 4);
}

TEST(Profile, MatMulBroadcastsItsBatches) {
  EXPECT_EQ(macs_of("g (float[2,1,4,5] a, float[3,5,6] b) => (float[2,3,4,6] y) { y = MatMul(a, b) }"),
            2u * 3 * 4 * 6 * 5);
}

TEST(Profile, GemmSumsOverTheTransposedAxis) {
  EXPECT_EQ(macs_of("g (float[7,4] a, float[7,6] b) => (float[4,6] y) { y = Gemm<transA = 1>(a, b) }"), 4u * 6 * 7);
}

TEST(Profile, LstmCountsWeightsForEachStep) {
  EXPECT_EQ(macs_of("g (float[7,2,3] x, float[1,20,3] w, float[1,20,5] r) => (float[7,1,2,5] y) "
                    "{ y = LSTM<hidden_size = 5>(x, w, r) }"),
            7u * 2 * (20 * 3 + 20 * 5));
}

TEST(Profile, EinsumMultipliesAllLabelsOfAPair) {
  EXPECT_EQ(macs_of("g (float[2,3,4] a, float[2,4,5] b) => (float[2,3,5] y) "
                    "{ y = Einsum<equation = \"bij,bjk->bik\">(a, b) }"),
            2u * 3 * 4 * 5);
}

TEST(Profile, FlopsAreTwoForEachMacAndOneForEachElement) {
  const ProfileReport report =
      profile_of("g (float[4,5] a, float[5,6] b) => (float[4,6] y) { c = MatMul(a, b) y = Relu(c) }");
  EXPECT_EQ(report.flops.value, 2u * 4 * 6 * 5 + 4 * 6);
}

TEST(Profile, TotalsAreFormulasOfSymbols) {
  const ProfileReport report =
      profile_of("g (float[batch,seq,768] x, float[768,768] w) => (float[batch,seq,768] y) { y = MatMul(x, w) }");
  EXPECT_EQ(report.macs.formula, "589,824*batch*seq");
  ASSERT_EQ(report.assumed.size(), 2u);
  EXPECT_EQ(report.assumed[0].symbol, "batch");
  EXPECT_EQ(report.assumed[0].size, 1);
  EXPECT_EQ(report.macs.value, 128u * 589'824);
}

TEST(Profile, FormulasPutSharedFactorsInFront) {
  const ProfileReport report = profile_of(
      "g (float[seq,64] x, float[64,64] w) => (float[seq,seq] y) { a = MatMul(x, w) t = Transpose(a) y = MatMul(a, t) "
      "}");
  EXPECT_EQ(report.macs.formula, "seq*(4,096 + 64*seq)");
}

TEST(Profile, OnlyTheTakenBranchCounts) {
  const std::string graph =
      "g (float[4,4] x) => (float[4,4] y) <bool c = {1}> { y = If (c) <then_branch = t () => (float[4,4] a) "
      "{ a = MatMul(x, x) }, else_branch = e () => (float[4,4] b) { d = MatMul(x, x) b = MatMul(d, x) }> }";
  EXPECT_EQ(macs_of(graph), 64u);
}

TEST(Profile, TheLargerOfTwoBranchesCountsWhenTheConditionIsNotKnown) {
  const std::string graph =
      "g (float[4,4] x, bool c) => (float[4,4] y) { y = If (c) <then_branch = t () => (float[4,4] a) "
      "{ a = MatMul(x, x) }, else_branch = e () => (float[4,4] b) { d = MatMul(x, x) b = MatMul(d, x) }> }";
  EXPECT_EQ(macs_of(graph), 128u);
}

TEST(Profile, LoopsCountTheirTrips) {
  const std::string graph =
      "g (float[4,4] x) => (float[4,4] y) <int64 n = {5}, bool c = {1}> { y = Loop (n, c, x) <body = b "
      "(int64 i, bool k, float[4,4] s) => (bool k2, float[4,4] s2) { k2 = Identity(k) s2 = MatMul(s, x) }> }";
  EXPECT_EQ(macs_of(graph), 5u * 64);
}

TEST(Profile, AnUnknownOpMakesTotalsLowerBounds) {
  const ProfileReport report = profile_of("g (float[4,4] x) => (float[4,4] y) { a = MatMul(x, x) y = my.Op(a) }");
  EXPECT_TRUE(report.macs.at_least);
  EXPECT_EQ(report.macs.value, 64u);
  ASSERT_EQ(report.unknown_ops.size(), 1u);
}

TEST(Profile, ViewsMoveNothing) {
  const ProfileReport report =
      profile_of("g (float[4,4] x) => (float[16] y) <int64[1] s = {16}> { y = Reshape(x, s) }");
  EXPECT_EQ(report.read.value, 0u);
  EXPECT_EQ(report.written.value, 0u);
}

TEST(Profile, MemoryReusesBuffersAndWorksInPlace) {
  // a and b are alive at the same time; Relu works in the memory of its operand.
  const ProfileReport report = profile_of(
      "g (float[100,100] x) => (float[100,100] y) { a = MatMul(x, x) b = Relu(a) c = MatMul(b, b) y = Relu(c) }");
  EXPECT_EQ(report.memory.peak, 2u * 40'000);
  EXPECT_EQ(report.memory.pool, report.memory.peak);
  EXPECT_EQ(report.memory.activations, 4u * 40'000);
}

TEST(Profile, ParametersCountOnceAtTheirFirstUser) {
  const ProfileReport report =
      profile_of("g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1,2,3,4}> { a = MatMul(x, w) y = MatMul(a, w) }");
  EXPECT_EQ(report.parameters, 4u);
  EXPECT_EQ(report.node_list[0].parameters, 4u);
  EXPECT_EQ(report.node_list[1].parameters, 0u);
}

}  // namespace
}  // namespace onnxpress
