// Facts that are updated while a model changes: the same as after a new inference, but only changed parts cost time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::analysis {
namespace {

Value* value_named(Model& model, std::string_view name) {
  Value* found = nullptr;
  const auto look = [&](Value* value) {
    if (value && value->name() == name) found = value;
  };
  for_each_graph(model, [&](Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) look(input->value);
    for (Value* value : graph.initializers()) look(value);
    for (const Node& node : graph.nodes()) {
      for (Value* output : node.outputs()) look(output);
    }
  });
  return found;
}

std::string shown(const Facts& facts, const Value& value) {
  ops::Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  return to_string(fact);
}

Node* add_node(Graph& graph, Node* before, std::string_view op, std::vector<Value*> inputs) {
  Value* outputs[] = {graph.create_value({})};
  return graph.insert_before(before, {.op_type = op, .inputs = inputs, .outputs = outputs});
}

// Symbols that we create have other names in a second inference of the same model.
std::string without_made_symbols(const std::string& type) {
  static const std::regex kMade(R"([a-z]+\.[0-9]+(_[0-9]+)?)");
  return std::regex_replace(type, kMade, "made");
}

// Compares the updated facts of all values with those of a new inference.
void expect_as_new(Model& model, const Facts& facts) {
  const Facts anew(model);
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (!output) continue;
        EXPECT_EQ(without_made_symbols(shown(facts, *output)), without_made_symbols(shown(anew, *output)))
            << node.op_type();
      }
    }
  });
}

class FactsUpdateTest : public testing::Test {
 protected:
  Model parse(std::string_view text) {
    return text::parse_model(fmt::format("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n{}", text),
                             "test");
  }
};

TEST_F(FactsUpdateTest, KnowsNothingOfValuesMadeLaterUnlessItFollows) {
  Model model = parse("g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }");
  const Facts facts(model);
  for (int i = 0; i < 5000; ++i) {
    const Node* made = add_node(model.graph(), nullptr, "Relu", {value_named(model, "x")});
    ASSERT_EQ(facts.of(*made->output()).kind, ops::Fact::Kind::kUnknown);
  }
}

TEST_F(FactsUpdateTest, InfersNodesThatAreMade) {
  Model model = parse("g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }");
  Facts facts(model);
  facts.follow();
  const Node* made = add_node(model.graph(), nullptr, "Transpose", {value_named(model, "x")});
  EXPECT_EQ(shown(facts, *made->output()), "float[3,2]");
}

TEST_F(FactsUpdateTest, ReferencesStayValidWhenValuesAreMade) {
  Model model = parse("g (float[2, 3] x) => (float[2, 3] y) { y = Relu (x) }");
  Facts facts(model);
  facts.follow();
  const ops::Fact& fact = facts.of(*value_named(model, "y"));
  for (int i = 0; i < 5000; ++i) add_node(model.graph(), nullptr, "Relu", {value_named(model, "x")});
  EXPECT_EQ(to_string(fact), "float[2,3]");
}

TEST_F(FactsUpdateTest, GoesOnAsLongAsFactsChange) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 5] z) => (d) {
    a = Relu (x)
    b = Transpose (a)
    c = Shape (b)
    d = Relu (b)
  })");
  Facts facts(model);
  facts.follow();
  Node& first = *model.graph().nodes().front();
  model.graph().set_input(first, 0, value_named(model, "z"));
  EXPECT_EQ(shown(facts, *value_named(model, "d")), "float[5,4]");
  const auto& elements = facts.of(*value_named(model, "c")).elements;
  ASSERT_TRUE(elements);
  EXPECT_EQ((*elements)[0], Dim::size(5));
  expect_as_new(model, facts);
}

TEST_F(FactsUpdateTest, FactsGetWeakerToo) {
  Model model = parse(R"(g (float[2, 3] x, float[] any) => (c) {
    a = Relu (x)
    b = Relu (a)
    c = Relu (b)
  })");
  Facts facts(model);
  facts.follow();
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "any"));
  EXPECT_EQ(shown(facts, *value_named(model, "c")), "float[]");
  expect_as_new(model, facts);
}

TEST_F(FactsUpdateTest, ForgetsWhatIsErased) {
  Model model = parse("g (float[2, 3] x) => (b) { a = Relu (x)\n b = Relu (x) }");
  Facts facts(model);
  facts.follow();
  Node& first = *model.graph().nodes().front();
  const Value* a = first.output();
  model.graph().erase(first);
  EXPECT_EQ(facts.of(*a).kind, ops::Fact::Kind::kUnknown);
}

