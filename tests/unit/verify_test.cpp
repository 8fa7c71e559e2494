// Comparing what models compute: distances, floors, matching inner values, and verdicts.
#include "onnxpress/tasks/verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "onnxpress/base/error.h"
#include "onnxpress/compare/match_values.h"
#include "onnxpress/compare/nudge.h"
#include "onnxpress/compare/output_difference.h"
#include "onnxpress/compare/rounding.h"
#include "onnxpress/inputs/plan.h"
#include "onnxpress/tasks/bench/bench.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/text/parse_model.h"
#include "tests/support/field_table.h"

namespace onnxpress {
namespace {

Model parsed(const std::string& body, const std::string& inputs = "float[N, 4] x") {
  return text::parse_model("<ir_version: 8, opset_import: [\"\" : 17]>\ng (" + inputs + ") => (float[N, K] y) " + body,
                           "test.onnxtxt", {});
}

ops::Array floats(const std::vector<float>& numbers) { return ops::Array::of<float>(numbers); }

TEST(OutputDifference, TellsNumbersFromWhatIsNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const compare::OutputDifference same = compare::difference_of(floats({1, nan, infinity}), floats({1, nan, infinity}));
  EXPECT_TRUE(same.same_bits);
  const compare::OutputDifference other =
      compare::difference_of(floats({1, nan, infinity, 2}), floats({1, 3, -infinity, 2.5}));
  EXPECT_EQ(other.distance.not_finite, 2U);
  EXPECT_EQ(other.different, 3U);
  EXPECT_EQ(other.distance.max_abs, 0.5);
  EXPECT_EQ(other.distance.max_rel, 0.25);
  EXPECT_EQ(other.distance.ulps, std::ldexp(0.5, 22));  // from 2 on, a unit is 2^-22
}

TEST(OutputDifference, CountsTheBestClasses) {
  const auto scores = [](const std::vector<float>& numbers) { return floats(numbers).reshaped({2, 6}); };
  const compare::OutputDifference found = compare::difference_of(scores({9, 8, 7, 6, 5, 1, 1, 2, 3, 4, 5, 6}),
                                                                 scores({9, 8, 7, 6, 1, 5, 6, 5, 4, 3, 2, 1}), true);
  EXPECT_EQ(found.classes.rows, 2U);
  EXPECT_EQ(found.classes.same_best, 1U);
  EXPECT_TRUE(found.classes.has_five);
  EXPECT_NEAR(found.classes.same_five, 0.8 + 0.8, 1e-12);
}

TEST(OutputDifference, MeasuresByTheFloor) {
  const ops::Datum right = floats({1, 2, 3});
  const compare::OutputDifference difference = compare::difference_of(right, floats({1, 2, 3.01F}));
  EXPECT_FALSE(compare::is_within_floor(difference, compare::OutputDifference(), 1e-7));
  EXPECT_FALSE(compare::is_within_floor(difference, compare::difference_of(right, floats({1, 2, 3.0001F})), 1e-7));
  EXPECT_TRUE(compare::is_within_floor(difference, compare::difference_of(right, floats({1, 2, 3.002F})), 1e-7));
  // A model that computes in half precision cannot be more exact than that.
  EXPECT_TRUE(
      compare::is_within_floor(difference, compare::OutputDifference(), compare::epsilon_of(ElementType::kFloat16)));
  // Integers and shapes have no rounding.
  const ops::Datum whole = ops::Array::of<std::int64_t>(std::vector<std::int64_t>{1, 2});
  const ops::Datum other = ops::Array::of<std::int64_t>(std::vector<std::int64_t>{1, 3});
  EXPECT_FALSE(compare::is_within_floor(compare::difference_of(whole, other), compare::OutputDifference(), 1));
  EXPECT_FALSE(compare::is_within_floor(compare::difference_of(right, floats({1, 2})), compare::OutputDifference(), 1));
}

TEST(Nudge, MovesEveryFloatALittle) {
  const engines::NamedArrays moved = compare::nudged({{"x", floats({1, 0, -4})}}, 1e-3);
  const auto numbers = moved.front().second.data<float>();
  EXPECT_NEAR(std::abs(numbers[0] - 1), 1e-3, 1e-6);
  EXPECT_NEAR(std::abs(numbers[2] + 4), 4e-3, 1e-6);
  EXPECT_GT(std::abs(numbers[1]), 0);
}

TEST(Nudge, KeepsInfinity) {  // as masks of attention have it: moved up it would be NaN
  for (std::size_t direction = 0; direction < compare::kDirections; ++direction) {
    const engines::NamedArrays moved = compare::nudged({{"x", floats({-INFINITY, INFINITY})}}, 1e-3, direction);
    EXPECT_EQ(moved.front().second.data<float>()[0], -INFINITY);
    EXPECT_EQ(moved.front().second.data<float>()[1], INFINITY);
  }
}

TEST(Nudge, MovesWhatAnEmbeddingGives) {
  Model model = parsed("<float[3, 2] w = {1, 2, 3, 4, 5, 6}> { e = Gather (w, i) y = Tanh (e) }", "int64[N] i");
  const analysis::Facts facts(model);
  std::optional<Model> moved = compare::nudged_model(model, facts, 1e-2);
  ASSERT_TRUE(moved);
  const auto engine = engines::evaluator_engine();
  const engines::NamedArrays inputs = {{"i", ops::Array::of<std::int64_t>(std::vector<std::int64_t>{0, 2})}};
  const auto before = engine->open(model)->run(inputs), after = engine->open(*moved)->run(inputs);
  const compare::Distance distance = compare::difference_of(before.front(), after.front()).distance;
  EXPECT_GT(distance.max_abs, 1e-4);
  EXPECT_LT(distance.max_abs, 1e-2);
}

TEST(Nudge, MovesInDifferentWays) {
  const ops::Array ones = floats(std::vector<float>(4096, 1));
  std::vector<double> sums;
  for (std::size_t direction = 0; direction < compare::kDirections; ++direction) {
    const engines::NamedArrays moved = compare::nudged({{"x", ones}}, 1e-3, direction);
    double sum = 0;
    for (const float each : moved.front().second.data<float>()) {
      EXPECT_NEAR(std::abs(each - 1), 1e-3, 1e-6);
      sum += each - 1;
    }
    for (const double other : sums) EXPECT_NE(sum, other);
    sums.push_back(sum);
  }
  // A change that an average hides in one direction shows in another.
  EXPECT_LT(std::abs(sums[0]), 0.2);
  EXPECT_NEAR(sums[1], 4.096, 1e-2);
}

TEST(Nudge, RoundsWeightsAndInnerValuesButNoExponents) {
  Model model = parsed(
      "<float[4, 5] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 0}, float e = {2}> "
      "{ a = MatMul (x, w) y = Pow (a, e) }");
  const analysis::Facts facts(model);
  compare::RoundedModel rounded(model, facts, 1e-2);
  const Model& moved = rounded.model();
  const auto numbers_of = [](const Model& each, std::size_t i) {
    return ops::Array::from(*each.graph().initializers()[i]->initializer());
  };
  const ops::Array before = numbers_of(model, 0), after = numbers_of(moved, 0);
  for (std::size_t i = 0; i < 19; ++i)
    EXPECT_NEAR(std::abs(after.data<float>()[i] / before.data<float>()[i] - 1), 1e-2, 1e-5);
  EXPECT_EQ(after.data<float>()[19], 0);
  EXPECT_EQ(numbers_of(moved, 1).data<float>()[0], 2);
  std::vector<std::string> ops;
  for (const Node& node : moved.graph().nodes()) ops.emplace_back(node.op_type());
  EXPECT_EQ(ops, (std::vector<std::string>{"MatMul", "Mul", "Pow"}));
}

TEST(Nudge, RoundsEachNodeAndEachDrawInItsOwnWay) {
  Model model = parsed("{ a = Abs (x) b = Exp (a) c = Neg (b) y = Relu (c) }", "float[N, 64] x");
  const analysis::Facts facts(model);
  compare::RoundedModel rounded(model, facts, 1e-2);
  EXPECT_EQ(model.graph().inputs().size() + 3, rounded.model().graph().inputs().size());
  std::set<std::vector<float>> seen;
  for (std::size_t draw = 0; draw < compare::kDraws; ++draw) {
    for (const auto& [name, array] : rounded.factors(draw)) {
      const std::vector<float> factors(array.data<float>().begin(), array.data<float>().end());
      for (const float each : factors) EXPECT_NEAR(std::abs(each - 1), draw < compare::kDraws / 2 ? 1e-2 : 4e-2, 1e-6);
      EXPECT_TRUE(seen.insert(factors).second) << name << " in draw " << draw;
    }
  }
}

// An inner value is quantized: changing the inputs by a millionth does not change its steps, but rounding does.
TEST(Verify, KnowsStepsInsideTheModel) {
  const auto body = [](const char* sum) {
    return std::string("<float[4] w = {0.1, 0.2, 0.3, 0.4}, float step = {4e-8}> { r = Round (x) p = Mul (r, w) ") +
           sum + " c = Round (q) y = Sub (c, r) }";
  };
  // Both divide by the step, but in a different order.
  Model first = parsed(body("q = Div (p, step)")), second = parsed(body("v = Div (w, step) q = Mul (r, v)"));
  VerifyCall options;
  options.sets = 3;
  EXPECT_NE(verify_models(first, second, options, {engines::evaluator_engine()}).verdict, Verdict::kDiffers);
}

// Runs no model: a function computes the output from the inputs.
class PretendedEngine : public engines::Engine {
 public:
  using Run = std::function<float(const Model& model, const ops::Array& x)>;
  explicit PretendedEngine(Run run) : run_(std::move(run)) {}
  std::string name() const override { return "pretended"; }
  std::unique_ptr<engines::Session> open(const Model& model, const engines::EngineSettings&) const override {
    return std::make_unique<Opened>([this, &model](const ops::Array& x) { return run_(model, x); });
  }

