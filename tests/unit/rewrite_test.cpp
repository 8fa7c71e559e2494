// The rewriting layer: what the Rewriter creates and replaces, how the driver applies rewrites, and the rewrites
// themselves: every model computes the same before and after.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/passes/driver.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::passes {
namespace {

using ops::Array;

std::string header(int opset) {
  return fmt::format("<ir_version: 10, opset_import: [\"\" : {}, \"local\" : 1]>\n", opset);
}

Model parse(std::string_view graph, int opset = 21) { return text::parse_model(header(opset) + std::string(graph)); }

// The lines of the main graph: the text between the outermost braces.
std::string nodes_of(const Model& model) {
  const std::string text = text::print_model(model);
  return text.substr(text.find("{\n"));
}

// Runs the model on counting inputs.
std::vector<ops::Datum> run(const Model& model) {
  analysis::Evaluator evaluator(model);
  analysis::Evaluator::Inputs inputs;
  for (const ValueInfo* input : model.graph().inputs()) {
    ops::Sizes sizes;
    for (const Dim dim : input->type->dims) sizes.push_back(dim.size().value_or(2));
    if (input->type->element == ElementType::kBool) {
      inputs[input->value->name()] = Array::scalar(ops::Bool(true));
      continue;
    }
    Array array = Array::make<float>(sizes);
    float next = -1;
    for (float& each : array.mutable_data<float>()) each = next += 0.25F;
    inputs[input->value->name()] = array;
  }
  auto results = evaluator.run(inputs);
  EXPECT_TRUE(results) << evaluator.why();
  return results ? *results : std::vector<ops::Datum>();
}

std::vector<std::string> interface_of(const Model& model) {
  std::vector<std::string> texts;
  for (const auto& list : {model.graph().inputs(), model.graph().outputs()}) {
    for (const ValueInfo* info : list)
      texts.push_back(fmt::format("{} {}", to_string(info->type), info->value->name()));
  }
  return texts;
}

// Applies all rewrites and compares results and interface. Returns the report of the driver.
DriverReport rewrite(Model& model, const DriverOptions& options = {}, float tolerance = 0) {
  const auto interface = interface_of(model);
  const auto before = run(model);
  DriverReport report = apply_rewrites(model, options);
  EXPECT_EQ(verify(model), "");
  EXPECT_EQ(interface_of(model), interface);
  const auto after = run(model);
  EXPECT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const auto a = before[i].array()->data<float>(), b = after[i].array()->data<float>();
    EXPECT_EQ(before[i].array()->sizes(), after[i].array()->sizes());
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << i << ' ' << k;
  }
  EXPECT_FALSE(apply_rewrites(model, options).changed());  // a second run changes nothing
  return report;
}

// --- Rewriter

class RewriterTest : public testing::Test {
 protected:
  explicit RewriterTest(int opset = 21)
      : model_(parse("g (float[2,3] x) => (float[2,3] y) <float[2] w = {4, 9}> { y = Neg (x) }", opset)) {
    facts_.follow();
    rw_.begin(*model_.graph().nodes().front());
  }
  void TearDown() override { EXPECT_EQ(verify(model_), ""); }

  Model model_;
  analysis::Facts facts_{model_};
  Rewriter rw_{model_, facts_};
  Value* x_ = model_.graph().inputs()[0]->value;
  Value* w_ = model_.graph().initializers()[0];
};

TEST_F(RewriterTest, FoldsConstantsWhileItBuilds) {
  Value* root = rw_.make("Sqrt", {rw_.make("Mul", {w_, rw_.scalar_like(w_, 4)})});
  ASSERT_TRUE(root);
  ASSERT_TRUE(root->constant());
  const auto array = rw_.constant(root);
  EXPECT_EQ(array->data<float>()[0], 4);
  EXPECT_EQ(array->data<float>()[1], 6);
  EXPECT_EQ(model_.graph().nodes().size(), 1U);
  Value* column = rw_.reshaped(root, {-1, 1});
  EXPECT_EQ(rw_.constant(column)->sizes(), (ops::Sizes{2, 1}));
}

TEST_F(RewriterTest, InfersWhatItMakes) {
  Value* turned = rw_.make("Transpose", {rw_.make("Relu", {x_})}, {{"perm", std::vector<std::int64_t>{1, 0}}});
  ASSERT_TRUE(turned);
  EXPECT_EQ(rw_.shape_of(turned), (ops::Shape{Dim::size(3), Dim::size(2)}));
  EXPECT_EQ(rw_.element_of(turned), ElementType::kFloat);
  EXPECT_EQ(model_.graph().nodes().size(), 3U);
  EXPECT_TRUE(turned->producer()->comes_before(*model_.graph().nodes().back()));
}

