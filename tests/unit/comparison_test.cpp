// How much of a model's outputs another model loses, on the same inputs.
#include "onnxpress/compare/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/compare/recorder.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::compare {
namespace {

// y is a product with the weight, z a sum; `shape` is what both are reshaped to.
Model model_of(const std::string& weight, const std::string& shape = "{1,4}") {
  return text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[1,4] x) => (float[N,M] y, float[1,4] z)
    <float[1,4] w = )" + weight +
                           ", int64[2] shape = " + shape + "> { p = Mul(x, w)  y = Reshape(p, shape)  z = Add(x, x) }");
}

inputs::InputSet set_of(const std::vector<float>& numbers) {
  const ops::Array row = ops::Array::of<float>(std::span(numbers)).reshaped({1, 4});
  return {.about = "given", .kind = std::nullopt, .arrays = {{"x", row}}};
}

class ComparisonTest : public ::testing::Test {
 protected:
  ComparisonTest() : comparison_(model_, engines::evaluator_engine(), {}) {
    comparison_.add(set_of({1, 2, 3, 4}));
    comparison_.add(set_of({4, 0, 0, 0}));
  }
  Model model_ = model_of("{1,1,1,1}");
  Comparison comparison_;
  const std::vector<std::size_t> all_ = {0, 1};
};

TEST_F(ComparisonTest, LosesNothingWithTheSameModel) {
  Model same = model_.clone();
  for (const Loss& loss : comparison_.with(same, all_)) {
    EXPECT_EQ(loss.ratio, 0);
    EXPECT_EQ(loss.snr, INFINITY);
  }
  ASSERT_EQ(comparison_.totals().size(), 2U);
  for (const OutputLoss& each : comparison_.totals()) {
    EXPECT_TRUE(each.distance().is_zero());
    EXPECT_EQ(each.worst_snr(), std::nullopt);
    EXPECT_EQ(each.classes().top1(), 1);
  }
  EXPECT_EQ(comparison_.run_again(0).ratio, 0);
}

TEST_F(ComparisonTest, MeasuresAChangedWeight) {
  Model changed = model_of("{1,1,1,0}");  // the 4 of the first set is lost: 16 of 1 + 4 + 9 + 16
  const std::vector<Loss> losses = comparison_.with(changed, all_);
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_DOUBLE_EQ(losses[0].ratio, 16.0 / 30);
  EXPECT_NEAR(losses[0].snr, 10 * std::log10(30.0 / 16), 1e-8);
  EXPECT_EQ(losses[0].output, 0U);
  EXPECT_EQ(losses[1].ratio, 0);
}

TEST_F(ComparisonTest, AddsUpWhatEachOutputLost) {
  Model changed = model_of("{1,1,1,0}");
  comparison_.with(changed, all_);
  const OutputLoss &y = comparison_.totals()[0], &z = comparison_.totals()[1];
  EXPECT_EQ(y.name(), "y");
  EXPECT_EQ(y.distance().signal, 30 + 16);
  EXPECT_EQ(y.distance().noise, 16);
  EXPECT_EQ(y.distance().counted, 8U);
  EXPECT_EQ(y.distance().max_abs, 4);
  EXPECT_EQ(y.distance().mean_abs(), 0.5);
  EXPECT_NEAR(y.worst_snr().value(), 10 * std::log10(30.0 / 16), 1e-8);
  EXPECT_DOUBLE_EQ(y.level(), std::sqrt(46.0 / 8));
  EXPECT_EQ(y.classes().top1(), 0.5);  // the best of the first set was the 4
  EXPECT_TRUE(z.distance().is_zero());
  comparison_.with(changed, std::vector<std::size_t>{1});  // each call starts anew
  EXPECT_TRUE(comparison_.totals()[0].distance().is_zero());
}

TEST_F(ComparisonTest, CountsARunThatFailsAsAllLost) {
  Model broken = model_of("{1,1,1,1}", "{1,5}");
  for (const Loss& loss : comparison_.with(broken, all_)) {
    EXPECT_EQ(loss.ratio, kAllLost.ratio);
    EXPECT_EQ(loss.snr, kAllLost.snr);
  }
}

TEST_F(ComparisonTest, CountsAnotherShapeAsAllLost) {
  Model turned = model_of("{1,1,1,1}", "{4,1}");
  const std::vector<Loss> losses = comparison_.with(turned, all_);
  EXPECT_EQ(losses[0].ratio, 1);
  EXPECT_EQ(losses[0].snr, 0);
  EXPECT_EQ(comparison_.totals()[0].distance().snr(), 0);
}