 private:
  struct Opened : engines::Session {
    explicit Opened(std::function<float(const ops::Array&)> output) : output_of(std::move(output)) {}
    std::vector<ops::Datum> run(const engines::NamedArrays& inputs) override {
      return {floats({output_of(inputs.front().second)}).reshaped({1, 1})};
    }
    std::function<float(const ops::Array&)> output_of;
  };
  Run run_;
};

TEST(MatchValues, ByNameAndByStructure) {
  const Model first = parsed("{ a = Neg (x) b = Abs (x) c = Exp (a) y = Add (b, c) }");
  const Model renamed = parsed("{ t = Abs (x) a = Neg (x) u = Exp (a) y = Add (t, u) }");
  const compare::MatchedValues matched = compare::match_values(first, renamed);
  std::map<std::string, std::string> names;
  for (const auto& [a, b] : matched) names.emplace(a->name(), b->name());
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"a", "a"}, {"b", "t"}, {"c", "u"}, {"y", "y"}}));
}

TEST(MatchValues, DoesNotBelieveNamesThatMeanSomethingElse) {
  const Model first = parsed("{ a = Neg (x) b = Abs (a) y = Exp (b) }");
  const Model swapped = parsed("{ b = Neg (x) a = Abs (b) y = Exp (a) }");
  std::map<std::string, std::string> names;
  for (const auto& [a, b] : compare::match_values(first, swapped)) names.emplace(a->name(), b->name());
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"a", "b"}, {"b", "a"}, {"y", "y"}}));
}

