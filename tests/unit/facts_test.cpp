// What is known about values before a model runs: functions, placeholder dims, broken rules, constants.
#include "onnxpress/analysis/facts/facts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "onnxpress/ir/walk.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::analysis {
namespace {

Model parse(std::string_view text) {
  return text::parse_model(fmt::format("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n{}", text), "test");
}

const Value& value_named(const Model& model, std::string_view name) {
  const Value* found = nullptr;
  for_each_graph(model, [&](Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) found = input->value->name() == name ? input->value : found;
    for (const Value* value : graph.initializers()) found = value->name() == name ? value : found;
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) found = output && output->name() == name ? output : found;
    }
  });
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

std::string shown(const Facts& facts, const Value& value) {
  ops::Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  return to_string(fact);
}

TEST(FactsTest, InsideAFunctionWhatHoldsInEveryCall) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 3] w) => (y, z) {
    y = local.twice (x)
    z = local.twice (w)
  }
  <domain: "local", opset_import: ["" : 17]>
  twice (a) => (c) {
    b = Add (a, a)
    c = Transpose (b)
  })");
  const Facts facts(model);
  EXPECT_EQ(shown(facts, value_named(model, "y")), "float[3,2]");
  EXPECT_EQ(shown(facts, value_named(model, "z")), "float[3,4]");
  EXPECT_EQ(shown(facts, value_named(model, "a")), "float[?,3]");
  EXPECT_EQ(shown(facts, value_named(model, "b")), "float[?,3]");
  EXPECT_EQ(shown(facts, value_named(model, "c")), "float[3,?]");
}

TEST(FactsTest, InsideAFunctionThatIsCalledOnceAllIsKnown) {
  Model model = parse(R"(g (float[2, 3] x, int64 n) => (y) {
    y = Loop (n, "", x) <body = b (int64 i, bool go, float[] v) => (go_on, next) {
      go_on = Identity (go)
      next = local.twice (v) }>
  }
  <domain: "local", opset_import: ["" : 17]>
  twice (a) => (c) { c = Add (a, a) })");
  const Facts facts(model);
  EXPECT_EQ(shown(facts, value_named(model, "c")), "float[2,3]");
}

// ONNX forbids this. Following these calls would use up the visits that the rest of the model needs.
TEST(FactsTest, FunctionsThatCallEachOtherStayUnknown) {
  Model model = parse(R"(g (float[2, 3] x, bool c) => (y, z) {
    y = local.first (x, c)
    z = Relu (x)
  }
  <domain: "local", opset_import: ["" : 17, "local" : 1]>
  first (a, c) => (e) {
    d = Relu (a)
    e = If (c) <then_branch = t () => (p) { p1 = local.second (d, c) p = local.second (p1, c) },
                else_branch = f () => (q) { q1 = local.second (d, c) q = local.second (q1, c) }>
  }
  <domain: "local", opset_import: ["" : 17, "local" : 1]>
  second (b, c) => (h) {
    i = local.first (b, c)
    h = local.first (i, c)
  })");
  const Facts facts(model);
  EXPECT_EQ(shown(facts, value_named(model, "z")), "float[2,3]");
  EXPECT_EQ(shown(facts, value_named(model, "a")), "?") << "other calls have other operands";
  EXPECT_EQ(shown(facts, value_named(model, "d")), "?");
  EXPECT_EQ(shown(facts, value_named(model, "h")), "?");
}

// Each function calls the next one twice: 2^30 calls. What is not followed is unknown; the main graph is not affected.
TEST(FactsTest, FunctionsThatDoubleLeaveTheRestKnown) {
  std::string functions;
  for (int i = 0; i < 30; ++i) {
    const std::string next = i + 1 < 30 ? fmt::format("local.f{}", i + 1) : "Relu";
    functions += fmt::format(
        "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\n"
        "f{0} (a{0}) => (c{0}) {{ b{0} = {1} (a{0}) c{0} = {1} (b{0}) }}\n",
        i, next);
  }
  Model model = parse("g (float[2, 3] x) => (y, z) { y = local.f0 (x) z = Relu (x) }\n" + functions);
  const Facts facts(model);
  EXPECT_EQ(shown(facts, value_named(model, "z")), "float[2,3]");
  EXPECT_EQ(shown(facts, value_named(model, "b29")), "?") << "not every call was visited";
}

