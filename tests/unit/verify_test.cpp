// Comparing what models compute: distances, floors, matching of inner values, and verdicts.
#include "onnxpress/tasks/verify/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/verify/match_values.h"
#include "onnxpress/tasks/verify/nudge.h"
#include "onnxpress/tasks/verify/output_difference.h"
#include "onnxpress/text/parse_model.h"
#include "tests/support/field_table.h"

namespace onnxpress::tasks {
namespace {

Model parsed(const std::string& body, const std::string& inputs = "float[N, 4] x") {
  return text::parse_model("<ir_version: 8, opset_import: [\"\" : 17]>\ng (" + inputs + ") => (float[N, K] y) " + body,
                           "test.onnxtxt", {});
}

ops::Array floats(const std::vector<float>& numbers) { return ops::Array::of<float>(numbers); }

TEST(OutputDifference, TellsNumbersFromWhatIsNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const OutputDifference same = difference_of(floats({1, nan, infinity}), floats({1, nan, infinity}));
  EXPECT_TRUE(same.same_bits);
  const OutputDifference other = difference_of(floats({1, nan, infinity, 2}), floats({1, 3, -infinity, 2.5}));
  EXPECT_EQ(other.distance.not_finite, 2U);
  EXPECT_EQ(other.different, 3U);
  EXPECT_EQ(other.distance.max_abs, 0.5);
  EXPECT_EQ(other.distance.max_rel, 0.25);
  EXPECT_EQ(other.distance.ulps, std::ldexp(0.5, 22));  // from 2 on, a unit is 2^-22
}

TEST(OutputDifference, CountsTheBestClasses) {
  const auto scores = [](const std::vector<float>& numbers) { return floats(numbers).reshaped({2, 6}); };
  const OutputDifference found =
      difference_of(scores({9, 8, 7, 6, 5, 1, 1, 2, 3, 4, 5, 6}), scores({9, 8, 7, 6, 1, 5, 6, 5, 4, 3, 2, 1}), true);
  EXPECT_EQ(found.rows, 2U);
  EXPECT_EQ(found.same_best, 1U);
  EXPECT_TRUE(found.has_five);
  EXPECT_NEAR(found.same_five, 0.8 + 0.8, 1e-12);
}

TEST(OutputDifference, MeasuresByTheFloor) {
  const ops::Datum right = floats({1, 2, 3});
  const OutputDifference difference = difference_of(right, floats({1, 2, 3.01F}));
  EXPECT_FALSE(is_within_floor(difference, OutputDifference(), 1e-7));
  EXPECT_FALSE(is_within_floor(difference, difference_of(right, floats({1, 2, 3.0001F})), 1e-7));
  EXPECT_TRUE(is_within_floor(difference, difference_of(right, floats({1, 2, 3.002F})), 1e-7));
  // A model that computes in half precision is no better than that.
  EXPECT_TRUE(is_within_floor(difference, OutputDifference(), epsilon_of(ElementType::kFloat16)));
  // Integers and shapes have no rounding.
  const ops::Datum whole = ops::Array::of<std::int64_t>(std::vector<std::int64_t>{1, 2});
  const ops::Datum other = ops::Array::of<std::int64_t>(std::vector<std::int64_t>{1, 3});
  EXPECT_FALSE(is_within_floor(difference_of(whole, other), OutputDifference(), 1));
  EXPECT_FALSE(is_within_floor(difference_of(right, floats({1, 2})), OutputDifference(), 1));
}

TEST(Nudge, MovesEveryFloatALittle) {
  const NamedArrays moved = nudged({{"x", floats({1, 0, -4})}}, 1e-3);
  const auto numbers = moved.front().second.data<float>();
  EXPECT_NEAR(std::abs(numbers[0] - 1), 1e-3, 1e-6);
  EXPECT_NEAR(std::abs(numbers[2] + 4), 4e-3, 1e-6);
  EXPECT_GT(std::abs(numbers[1]), 0);
}

TEST(Nudge, MovesWhatAnEmbeddingGives) {
  Model model = parsed("<float[3, 2] w = {1, 2, 3, 4, 5, 6}> { e = Gather (w, i) y = Tanh (e) }", "int64[N] i");
  const analysis::Facts facts(model);
  std::optional<Model> moved = nudged_model(model, facts, 1e-2);
  ASSERT_TRUE(moved);
  const auto engine = own_engine();
  const NamedArrays inputs = {{"i", ops::Array::of<std::int64_t>(std::vector<std::int64_t>{0, 2})}};
  const auto before = engine->open(model)->run(inputs), after = engine->open(*moved)->run(inputs);
  const Distance distance = difference_of(before.front(), after.front()).distance;
  EXPECT_GT(distance.max_abs, 1e-4);
  EXPECT_LT(distance.max_abs, 1e-2);
}

TEST(MatchValues, ByNameAndByStructure) {
  const Model first = parsed("{ a = Neg (x) b = Abs (x) c = Exp (a) y = Add (b, c) }");
  const Model renamed = parsed("{ t = Abs (x) a = Neg (x) u = Exp (a) y = Add (t, u) }");
  const MatchedValues matched = match_values(first, renamed);
  std::map<std::string, std::string> names;
  for (const auto& [a, b] : matched) names.emplace(a->name(), b->name());
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"a", "a"}, {"b", "t"}, {"c", "u"}, {"y", "y"}}));
}