TEST(Verify, AModelThatCannotRunIsAnError) {
  Model first = parsed("{ y = other.Op (x) }"), second = parsed("{ y = other.Op2 (x) }");
  EXPECT_THROW(verify_models(first, second, {}, {engines::evaluator_engine()}), Error);
  // Comparing the structure gives the answer without running anything.
  Model again = parsed("{ y = other.Op (x) }");
  EXPECT_EQ(verify_models(first, again, {}, {engines::evaluator_engine()}).verdict, Verdict::kIdentical);
  // If the second model does not run, that is an answer.
  Model good = parsed("{ y = Neg (x) }");
  const VerifyReport report = verify_models(good, second, {}, {engines::evaluator_engine()});
  EXPECT_EQ(report.verdict, Verdict::kDiffers);
  EXPECT_NE(report.engines.front().reason.find("runs the original, but not the result"), std::string::npos);
}

// Both branches of a model are tested with noise, not only one of them.
TEST(InputPlan, NoiseGoesThroughAllBranches) {
  Model model = parsed(
      "<int64 rate = {16000}> { c = Equal (r, rate) y = If (c) <then_branch = t () => (float[N, K] a) { a = Relu (x) "
      "}, "
      "else_branch = e () => (float[N, K] b) { b = Neg (x) }> }",
      "float[N, 4] x, int64 r");
  const analysis::Facts facts(model);
  inputs::InputPlan trials(model, facts, {}, 0);
  const inputs::InputSet first = trials.first([](const inputs::InputSet&) {});
  EXPECT_NE(first.about.find("r=16000"), std::string::npos) << first.about;
  std::size_t chosen = 0;
  constexpr std::size_t kTried = 12;
  for (std::size_t i = 0; i < kTried; ++i)
    chosen += trials.make(trials.kinds() + i).about.find("r=16000") != std::string::npos ? 1 : 0;
  EXPECT_GE(chosen, 3U);
  EXPECT_LT(chosen, kTried);
}