TEST_F(FactsUpdateTest, ReadsChangedInitializersAndAttributes) {
  Model model = parse(R"(g (float[2, 3] x) => (b)
  <int64[2] shape = {3, 2}>
  {
    a = Reshape (x, shape)
    b = Transpose <perm = [1, 0]> (a)
  })");
  Facts facts(model);
  facts.follow();
  EXPECT_EQ(shown(facts, *value_named(model, "b")), "float[2,3]");
  const std::int64_t sizes[] = {6, 1};
  const ops::Array array = ops::Array::of<std::int64_t>(sizes);
  model.graph().set_tensor(value_named(model, "shape"), array.to_tensor(model.arena(), "shape"));
  EXPECT_EQ(shown(facts, *value_named(model, "b")), "float[1,6]");
  Node& transpose = *model.graph().nodes().back();
  model.graph().remove_attribute(transpose, "perm");
  auto* perm = model.arena().make<Attribute>();
  const std::int64_t order[] = {0, 1};
  perm->name = "perm";
  perm->type = AttributeType::kInts;
  perm->value = std::span<const std::int64_t>(model.arena().copy(std::span<const std::int64_t>(order)));
  model.graph().set_attribute(transpose, perm);
  EXPECT_EQ(shown(facts, *value_named(model, "b")), "float[6,1]");
  expect_as_new(model, facts);
}

TEST_F(FactsUpdateTest, GoesThroughBodies) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 5] z, bool c) => (y, w) {
    a = Relu (x)
    y = If (c) <then_branch = t () => (p) { p = Transpose (a) }, else_branch = e () => (q) { q = Transpose (a) }>
    w = Relu (y)
  })");
  Facts facts(model);
  facts.follow();
  EXPECT_EQ(shown(facts, *value_named(model, "w")), "float[3,2]");
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "z"));
  EXPECT_EQ(shown(facts, *value_named(model, "p")), "float[5,4]");
  EXPECT_EQ(shown(facts, *value_named(model, "w")), "float[5,4]");
  // And from the inside of a branch to the outside.
  Node& inner = *value_named(model, "q")->producer();
  inner.graph()->set_input(inner, 0, value_named(model, "x"));
  expect_as_new(model, facts);
  Node& other = *value_named(model, "p")->producer();
  other.graph()->set_input(other, 0, value_named(model, "x"));
  EXPECT_EQ(shown(facts, *value_named(model, "w")), "float[3,2]");
}

TEST_F(FactsUpdateTest, ABodyMayReturnAnOuterValue) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 5] z, bool c) => (y) {
    a = Relu (x)
    y = If (c) <then_branch = t () => (a) { }, else_branch = e () => (a) { }>
  })");
  Facts facts(model);
  facts.follow();
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "z"));
  EXPECT_EQ(shown(facts, *value_named(model, "y")), "float[4,5]");
}

TEST_F(FactsUpdateTest, GoesThroughLoops) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 5] z, int64 n) => (y, all) {
    a = Relu (x)
    y, all = Loop (n, "", x) <body = b (int64 i, bool go, float[] v) => (go_on, next, part)
      { go_on = Identity (go)
        next = Relu (v)
        part = Add (next, a) }>
  })");
  Facts facts(model);
  facts.follow();
  EXPECT_EQ(shown(facts, *value_named(model, "part")), "float[2,3]");
  Node& loop = *model.graph().nodes().back();
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "z"));
  model.graph().set_input(loop, 2, value_named(model, "z"));
  EXPECT_EQ(shown(facts, *value_named(model, "part")), "float[4,5]");
  EXPECT_EQ(shown(facts, *value_named(model, "y")), "float[4,5]");
  // Each iteration still has its own symbols: a value that grows in a loop must not be given one size.
  Node& next = *value_named(model, "next")->producer();
  Node* wider = add_node(*next.graph(), value_named(model, "part")->producer(), "Concat",
                         {value_named(model, "next"), value_named(model, "next")});
  auto* axis = model.arena().make<Attribute>();
  axis->name = "axis";
  axis->type = AttributeType::kInt;
  axis->value = std::int64_t{0};
  wider->graph()->set_attribute(*wider, axis);
  EXPECT_EQ(shown(facts, *wider->output()), "float[8,5]");
  Node& part = *value_named(model, "part")->producer();
  part.graph()->set_input(part, 0, wider->output());
  EXPECT_EQ(facts.broken_rules().size(), 1U);  // 8 and 4 do not match
}