TEST_F(RewriterTest, AnswersNullForWhatTheOpsetCannotExpress) {
  EXPECT_EQ(rw_.make("NoSuchOp", {x_}), nullptr);
  EXPECT_EQ(rw_.make("Relu", {}), nullptr);
  EXPECT_EQ(rw_.make("Relu", {x_, x_}), nullptr);
  EXPECT_EQ(rw_.make("Relu", {x_}, {{"alpha", 1.0}}), nullptr);
  EXPECT_EQ(rw_.make("And", {x_, x_}), nullptr);  // not for floats
  EXPECT_EQ(rw_.make("Abs", {rw_.make("NoSuchOp", {x_})}), nullptr);
  EXPECT_EQ(rw_.make("Concat", {x_, x_}), nullptr);  // needs an axis
  EXPECT_EQ(model_.graph().nodes().size(), 1U);
}

TEST_F(RewriterTest, ImportsTheDomainOfWhatItMakes) {
  Value* operands[] = {x_};
  Value* made = rw_.make("Gelu", operands, {}, "com.microsoft");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->producer()->domain(), "com.microsoft");
  EXPECT_EQ(model_.opset("com.microsoft"), 1);
  EXPECT_EQ(rw_.shape_of(made), rw_.shape_of(x_));
}

TEST_F(RewriterTest, RemovesWhatWasMadeInVain) {
  const std::string before = text::print_model(model_);
  rw_.make("Add", {rw_.make("Relu", {x_}), rw_.scalar_like(x_, 1)});
  rw_.integers({1, 2, 3});
  EXPECT_NE(text::print_model(model_), before);
  rw_.undo_unused();
  EXPECT_EQ(text::print_model(model_), before);
}

TEST_F(RewriterTest, MovesWhatAnEarlierNodeReads) {
  Node* neg = model_.graph().nodes().front();
  Graph& graph = model_.graph();
  Value* late = graph.create_value({});
  Value* later = graph.create_value({});
  Value* inputs[] = {x_};
  graph.append({.op_type = "Relu", .inputs = inputs, .outputs = {&late, 1}});
  graph.append({.op_type = "Abs", .inputs = {&late, 1}, .outputs = {&later, 1}});
  EXPECT_TRUE(rw_.set_input(*neg, 0, later));
  EXPECT_TRUE(late->producer()->comes_before(*later->producer()));
  EXPECT_TRUE(later->producer()->comes_before(*neg));
  // Not a value that depends on the node itself.
  Value* dependent = graph.create_value({});
  Value* y = neg->output();
  graph.append({.op_type = "Relu", .inputs = {&y, 1}, .outputs = {&dependent, 1}});
  EXPECT_FALSE(rw_.set_input(*late->producer(), 0, dependent));
}

// Parameters become attributes or operands, depending on the opset.
class OpsetTest : public testing::TestWithParam<int> {};

TEST_P(OpsetTest, WritesParametersAsAttributesOrOperands) {
  Model model = parse("g (float[2,3] x) => (float[2,3] y) { y = Neg (x) }", GetParam());
  analysis::Facts facts(model);
  facts.follow();
  Rewriter rw(model, facts);
  Node* neg = model.graph().nodes().front();
  rw.begin(*neg);
  Value* x = neg->input(0);
  Value* sum = rw.make("ReduceSum", {x}, {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", 0}});
  Value* wide = rw.make("Unsqueeze", {sum}, {{"axes", std::vector<std::int64_t>{1}}});
  Value* clipped = rw.make("Clip", {wide}, {{"min", 0.5}});
  ASSERT_TRUE(clipped);
  EXPECT_EQ(rw.shape_of(clipped), (ops::Shape{Dim::size(2), Dim::size(1)}));
  EXPECT_EQ(rw.element_of(clipped), ElementType::kFloat);
  EXPECT_EQ(sum->producer()->input_count(), GetParam() >= 13 ? 2U : 1U);
  EXPECT_EQ(sum->producer()->attributes().size(), GetParam() >= 13 ? 1U : 2U);
  EXPECT_EQ(clipped->producer()->input_count(), GetParam() >= 11 ? 2U : 1U);
  // The same for an existing node.
  EXPECT_TRUE(rw.set_parameter(*wide->producer(), {"axes", std::vector<std::int64_t>{0}}));
  EXPECT_EQ(rw.shape_of(wide), (ops::Shape{Dim::size(1), Dim::size(2)}));
  EXPECT_TRUE(rw.set_parameter(*wide->producer(), {"axes", std::vector<std::int64_t>{-1}}));
  EXPECT_FALSE(rw.set_parameter(*wide->producer(), {"axis", 1}));
  EXPECT_TRUE(rw.set_parameter(*clipped->producer(), {"min", 0.25}));
  ASSERT_TRUE(rw.replace(*neg, rw.make("Add", {x, clipped})));
  EXPECT_EQ(verify(model), "");
  const auto results = run(model);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].array()->sizes(), (ops::Sizes{2, 3}));
}