// The sizes that a search tries, in order: "a=1, b=2".
std::vector<std::map<std::string, std::int64_t>> tried_sizes(Model& model, const inputs::SizePolicy& policy) {
  const analysis::Facts facts(model);
  inputs::InputPlan plan(model, facts, {}, 0);
  std::vector<std::map<std::string, std::int64_t>> tried;
  const auto refuse = [&](const inputs::InputSet& set) {
    tried.emplace_back(set.sizes.begin(), set.sizes.end());
    throw Error("", "no");
  };
  EXPECT_THROW(plan.first(refuse, policy), Error);
  return tried;
}

constexpr const char* kDecoderInputs =
    "int64[batch, seq] input_ids, float[batch, total] attention_mask, float[batch, 2, past, 8] past_key_values";

// Mask and caches are not connected in this graph, so only their names show what belongs together.
TEST(InputPlan, RespectsTheLengthOfAMaskNextToACache) {
  Model model =
      parsed("{ k = Neg (past_key_values) m = Neg (attention_mask) y = Cast <to = 1> (input_ids) }", kDecoderInputs);
  const auto tried = tried_sizes(model, inputs::kSmallSizes);
  ASSERT_GE(tried.size(), 20U);
  EXPECT_EQ(tried.front().at("total"), 4);
  const auto related = [](const auto& sizes) { return sizes.at("total") == sizes.at("past") + sizes.at("seq"); };
  EXPECT_TRUE(std::ranges::all_of(tried.begin(), tried.begin() + 10, related));
  EXPECT_FALSE(std::ranges::all_of(tried, related));  // it is a guess, so other sizes are tried, too
}

TEST(InputPlan, SeesInTheGraphWhichSizesBelongTogether) {
  Model model =
      parsed("{ s = Concat <axis = 1> (a, b) y = Mul (s, c) }", "float[N, A] a, float[N, B] b, float[1, C] c");
  const auto tried = tried_sizes(model, inputs::kSmallSizes);
  EXPECT_EQ(tried.front().at("C"), tried.front().at("A") + tried.front().at("B"));
  EXPECT_TRUE(std::ranges::any_of(tried, [](const auto& sizes) { return sizes.at("C") == 1 && sizes.at("A") == 8; }));
}

// What must be equal is always equal, and no input gets the size 0 because it is a difference.
TEST(InputPlan, KeepsEquationsOfTheGraph) {
  Model model = parsed("{ s = Concat <axis = 1> (a, b) p = Concat <axis = 0> (s, c) y = Neg (p) }",
                       "float[N, A] a, float[N, B] b, float[M, C] c");
  for (const auto& sizes : tried_sizes(model, inputs::kSmallSizes)) {
    EXPECT_EQ(sizes.at("C"), sizes.at("A") + sizes.at("B"));
    EXPECT_GT(std::min(sizes.at("A"), sizes.at("B")), 0);
  }
}

