// Symbolic arithmetic: normal forms, bounds, and what unification solves.
#include "onnxpress/ops/core/dim_math.h"

#include <gtest/gtest.h>

#include "onnxpress/ir/model.h"

namespace onnxpress::ops {
namespace {

class DimMathTest : public testing::Test {
 protected:
  Model model;
  DimMath math{model.context()};

  Dim n = Dim::symbol(model.context().symbol("N"));
  Dim m = Dim::symbol(model.context().symbol("M"));
  static Dim size(std::int64_t size) { return Dim::size(size); }
};

TEST_F(DimMathTest, EqualExpressionsAreTheSameDim) {
  EXPECT_EQ(math.add(n, m), math.add(m, n));
  EXPECT_EQ(math.sub(math.add(n, size(3)), size(3)), n);
  EXPECT_EQ(math.mul(math.add(n, size(1)), size(2)), math.add(math.mul(size(2), n), size(2)));
  EXPECT_EQ(to_string(math.add(math.mul(size(2), n), size(1))), "2*N+1");
  EXPECT_EQ(to_string(math.mul(n, m)), "N*M");
  EXPECT_EQ(to_string(math.sub(size(3), n)), "3-N");
}

TEST_F(DimMathTest, FloorDivisionTakesOutWhatDivides) {
  EXPECT_EQ(math.floor_div(math.mul(size(4), n), size(4)), n);
  EXPECT_EQ(to_string(math.add(math.floor_div(math.sub(n, size(1)), size(2)), size(1))), "floor((N+1)/2)");
  // A stack of strided convolutions ends in one division.
  Dim length = n;
  for (int layer = 0; layer < 3; ++layer) length = math.floor_div(length, size(2));
  EXPECT_EQ(to_string(length), "floor(N/8)");
  EXPECT_EQ(math.floor_div(size(-7), size(2)), size(-4));
  EXPECT_TRUE(math.floor_div(n, size(0)).is_unknown());
}

TEST_F(DimMathTest, DivisionByASymbolIsExactWhereItDivides) {
  EXPECT_EQ(math.exact_div(math.mul(n, m), m), n);
  EXPECT_EQ(math.exact_div(math.mul(math.add(n, size(1)), m), math.add(n, size(1))), m);
}

TEST_F(DimMathTest, RemainderAndDivisionAddUp) {
  const Dim rest = math.mod(n, size(4));
  EXPECT_EQ(math.add(rest, math.mul(size(4), math.floor_div(n, size(4)))), n);
}

TEST_F(DimMathTest, BoundsDecideMinAndMax) {
  EXPECT_EQ(math.max(n, size(0)), n);
  EXPECT_EQ(math.min(n, math.add(n, size(2))), n);
  EXPECT_EQ(to_string(math.min(n, size(5))), "min(N,5)");
  EXPECT_TRUE(math.at_least(math.sub(n, math.min(n, size(5))), 0));
  EXPECT_FALSE(math.at_least(math.sub(n, size(1)), 0));
}

TEST_F(DimMathTest, BroadcastIsNotAMaximum) {
  EXPECT_EQ(math.broadcast(n, size(1)), n);
  EXPECT_EQ(math.broadcast(n, size(7)), size(7));
  EXPECT_EQ(math.broadcast(size(0), n), size(0));
  EXPECT_EQ(to_string(math.broadcast(n, m)), "broadcast(N,M)");
  EXPECT_EQ(math.broadcast(math.broadcast(n, m), n), math.broadcast(n, m));
  // They fit only up to 512, or where one of them is 1.
  EXPECT_EQ(math.broadcast(n, math.min(n, size(512))), n);
  EXPECT_EQ(math.broadcast(math.min(n, size(1)), n), n);
  EXPECT_NE(math.broadcast(n, math.min(n, m)), n);  // M may be 0
}

TEST_F(DimMathTest, UnificationSolvesForASymbol) {
  const Dim sum = math.add(math.mul(size(2), n), m);
  EXPECT_TRUE(math.unify(math.add(n, size(1)), size(8)));
  EXPECT_EQ(math.resolve(n), size(7));
  EXPECT_EQ(to_string(math.resolve(sum)), "M+14");
  EXPECT_FALSE(math.unify(n, size(8)));
}

TEST_F(DimMathTest, UnificationPrefersToReplaceWhatWeMade) {
  const Dim made = math.fresh("x.0");
  EXPECT_TRUE(math.unify(n, made));
  EXPECT_EQ(math.resolve(made), n);
  EXPECT_EQ(math.resolve(n), n);
}

TEST_F(DimMathTest, ResolvesProductsInsideSums) {
  const Dim twice = math.mul(size(2), n), inside = math.add(math.floor_div(twice, size(3)), twice);
  EXPECT_TRUE(math.unify(m, size(4)));  // any unification makes everything be resolved again
  EXPECT_EQ(math.resolve(inside), inside);
}

TEST_F(DimMathTest, ImpossibleEqualitiesAreRefused) {
  EXPECT_FALSE(math.unify(size(3), size(4)));
  EXPECT_FALSE(math.unify(math.mul(size(2), n), size(5)));
  EXPECT_FALSE(math.unify(math.add(n, size(4)), size(1)));
}

TEST_F(DimMathTest, InsideABodyOnlyItsOwnSymbolsAreSolvedFor) {
  const DimMath::Scope body(math);
  const Dim inner = math.fresh("inner");
  EXPECT_TRUE(math.unify(n, size(3)));
  EXPECT_EQ(math.resolve(n), n);
  EXPECT_TRUE(math.unify(inner, n));
  EXPECT_EQ(math.resolve(inner), n);
}

TEST_F(DimMathTest, LargeNumbersAreUnknownNotWrong) {
  const Dim large = size(Dim::kMostSize);
  EXPECT_TRUE(math.add(large, size(1)).is_unknown());
  EXPECT_TRUE(math.mul(large, size(2)).is_unknown());
}

TEST_F(DimMathTest, ValuesFollowFromSizes) {
  const Dim dim = math.add(math.floor_div(math.sub(n, size(1)), size(2)), math.min(m, size(5)));
  const auto value = math.value_of(
      dim, [&](const Symbol& symbol) -> std::optional<std::int64_t> { return symbol.name == "N" ? 10 : 9; });
  EXPECT_EQ(value, 9);
}

}  // namespace
}  // namespace onnxpress::ops
