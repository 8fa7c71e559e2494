// The first and last node for which each value is needed, and what bodies read from outside.
#include "onnxpress/analysis/liveness.h"

#include <gtest/gtest.h>

#include "onnxpress/analysis/captured_values.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::analysis {
namespace {

std::vector<std::string> names_of(const auto& values) {
  std::vector<std::string> names;
  for (const Value* value : values) names.emplace_back(value->name());
  return names;
}

class LivenessTest : public testing::Test {
 protected:
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x, float[2] unread, bool c) => (y, e)
<float[2] w = {1, 2}>
{
  a = Relu (x)
  b = Add (a, w)
  d, dead = Split <axis = 0> (b)
  y = If (c) <then_branch = t () => (p) { k = Relu (a)
                                          p = If (c) <then_branch = u () => (q) { q = Add (k, w) }, else_branch = v () => (b) { }> },
              else_branch = f () => (x) { }>
  e = Relu (y)
})");
  Graph& graph = model.graph();
  Liveness live{graph};

  const Value& value(std::string_view name) const {
    for (const ValueInfo* input : graph.inputs()) {
      if (input->value->name() == name) return *input->value;
    }
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (output->name() == name) return *output;
      }
    }
    return *graph.initializers()[0];
  }
};

TEST_F(LivenessTest, ValuesLiveUntilTheirLastReaderBodiesIncluded) {
  EXPECT_EQ(names_of(live.ending_at(0)), (std::vector<std::string>{}));
  EXPECT_EQ(names_of(live.ending_at(2)), (std::vector<std::string>{"d", "dead"}));
  EXPECT_EQ(names_of(live.ending_at(3)), (std::vector<std::string>{"x", "a", "w", "b", "c"}));
  EXPECT_EQ(names_of(live.ending_at(4)), (std::vector<std::string>{}));
}

TEST_F(LivenessTest, SaysWhenAValueIsMadeAndRead) {
  const auto a = live.of(value("a"));
  ASSERT_TRUE(a);
  EXPECT_EQ(a->made, 0U);
  EXPECT_EQ(a->first_use, 1U);
  EXPECT_EQ(a->last_use, 3U);
  EXPECT_EQ(live.of(value("w"))->made, Lifetime::kBefore);
  EXPECT_EQ(live.of(value("e"))->last_use, 5U);  // an output of the graph
  EXPECT_EQ(live.of(value("y"))->last_use, 5U);
  EXPECT_FALSE(live.of(value("dead"))->is_read);
  EXPECT_FALSE(live.of(value("unread")));
}

TEST_F(LivenessTest, BodiesCaptureWhatTheyReadFromOutside) {
  const Node& node = *value("y").producer();
  Graph *then_branch = nullptr, *else_branch = nullptr;
  for (const Attribute* attribute : node.attributes())
    (attribute->name == "then_branch" ? then_branch : else_branch) = std::get<Graph*>(attribute->value);
  EXPECT_EQ(names_of(captured_values(*then_branch)), (std::vector<std::string>{"a", "c", "w", "b"}));
  EXPECT_EQ(names_of(captured_values(*else_branch)), (std::vector<std::string>{"x"}));
}

}  // namespace
}  // namespace onnxpress::analysis