TEST(MatchValues, DoesNotBelieveNamesThatMeanSomethingElse) {
  const Model first = parsed("{ a = Neg (x) b = Abs (a) y = Exp (b) }");
  const Model swapped = parsed("{ b = Neg (x) a = Abs (b) y = Exp (a) }");
  std::map<std::string, std::string> names;
  for (const auto& [a, b] : match_values(first, swapped)) names.emplace(a->name(), b->name());
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"a", "b"}, {"b", "a"}, {"y", "y"}}));
}

TEST(Verify, AModelThatCannotRunIsAnError) {
  Model first = parsed("{ y = other.Op (x) }"), second = parsed("{ y = other.Op2 (x) }");
  EXPECT_THROW(verify(first, second, {}, {own_engine()}), Error);
  // The structure answers without running anything.
  Model again = parsed("{ y = other.Op (x) }");
  EXPECT_EQ(verify(first, again, {}, {own_engine()}).verdict, Verdict::kIdentical);
  // A second model that does not run is an answer.
  Model good = parsed("{ y = Neg (x) }");
  const VerifyReport report = verify(good, second, {}, {own_engine()});
  EXPECT_EQ(report.verdict, Verdict::kDiffers);
  EXPECT_NE(report.engines.front().reason.find("runs the original, but not the result"), std::string::npos);
}

TEST(Verify, PairsInputsOfAnotherExporter) {
  Model first = parsed("{ y = Sub (x, z) }", "float[N, 4] x, float[N, 4] z");
  Model second = parsed("{ y = Sub (p, q) }", "float[N, 4] p, float[N, 4] q");
  const VerifyReport report = verify(first, second, {}, {own_engine()});
  EXPECT_EQ(report.verdict, Verdict::kIdentical);
  EXPECT_EQ(report.notes.size(), 1U);
  Model turned = parsed("{ y = Sub (q, p) }", "float[N, 4] p, float[N, 4] q");
  EXPECT_EQ(verify(first, turned, {}, {own_engine()}).verdict, Verdict::kDiffers);
}

TEST(Verify, DocumentsEveryField) {
  std::ifstream file("docs/verify.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string missing;
  for (const std::string& line : tests::field_lines<VerifyReport>()) {
    if (text.find(line + "\n") == std::string::npos) missing += line + "\n";
  }
  EXPECT_EQ(missing, "") << "lines to put into docs/verify.md";
}

}  // namespace
}  // namespace onnxpress::tasks