TEST_F(FactsUpdateTest, GoesThroughFunctions) {
  Model model = parse(R"(g (float[2, 3] x, float[4, 5] z) => (y) {
    a = Relu (x)
    y = local.turned (a)
  }
  <domain: "local", opset_import: ["" : 17]>
  turned (p) => (q) { q = Transpose (p) })");
  Facts facts(model);
  facts.follow();
  EXPECT_EQ(shown(facts, *value_named(model, "q")), "float[3,2]");
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "z"));
  EXPECT_EQ(shown(facts, *value_named(model, "y")), "float[5,4]");
  EXPECT_EQ(shown(facts, *value_named(model, "q")), "float[5,4]");
  Graph& body = *model.functions[0]->body;
  Node* inside = add_node(body, body.nodes().front(), "Transpose", {body.inputs()[0]->value});
  body.set_input(*body.nodes().back(), 0, inside->output());
  EXPECT_EQ(shown(facts, *value_named(model, "y")), "float[4,5]");
  EXPECT_EQ(shown(facts, *inside->output()), "float[5,4]");
}

TEST_F(FactsUpdateTest, EquationsAreSolvedWhenAllIsInferred) {
  Model model = parse(R"(g (float[N, 3] x, float[M, 3] z) => (y) {
    a = Relu (x)
    y = Relu (z)
  })");
  Facts facts(model);
  facts.follow();
  Node* sum = add_node(model.graph(), nullptr, "MatMul", {value_named(model, "a"), value_named(model, "y")});
  EXPECT_EQ(shown(facts, *sum->output()), "float[N,3]");
  EXPECT_EQ(shown(facts, *value_named(model, "y")), "float[3,3]");  // MatMul forces M = 3
}

TEST_F(FactsUpdateTest, EquationsThatCannotBothHoldBreakARule) {
  Model model = parse(R"(g (float[N, K] x, float[3, 2] a, float[4, 2] b) => (y) { y = Relu (x) })");
  Facts facts(model);
  facts.follow();
  Node* one = add_node(model.graph(), nullptr, "MatMul", {value_named(model, "x"), value_named(model, "a")});
  Node* two = add_node(model.graph(), nullptr, "MatMul", {value_named(model, "x"), value_named(model, "b")});
  ASSERT_EQ(facts.broken_rules().size(), 1U);
  EXPECT_EQ(facts.broken_rules()[0].node, two);
  EXPECT_EQ(facts.of(*two->output()).kind, ops::Fact::Kind::kUnknown);
  EXPECT_EQ(shown(facts, *one->output()), "float[N,2]");
}

TEST_F(FactsUpdateTest, SizesThatDependOnDataKeepTheirSymbol) {
  Model model = parse(R"(g (float[N, 3] x, float[5, 3] z) => (c) {
    a = Relu (x)
    b = NonZero (a)
    c = Transpose (b)
  })");
  Facts facts(model);
  facts.follow();
  const auto before = facts.shape_of(*value_named(model, "c"));
  model.graph().set_input(*model.graph().nodes().front(), 0, value_named(model, "z"));
  EXPECT_EQ(facts.shape_of(*value_named(model, "c")), before);
  // With other operands, the number of elements may be different.
  Node& nonzero = *value_named(model, "b")->producer();
  model.graph().set_input(nonzero, 0, value_named(model, "z"));
  EXPECT_NE(facts.shape_of(*value_named(model, "c")), before);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Bypasses the nodes of a chain one after the other, asking for facts all the time. The bound is loose: it only has to
// show that the time is not quadratic (with 20,000 nodes that would be thousands of times more).
TEST_F(FactsUpdateTest, ManySmallChangesCostAboutOneInference) {
  constexpr int kNodes = 20'000;  // a hundred thousand take as long per node
  Model model = parse("g (float[N, 3] x, float[N, 3] z) => (y) { y = Relu (x) }");
  Graph& graph = model.graph();
  std::vector<Node*> nodes;
  Value *x = value_named(model, "x"), *z = value_named(model, "z"), *last = x;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(add_node(graph, nullptr, "Add", {last, x}));
    last = nodes.back()->output();
  }
  auto begin = std::chrono::steady_clock::now();
  Facts facts(model);
  const double once = seconds_since(begin);
  facts.follow();
  begin = std::chrono::steady_clock::now();
  for (Node* node : nodes) {
    graph.set_input(*node, 1, z);
    ASSERT_TRUE(facts.is_complete(*node->output()));
  }
  const double updates = seconds_since(begin);
  RecordProperty("inference_ms", static_cast<int>(once * 1000));
  RecordProperty("updates_ms", static_cast<int>(updates * 1000));
  EXPECT_LT(updates, 10 * once + 0.5);
}

}  // namespace
}  // namespace onnxpress::analysis