// NaN and infinity are what is left when the signal is gone.
TEST_F(ComparisonTest, CountsWhatIsNoLongerFiniteAsLost) {
  Model broken = model_of("{1,1,1,inf}");
  const std::vector<Loss> losses = comparison_.with(broken, all_);
  EXPECT_DOUBLE_EQ(losses[0].ratio, 16.0 / 30);
  EXPECT_DOUBLE_EQ(losses[1].ratio, 0);  // 0 * inf is NaN, where 0 was
  EXPECT_EQ(comparison_.totals()[0].distance().not_finite, 2U);
}

TEST_F(ComparisonTest, AddsNothingIfTheReferenceDoesNotRun) {
  EXPECT_THROW(comparison_.add({.about = "wrong", .kind = std::nullopt, .arrays = {}}), Error);
  EXPECT_EQ(comparison_.size(), 2U);
}

TEST_F(ComparisonTest, KeepsTheSetsItIsTold) {
  comparison_.keep(std::vector<std::size_t>{1});
  ASSERT_EQ(comparison_.size(), 1U);
  EXPECT_EQ(comparison_.inputs(0).arrays[0].second.data<float>()[0], 4);
  Model changed = model_of("{0,1,1,1}");
  EXPECT_EQ(comparison_.with(changed, std::vector<std::size_t>{0})[0].ratio, 1);
}

// Errors below -60 dB of what an output usually is do not matter in an output that happens to be silent.
TEST(Comparison, ForgivesErrorsInSilentOutputs) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[1,4] x) => (float[1,4] y)
    <float[1] b = {0}> { y = Add(x, b) })");
  Model other = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[1,4] x) => (float[1,4] y)
    <float[1] b = {0.001}> { y = Add(x, b) })");
  Comparison comparison(model, engines::evaluator_engine(), {});
  comparison.add(set_of({0, 0, 0, 0}));
  EXPECT_GT(comparison.with(other, std::vector<std::size_t>{0})[0].ratio, 1e100);  // it is always silent
  comparison.clear();
  comparison.add(set_of({0, 0, 0, 0}));
  comparison.add(set_of({1, 1, 1, 1}));
  const Loss loss = comparison.with(other, std::vector<std::size_t>{0}).front();
  EXPECT_NEAR(loss.ratio, 2, 1e-3);  // a millionth of the mean energy, 1/2, is what it is compared with
}

// Labels count only if there is nothing else.
TEST(Comparison, CountsLabelsOnlyWithoutAmounts) {
  Model both =
      text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[1,4] x) => (float[1,4] y, int64[1] best)
    { y = Neg(x)  best = ArgMax<axis = 1, keepdims = 0>(y) })");
  Model labels = text::parse_model(R"(<ir_version: 8, opset_import: ["": 17]> g (float[1,4] x) => (int64[1] best)
    { y = Neg(x)  best = ArgMax<axis = 1, keepdims = 0>(y) })");
  Comparison of_both(both, engines::evaluator_engine(), {}), of_labels(labels, engines::evaluator_engine(), {});
  of_both.add(set_of({1, 2, 3, 4}));
  of_labels.add(set_of({1, 2, 3, 4}));
  of_both.run_again(0);
  of_labels.run_again(0);
  EXPECT_TRUE(of_both.totals()[0].counts());
  EXPECT_FALSE(of_both.totals()[1].counts());
  EXPECT_TRUE(of_labels.totals()[0].counts());
}

TEST(Recorder, RecordsEachValueForEachSet) {
  Model model = model_of("{1,2,3,4}");
  Value* product = model.graph().nodes().begin()->output();
  Value* input = model.graph().inputs()[0]->value;
  Value* output = model.graph().outputs()[1]->value;
  const inputs::InputSet one = set_of({1, 1, 1, 1}), two = set_of({2, 0, 0, 0});
  const std::vector<const engines::NamedArrays*> sets = {&one.arrays, &two.arrays};
  const std::vector<Value*> values = {product, input, output, product};
  std::vector<std::string> seen;
  const auto take = [&](Value& value, std::size_t set, const ops::Array& array) {
    const auto x = array.data<float>();
    seen.push_back(std::string(value.name()) + std::to_string(set) + ": " + std::to_string(static_cast<int>(x[0])) +
                   " " + std::to_string(static_cast<int>(x[3])));
  };
  record_each(model, *engines::evaluator_engine(), {}, values, sets, take, {});
  EXPECT_EQ(seen, (std::vector<std::string>{"p0: 1 4", "x0: 1 1", "z0: 2 2", "p1: 2 0", "x1: 2 0", "z1: 4 0"}));
  EXPECT_EQ(model.graph().outputs().size(), 2U);
}

}  // namespace
}  // namespace onnxpress::compare