TEST(FactsTest, AQuestionMarkIsNoNameOfADim) {
  Model model = parse(R"(g (float["?", 3, "?"] x, float[unk__1, None] w, float[unk__1, None] v) => (y) {
    y = Relu (x)
    z = Add (w, v)
  })");
  const Facts facts(model);
  const auto shape = facts.shape_of(value_named(model, "y"));
  ASSERT_TRUE(shape);
  EXPECT_TRUE((*shape)[0].is_symbol());
  EXPECT_NE((*shape)[0], (*shape)[2]);
  EXPECT_EQ(shown(facts, value_named(model, "z")), "float[unk__1,None]");
}

TEST(FactsTest, APlaceholderTakesAnySize) {
  Model model = parse(R"(g (float["?", 3, "?", "?"] x) => (y) { y = Relu (x) })");
  const Facts facts(model, {.shapes = {{"x", {Dim::size(1), Dim::size(3), Dim::size(48), Dim::size(320)}}}});
  EXPECT_TRUE(facts.refused().empty());
  EXPECT_EQ(shown(facts, value_named(model, "y")), "float[1,3,48,320]");
  const Facts bound(model, {.dims = {{"?", 3}}});
  ASSERT_EQ(bound.refused().size(), 1U);
  EXPECT_EQ(bound.refused()[0], "no dim is called '?'");
}

TEST(FactsTest, ABrokenRuleLeavesTheResultUnknown) {
  Model model = parse(R"(g (float[2, 3] x, float[4] w, int64[3] i) => (e) {
    a = Add (x, w)
    b = Relu (a)
    c = Concat <axis = 0> (x, w)
    d = Mul (x, i)
    e = Add (x, x)
  })");
  const Facts facts(model);
  std::vector<std::string> reasons;
  for (const BrokenRule& rule : facts.broken_rules())
    reasons.push_back(fmt::format("{}: {}", rule.node->op_type(), rule.why));
  EXPECT_EQ(reasons, (std::vector<std::string>{"Add: dims 3 and 4 cannot be broadcast together",
                                               "Concat: operands have 2 and 1 dims",
                                               "Mul: operand 1 cannot have elements of type int64"}));
  EXPECT_EQ(shown(facts, value_named(model, "a")), "?");
  EXPECT_EQ(shown(facts, value_named(model, "b")), "?");
  EXPECT_EQ(shown(facts, value_named(model, "e")), "float[2,3]");
}

TEST(FactsTest, ReadsConstantsOfAnySize) {
  std::string elements = "1.5";
  for (int i = 1; i < 600; ++i) elements += fmt::format(", {}", i);
  Model model = parse(fmt::format("g (float[2, 3] x) => (y)\n<float[600] w = {{{}}}, float scale = {{2}}>", elements) +
                      R"({
    shape = Constant <value_ints = [2, 600]> ()
    wide = Expand (w, shape)
    scaled = Mul (wide, scale)
    y = Relu (x)
  })");
  const Facts facts(model);
  EXPECT_FALSE(facts.of(value_named(model, "scaled")).constant);
  const auto scaled = facts.constant(value_named(model, "scaled"));
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->sizes(), (ops::Sizes{2, 600}));
  EXPECT_FALSE(facts.of(value_named(model, "scaled")).constant);  // it is not stored
  EXPECT_FALSE(facts.constant(value_named(model, "scaled"), 1000));
  EXPECT_FALSE(facts.constant(value_named(model, "y")));
  EXPECT_TRUE(facts.constant(value_named(model, "w")));
}

TEST(FactsTest, ARuntimeKnowsLess) {
  Model model = parse(R"(g (float[N, 8, L] x, float[4, 8, 2] w) => (y)
  <float[N, 4, half] c, float[N, 4, half] r, float[N, 4, half] back>
  {
    c = Conv <strides = [2]> (x, w)
    r = Relu (c)
    s = Shape (c)
    back = Reshape (r, s)
    y = Relu (back)
  })");
  const Facts facts(model, {.as_runtime = true});
  EXPECT_TRUE(facts.relies_on_declaration(value_named(model, "c")));     // floor(L/2) has no name
  EXPECT_FALSE(facts.relies_on_declaration(value_named(model, "r")));    // as declared for c
  EXPECT_TRUE(facts.relies_on_declaration(value_named(model, "back")));  // depends on elements of s
  EXPECT_EQ(shown(facts, value_named(model, "y")), "float[N,4,half]");
}

}  // namespace
}  // namespace onnxpress::analysis
