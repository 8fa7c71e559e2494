// Model::clone(): the copy is written like the original, and changes to one do not affect the other.
#include <gtest/gtest.h>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress {
namespace {

constexpr std::string_view kText = R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]>
g (float[n,2] x, bool c) => (float[n,2] y, float[n,2] z)
<float[2] w = {1, 2}, float[n,2] t> {
  t = Add (x, w)
  y = If (c) <then_branch = a () => (float[n,2] r) { r = Mul (t, w) }, else_branch = b () => (t) { u = Neg (x) }>
  k = Constant <value = float[2] {3, 4}> ()
  z = f.twice <alpha: float = 2.0> (y)
}
<domain: "f", opset_import: ["" : 21]>
twice <alpha> (p) => (q) { q = Add (p, p) })";

// Read from a file, as most models are.
Model model_from_file() {
  Model parsed = text::parse_model(kText);
  return format::read_model(Bytes::owned(format::encode_model(parsed)));
}

TEST(Clone, IsWrittenLikeTheOriginal) {
  Model model = model_from_file();
  const std::string encoded = format::encode_model(model);
  Model copy = model.clone();
  EXPECT_EQ(verify(copy), "");
  EXPECT_FALSE(copy.changed());
  EXPECT_EQ(format::encode_model(copy), encoded);
  EXPECT_EQ(format::encode_model(copy, true), format::encode_model(model, true));
  EXPECT_EQ(text::print_model(copy), text::print_model(model));
  EXPECT_EQ(copy.graph().inputs()[0]->type->dims[0].symbol(), copy.context().symbol("n"));
}

TEST(Clone, AndTheOriginalAreApart) {
  Model model = model_from_file();
  const std::string encoded = format::encode_model(model);
  Model copy = model.clone();
  Graph& graph = copy.graph();
  Node* add = graph.nodes().front();
  EXPECT_EQ(add->id(), model.graph().nodes().front()->id());
  graph.replace_all_uses(add->output(), graph.inputs()[0]->value);
  graph.erase(*add);
  graph.initializers()[0]->initializer()->content = Bytes::owned(std::string(8, '\0'));
  graph.mark_changed(*graph.initializers()[0]);
  for (Node& node : graph.nodes()) graph.erase(node);
  EXPECT_EQ(verify(copy), "");
  EXPECT_TRUE(copy.changed());
  EXPECT_EQ(verify(model), "");
  EXPECT_FALSE(model.changed());
  EXPECT_EQ(format::encode_model(model), encoded);
  EXPECT_EQ(format::encode_model(model, true), format::encode_model(*std::make_unique<Model>(model_from_file()), true));
}

TEST(Clone, OutlivesTheOriginal) {
  auto model = std::make_unique<Model>(model_from_file());
  Model copy = model->clone();
  Model second = copy.clone();
  const std::string printed = text::print_model(*model);
  model.reset();
  EXPECT_EQ(text::print_model(copy), printed);
  copy = Model();
  EXPECT_EQ(text::print_model(second), printed);
  EXPECT_EQ(verify(second), "");
}

TEST(Clone, KeepsEditsThatAreNotWrittenYet) {
  Model model = model_from_file();
  Graph& graph = model.graph();
  Node* add = graph.nodes().front();
  graph.set_input(*add, 1, graph.inputs()[0]->value);
  Model copy = model.clone();
  EXPECT_TRUE(copy.changed());
  EXPECT_EQ(format::encode_model(copy), format::encode_model(model));
}

}  // namespace
}  // namespace onnxpress