INSTANTIATE_TEST_SUITE_P(Opsets, OpsetTest, testing::Values(9, 11, 13, 18, 21));

// --- Names of outputs

TEST(Replace, OutputsKeepTheirNames) {
  Model model =
      parse("g (float[2] x) => (float[2] y, float[2] z) <float[2] t> { t = Relu (x) y = Identity (t) z = Neg (t) }");
  const auto report = rewrite(model);
  EXPECT_EQ(report.counts.at("remove-identity"), 1U);
  EXPECT_EQ(nodes_of(model), "{\n  y = Relu (x)\n  z = Neg (y)\n}\n");
  EXPECT_TRUE(model.graph().value_infos().empty());  // y is declared once, as an output
}

TEST(Replace, KeepsAnIdentityThatNamesAnOutput) {
  for (const char* text : {"g (float[2] x) => (float[2] y) { y = Identity (x) }",
                           "g () => (float[2] y) <float[2] w = {1, 2}> { y = Identity (w) }",
                           "g (float[2] x) => (float[2] y, float[2] z) { y = Relu (x) z = Identity (y) }"}) {
    Model model = parse(text);
    const std::string before = text::print_model(model);
    EXPECT_FALSE(rewrite(model).changed()) << text;
    EXPECT_EQ(text::print_model(model), before);
  }
}

TEST(Replace, RedirectsTheOtherUsersOfAnIdentityThatStays) {
  Model model = parse("g (float[2] x) => (float[2] y, float[2] z) { y = Identity (x) z = Neg (y) }");
  EXPECT_TRUE(rewrite(model).changed());
  EXPECT_EQ(nodes_of(model), "{\n  y = Identity (x)\n  z = Neg (x)\n}\n");
}

TEST(Replace, PutsAnIdentityBetweenAnInputAndAnOutput) {
  Model model = parse(
      "g (float[2,2] x) => (float[2,2] y) { t = Transpose <perm = [1, 0]> (x) y = Transpose <perm = [1, 0]> (t) }");
  EXPECT_TRUE(rewrite(model).changed());
  EXPECT_EQ(nodes_of(model), "{\n  y = Identity (x)\n}\n");
}

// --- Driver

TEST(Driver, CoversBodiesAndFunctions) {
  Model model = parse(R"(g (float[2] x, bool c) => (float[2] y) {
  t = Identity (x)
  u = If (c) <then_branch = a () => (float[2] r) { s = Identity (t) r = Neg (s) },
              else_branch = b () => (float[2] q) { q = Abs (t) }>
  y = local.f (u)
}
<domain: "local", opset_import: ["" : 21]>
f (p) => (q) { o = Identity (p) q = Abs (o) })");
  const auto report = rewrite(model);
  EXPECT_EQ(report.counts.at("remove-identity"), 3U);
  EXPECT_EQ(text::print_model(model).find("Identity"), std::string::npos);
}

TEST(Driver, LeavesNodesAloneWhoseAttributesAFunctionGives) {
  Model model = parse(R"(g (float[2,2] x) => (float[2,2] y) { y = local.f <p = [0, 1]> (x) }
<domain: "local", opset_import: ["" : 21]>
f <p> (a) => (c) { b = Transpose <perm: ints = @p> (a) c = Transpose <perm = [1, 0]> (b) })");
  EXPECT_FALSE(rewrite(model).changed());
}

TEST(Driver, ErasesDeadNodesAndConstantsThatWereLeft) {
  Model model = parse(R"(g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, float[2] other = {3, 4}> {
  dead = Add (x, w)
  deader = Neg (dead)
  y = Relu (x)
})");
  const auto report = rewrite(model);
  EXPECT_EQ(report.dead_nodes, 2U);
  EXPECT_EQ(report.dead_constants, 1U);  // not `other`, which nothing read before either
  EXPECT_EQ(nodes_of(model), "{\n  y = Relu (x)\n}\n");
  EXPECT_EQ(model.graph().initializers().size(), 1U);
}