TEST(InputPlan, TriesOnlyWhatARunCanAfford) {
  // The products of 16,000 rows with each other take 1 GB, those of 4,096 take 67 MB.
  Model model =
      parsed("{ t = Transpose <perm = [0, 2, 1]> (x) p = MatMul (x, t) y = Softmax (p) }", "float[N, S, 64] x");
  std::int64_t largest = 0;
  for (const auto& sizes : tried_sizes(model, inputs::kSmallSizes)) largest = std::max(largest, sizes.at("S"));
  EXPECT_EQ(largest, 4096);
  // A model that is large for any size must be tried, too: here a single row takes 2.6 GB.
  Model large = parsed("<int64[2] times = {1, 10000000}> { y = Tile (x, times) }", "float[S, 64] x");
  for (const auto& sizes : tried_sizes(large, inputs::kSmallSizes)) EXPECT_LE(sizes.at("S"), 2);
}

TEST(Verify, StopsAtTheTimeLimit) {
  Model first = parsed("{ y = Neg (x) }"), second = parsed("{ z = Neg (x) y = Identity (z) }");
  VerifyCall options;
  options.sets = 1'000'000;
  options.time_limit = 0.2;
  const VerifyReport report = verify_models(first, second, options, {engines::evaluator_engine()});
  EXPECT_EQ(report.verdict, Verdict::kIdentical);
  EXPECT_FALSE(report.engines.front().stopped.empty());
}

TEST(Verify, PairsInputsOfAnotherExporter) {
  Model first = parsed("{ y = Sub (x, z) }", "float[N, 4] x, float[N, 4] z");
  Model second = parsed("{ y = Sub (p, q) }", "float[N, 4] p, float[N, 4] q");
  const VerifyReport report = verify_models(first, second, {}, {engines::evaluator_engine()});
  EXPECT_EQ(report.verdict, Verdict::kIdentical);
  EXPECT_EQ(report.notes.size(), 1U);
  Model turned = parsed("{ y = Sub (q, p) }", "float[N, 4] p, float[N, 4] q");
  EXPECT_EQ(verify_models(first, turned, {}, {engines::evaluator_engine()}).verdict, Verdict::kDiffers);
}

// An output with one number, which the first small change of the inputs happens not to change.
TEST(Verify, DoesNotJudgeByOneLuckyFloor) {
  Model first = parsed("{ y = Neg (x) }"), second = parsed("{ y = Abs (x) }");
  float other = 1;
  ops::Array given;
  const auto output = [&](const Model& model, const ops::Array& x) -> float {
    if (model.graph().nodes().begin()->is("Abs")) return other;
    if (given.count() == 0) given = x;
    const auto is_same = [&x](const ops::Array& array) { return compare::difference_of(array, x).same_bits; };
    return is_same(given) || is_same(compare::nudged({{"x", given}}, 1e-6).front().second) ? 1.F : 1.00001F;
  };
  const engines::Engines engines = {std::make_shared<PretendedEngine>(output)};
  VerifyCall options;
  options.sets = 1;
  other = 1.00005F;
  EXPECT_EQ(verify_models(first, second, options, engines).verdict, Verdict::kEqual);
  other = 1.001F;
  const VerifyReport report = verify_models(first, second, options, engines);
  EXPECT_EQ(report.verdict, Verdict::kDiffers);
  EXPECT_NEAR(report.engines.front().outputs.front().floor_share, 1e-5, 1e-6);
  EXPECT_NEAR(report.engines.front().outputs.front().max_share.value_or(0), 1e-3, 1e-5);
}

