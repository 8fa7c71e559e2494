// Evaluation budgets, which a hostile model cannot exceed.
#include "onnxpress/ops/core/budget.h"

#include <gtest/gtest.h>

#include <limits>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress {
namespace {

using analysis::Evaluator;
using ops::Array;
using ops::EvaluationBudget;
using ops::EvaluationMeter;
using ops::MeterScope;
using ops::OverBudget;

TEST(Budget, CountsArraysThatLiveAndForgetsThoseThatAreGone) {
  EvaluationMeter meter({.live_bytes = 4096});
  const MeterScope scope(meter);
  {
    const Array kept = Array::make<float>({512});
    EXPECT_GE(meter.live_bytes(), 2048U);
    EXPECT_THROW(Array::make<float>({512}), OverBudget);
  }
  EXPECT_EQ(meter.live_bytes(), 0U);
  EXPECT_NO_THROW(Array::make<float>({512}));
}

TEST(Budget, AnArrayMayOutliveItsMeter) {
  Array kept;
  {
    EvaluationMeter meter;
    const MeterScope scope(meter);
    kept = Array::make<float>({4});
  }
  EXPECT_EQ(kept.count(), 4U);
  EXPECT_EQ(ops::current_meter(), nullptr);
}

TEST(Budget, CountsTextsAndManySmallArrays) {
  EvaluationMeter meter({.live_bytes = 10'000});
  const MeterScope scope(meter);
  EXPECT_THROW(Array::make<std::string>({1000}), OverBudget);
  std::vector<Array> many;
  EXPECT_THROW(
      {
        for (int i = 0; i < 10'000; ++i) many.push_back(Array::make<float>({}));
      },
      OverBudget);
}

TEST(Budget, MultipliesStepsWithoutOverflow) {
  EvaluationMeter meter({.steps = 1000});
  const MeterScope scope(meter);
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 33;
  EXPECT_NO_THROW(ops::spend_steps(10, 10, 10));
  EXPECT_THROW(ops::spend_steps(1), OverBudget);
  EXPECT_THROW(ops::spend_steps(kLarge, kLarge, kLarge), OverBudget);
  EXPECT_THROW(ops::require_scratch(kLarge, kLarge), OverBudget);
}

TEST(Budget, AnEmptyArrayCostsItsOtherSizes) {
  EXPECT_EQ(ops::steps_over(std::vector<std::int64_t>{0, 1000, 1000}), 1'000'000U);
  EXPECT_EQ(ops::steps_over(std::vector<std::int64_t>{}), 1U);
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(ops::steps_over(std::vector<std::int64_t>{0, large, large}), std::numeric_limits<std::uint64_t>::max());
}

// The reason why a model without inputs is refused, with the default budget.
std::string refusal(std::string_view text, std::optional<EvaluationBudget> budget = std::nullopt) {
  const Model model = text::parse_model(text);
  Evaluator evaluator(model, budget);
  if (evaluator.run({})) return "not refused";
  EXPECT_TRUE(evaluator.over_budget());
  EXPECT_LT(evaluator.meter().steps(), evaluator.meter().budget().steps + 1);
  return evaluator.why();
}

TEST(Budget, RefusesHostileModelsBeforeTheyBegin) {
  const auto refused = [](std::string_view nodes) {
    return refusal("<ir_version: 8, opset_import: [\"\" : 18]> g () => (y) {" + std::string(nodes) + "}");
  };
  EXPECT_EQ(refused("s = Constant <value_ints = [100000, 50000]> () y = ConstantOfShape (s)"),
            "node '' (ConstantOfShape): it needs 18.6 GiB, but 276 bytes of 512.0 MiB are already in use");
  // The arrays are small, but the work is not.
  EXPECT_NE(refused("s = Constant <value_ints = [4000, 4000]> () a = ConstantOfShape (s) y = MatMul (a, a)")
                .find("(MatMul): it takes 6.4e+10 steps"),
            std::string::npos);
  EXPECT_NE(refused("n = Constant <value_int = 67108863> () y = HannWindow (n)").find("(HannWindow): it needs"),
            std::string::npos);
}

TEST(Budget, TextsThatDoubleAreRefused) {
  std::string nodes = "t0 = Constant <value_string = \"0123456789\"> () ";
  for (int i = 0; i < 60; ++i)
    nodes += "t" + std::to_string(i + 1) + " = StringConcat (t" + std::to_string(i) + ", t" + std::to_string(i) + ") ";
  const std::string why =
      refusal("<ir_version: 9, opset_import: [\"\" : 20]> g () => (y) {" + nodes + "y = Identity (t60)}",
              EvaluationBudget{.steps = 10'000'000});
  EXPECT_NE(why.find("(StringConcat)"), std::string::npos) << why;
}

TEST(Budget, FunctionsThatCallFunctionsTwiceAreRefused) {
  std::string functions;
  for (int i = 0; i < 40; ++i) {
    const std::string inner = i == 0 ? "Neg" : "f" + std::to_string(i - 1);
    const std::string call = i == 0 ? inner : "local." + inner;
    functions += "<domain: \"local\", opset_import: [\"\" : 18, \"local\" : 1]> f" + std::to_string(i) +
                 " (a) => (c) { b = " + call + " (a) c = " + call + " (b) }\n";
  }
  const std::string why = refusal(
      "<ir_version: 8, opset_import: [\"\" : 18, \"local\" : 1]> g () => (y) { x = Constant <value_float = 1.0> () y = "
      "local.f39 (x) }\n" +
          functions,
      EvaluationBudget{.steps = 10'000'000});
  EXPECT_NE(why.find("steps"), std::string::npos) << why;
}

}  // namespace
}  // namespace onnxpress