TEST(Driver, StopsAfterSoManyRewrites) {
  constexpr std::string_view kText =
      "g (float[2] x) => (float[2] y) { a = Identity (x) b = Identity (a) c = Identity (b) y = Neg (c) }";
  for (std::size_t stop = 0; stop <= 4; ++stop) {
    Model model = parse(kText);
    const auto report = apply_rewrites(model, {.stop_after = stop});
    EXPECT_EQ(report.steps.size(), std::min<std::size_t>(stop, 3));
    EXPECT_EQ(model.graph().nodes().size(), 4 - report.steps.size());
    EXPECT_TRUE(report.looping.empty());
    EXPECT_EQ(verify(model), "");
  }
}

TEST(Driver, LeavesOutWhatIsSwitchedOff) {
  Model model = parse("g (float[2] x) => (float[2] y) { a = Identity (x) y = Neg (a) }");
  EXPECT_FALSE(apply_rewrites(model, {.without = {"remove-identity"}}).changed());
}

bool swap_abs(Node& node, Rewriter& rw) { return rw.replace(node, rw.make("Neg", {rw.make("Neg", {node.input(0)})})); }
bool back_to_abs(Node& node, Rewriter& rw) {
  Node* inner = rw.sole_producer(node.input(0), "Neg");
  return inner && rw.replace(node, rw.make("Abs", {inner->input(0)}));
}

TEST(Driver, ReportsALoopInsteadOfLooping) {
  constexpr std::string_view kAbs[] = {"Abs"}, kNeg[] = {"Neg"};
  const Rewrite there{.name = "there", .roots = kAbs, .apply = swap_abs};
  const Rewrite back{.name = "back", .roots = kNeg, .apply = back_to_abs};
  const Rewrite* both[] = {&there, &back};
  Model model = parse("g (float[2] x) => (float[2] y) { y = Abs (x) }");
  const auto report = apply_rewrites(model, {.rewrites = both, .most_rewrites = 50});
  EXPECT_EQ(report.steps.size(), 50U);
  EXPECT_FALSE(report.looping.empty());
  EXPECT_EQ(verify(model), "");
  EXPECT_LE(model.graph().nodes().size(), 2U);
}

bool fold_relu(Node& node, Rewriter& rw) {
  const auto known = rw.constant(node.input(0));
  Value* made = known ? rw.make("Relu", {rw.constant(*known)}) : nullptr;
  return made && rw.replace(node, made);
}

// After the fusion, the Conv computes something else, so what was known about its result must not be used.
TEST(Driver, KnowsWhatChangedNodesCompute) {
  constexpr std::string_view kRelu[] = {"Relu"};
  const Rewrite fold{.name = "fold-relu", .roots = kRelu, .apply = fold_relu};
  const Rewrite* both[] = {find_rewrite("fuse-conv-batchnorm"), &fold};
  Model model = parse(R"(g () => (float[1,1,2] z)
<float[1,1,2] x = {1, 2}, float[1,1,1] w = {3}, float[1] s = {2}, float[1] o = {0.5}, float[1] m = {1}, float[1] v = {4}> {
  c = Conv (x, w)
  y = BatchNormalization (c, s, o, m, v)
  z = Relu (y)
})");
  const float before = run(model)[0].array()->data<float>()[0];
  EXPECT_GE(apply_rewrites(model, {.rewrites = both}).steps.size(), 1U);
  EXPECT_NEAR(run(model)[0].array()->data<float>()[0], before, 1e-4F);
}

// --- Rewrites

TEST(MergeTransposes, MakesOneOfTwo) {
  Model model = parse(R"(g (float[2,3,4] x) => (float[4,2,3] y) {
  t = Transpose <perm = [1, 0, 2]> (x)
  y = Transpose <perm = [2, 1, 0]> (t)
})");
  EXPECT_TRUE(rewrite(model).changed());
  EXPECT_EQ(nodes_of(model), "{\n  y = Transpose <perm = [2, 0, 1]> (x)\n}\n");
}

TEST(MergeTransposes, KnowsTheDefaultPermutation) {
  Model model = parse("g (float[2,3,4] x) => (float[2,3,4] y) { t = Transpose (x) u = Transpose (t) y = Neg (u) }");
  EXPECT_TRUE(rewrite(model).changed());
  EXPECT_EQ(nodes_of(model), "{\n  y = Neg (x)\n}\n");
}

TEST(MergeTransposes, KeepsTheFirstForItsOtherUsers) {
  Model model = parse(R"(g (float[2,3] x) => (float[2,3] y, float[3,2] z) {
  t = Transpose (x)
  u = Transpose (t)
  y = Neg (u)
  z = Abs (t)
})");
  EXPECT_TRUE(rewrite(model).changed());
  EXPECT_EQ(model.graph().nodes().size(), 3U);
}