// Most rounding directions do not change any quantized value.
TEST(Verify, RoundsUntilAStepIsMet) {
  Model first = parsed("{ a = Abs (x) y = Neg (a) }"), second = parsed("{ y = Abs (x) }");
  float other = 1;
  std::size_t draws = 0;
  const auto output = [&](const Model& model, const ops::Array&) -> float {
    if (model.graph().inputs().size() > 1) return ++draws < 5 ? 1.F : 1.5F;
    return model.graph().nodes().begin()->next() ? 1.F : other;
  };
  const engines::Engines engines = {std::make_shared<PretendedEngine>(output)};
  VerifyCall options;
  options.sets = 1;
  other = 1.9F;
  EXPECT_EQ(verify_models(first, second, options, engines).verdict, Verdict::kEqual);
  EXPECT_EQ(draws, 5U);
  other = 2.5F;
  draws = 0;
  EXPECT_EQ(verify_models(first, second, options, engines).verdict, Verdict::kDiffers);
  EXPECT_EQ(draws, compare::kDraws);
}

TEST(Verify, ExactMeansTheSameNumbers) {
  Model first = parsed("{ y = Abs (x) }"), second = parsed("{ z = Neg (x) y = Abs (z) }");
  VerifyCall options;
  options.sets = 1;
  float other = -0.F;
  const engines::Engines engines = {std::make_shared<PretendedEngine>(
      [&](const Model& model, const ops::Array&) { return model.graph().nodes().begin()->is("Neg") ? other : 0.F; })};
  options.exact = true;
  EXPECT_EQ(verify_models(first, second, options, engines).verdict, Verdict::kEqual);
  other = 1e-30F;
  EXPECT_EQ(verify_models(first, second, options, engines).verdict, Verdict::kDiffers);
}

// --verify of optimize: the rewrite whose result differs is found, named and left out; the others stay.
TEST(Verify, OptimizeLeavesOutAGuiltyRewrite) {
  const auto has = [](const Model& model, std::string_view op) {
    return std::ranges::any_of(model.graph().nodes(), [op](const Node& node) { return node.is(op); });
  };
  Model model = parsed("{ a = Neg (x) b = Neg (a) c = Identity (b) d = Relu (c) e = Relu (d) y = Exp (e) }");
  OptimizeOptions options;
  options.verify = true;
  // As if a runtime computed something else without the Identity.
  options.engine = std::make_shared<PretendedEngine>(
      [&](const Model& each, const ops::Array&) { return has(each, "Identity") ? 1.F : 2.F; });
  const OptimizeReport report = optimize(model, options);
  ASSERT_TRUE(report.check);
  EXPECT_EQ(report.check->left_out, std::vector<std::string>{"remove-identity"});
  EXPECT_TRUE(report.check->done) << report.check->reason;
  EXPECT_EQ(report.check->runners, std::vector<std::string>{"pretended"});
  EXPECT_TRUE(has(model, "Identity"));
  EXPECT_FALSE(has(model, "Neg"));
}

// If the runtime cannot run the original, the built-in evaluator does.
TEST(Verify, OptimizeFallsBackToTheEvaluator) {
  class Refusing : public engines::Engine {
   public:
    std::string name() const override { return "refusing"; }
    std::unique_ptr<engines::Session> open(const Model&, const engines::EngineSettings&) const override {
      throw Error("", "no such operator");
    }
  };
  Model model = parsed("{ a = Neg (x) b = Neg (a) y = Exp (b) }");
  OptimizeOptions options;
  options.verify = true;
  options.engine = std::make_shared<Refusing>();
  const OptimizeReport report = optimize(model, options);
  ASSERT_TRUE(report.check);
  EXPECT_TRUE(report.check->done) << report.check->reason;
  EXPECT_EQ(report.check->runners, std::vector<std::string>{"onnxpress"});
  EXPECT_TRUE(report.check->left_out.empty());
}

std::string missing_from(const char* page, const std::vector<std::string>& lines) {
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string missing;
  for (const std::string& line : lines) {
    if (text.find(line + "\n") == std::string::npos) missing += line + "\n";
  }
  return missing;
}

TEST(Bench, DocumentsEveryField) {
  EXPECT_EQ(missing_from("docs/commands/bench.md", tests::field_lines<BenchReport>()), "");
}

}  // namespace
}  // namespace onnxpress