constexpr std::string_view kConvBatchNorm = R"(g (float[1,2,4,4] x) => (float[1,3,4,4] y)
<float[3,2,1,1] w = {1, 2, 3, 4, 5, 6}, float[3] b = {1, -1, 2}, float[3] s = {1, 0.5, -2}, float[3] o = {0.25, 1, 3},
 float[3] m = {1, 2, 3}, float[3] v = {1, 4, 0.5}> {
  c = Conv (x, w%B%)
  %N% = BatchNormalization <epsilon = 0.001%A%> (c, s, o, m, v)
  %M%
})";

std::string conv_batchnorm(std::string_view bias, std::string_view attribute = "", std::string_view result = "y",
                           std::string_view more = "") {
  std::string text(kConvBatchNorm);
  for (const auto& [mark, with] : {std::pair<std::string_view, std::string_view>("%B%", bias),
                                   {"%A%", attribute},
                                   {"%N%", result},
                                   {"%M%", more}}) {
    text.replace(text.find(mark), mark.size(), with);
  }
  return text;
}

TEST(FuseConvBatchNorm, WithAndWithoutBias) {
  for (const char* bias : {", b", ""}) {
    for (const int opset : {9, 14, 15, 21}) {
      Model model = parse(conv_batchnorm(bias), opset);
      EXPECT_EQ(rewrite(model, {}, 1e-4F).counts["fuse-conv-batchnorm"], 1U) << opset;
      ASSERT_EQ(model.graph().nodes().size(), 1U);
      EXPECT_EQ(model.graph().nodes().front()->input_count(), 3U);
      EXPECT_EQ(model.graph().initializers().size(), 2U + (*bias ? 0 : 1));
    }
  }
}

TEST(FuseConvBatchNorm, InABody) {
  Model model = parse(R"(g (float[1,2,4,4] x, bool c) => (float[1,1,4,4] y) {
  y = If (c) <then_branch = t () => (float[1,1,4,4] r) {
    w = Constant <value = float[1,2,1,1] {1, 2}> ()
    k = Conv (x, w)
    one = Constant <value = float[1] {2}> ()
    r = BatchNormalization (k, one, one, one, one)
  }, else_branch = e () => (float[1,1,4,4] q) { q = ReduceMax <keepdims = 1> (x, axis) }>
  axis = Constant <value = int64[1] {1}> ()
})");
  EXPECT_EQ(rewrite(model, {}, 1e-4F).counts["fuse-conv-batchnorm"], 1U);
}

TEST(Rewriter, LeavesFloatsToTheRuntime) {
  Model model = parse(R"(g (float[3] x) => (float[3] y)
<float[3] a = {0.1, 0.2, 0.3}, int64[1] n = {3}> { b = Reshape (a, n) y = Add (x, b) })");
  analysis::Facts facts(model);
  facts.follow();
  Rewriter rw(model, facts);
  Node& node = *model.graph().nodes().begin();
  rw.begin(node);
  Value *a = node.input(0), *n = node.input(1);
  EXPECT_TRUE(rw.is_constant(rw.make("Mul", {a, a})));
  rw.leave_floats_to_the_runtime();
  EXPECT_FALSE(rw.is_constant(rw.make("Mul", {a, a})));
  EXPECT_TRUE(rw.is_constant(rw.make("Reshape", {a, n})));  // copies elements
  EXPECT_TRUE(rw.is_constant(rw.make("Mul", {n, n})));      // integers
}

TEST(FuseConvBatchNorm, StaysAway) {
  const std::string cases[] = {
      // The Conv has another user; it is an output itself.
      conv_batchnorm("", "", "t", "y = Add (t, c)"),
      // In training mode it normalizes by the batch.
      conv_batchnorm("", ", training_mode = 1"),
  };
  for (const std::string& text : cases) {
    Model model = parse(text);
    EXPECT_FALSE(apply_rewrites(model).changed()) << text;
  }
  // A scale that is only known at run time.
  Model model = parse(R"(g (float[1,2,4,4] x, float[1] s) => (float[1,1,4,4] y)
<float[1,2,1,1] w = {1, 2}, float[1] one = {1}> { c = Conv (x, w) y = BatchNormalization (c, s, one, one, one) })");
  EXPECT_FALSE(rewrite(model).changed());
  // Rounding differs, but only bit-exact rewrites are allowed.
  Model exact = parse(conv_batchnorm(""));
  EXPECT_FALSE(apply_rewrites(exact, {.least_exact = Exactness::kExact}).changed());
}

}  // namespace
}  // namespace onnxpress::passes
