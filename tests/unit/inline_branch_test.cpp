// Ifs that are replaced by one of their branches.
#include "onnxpress/passes/regions/inline_branch.h"

#include <gtest/gtest.h>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress {
namespace {

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[2] x) => (float[2] y, float[2] z)
{
  y, z = If (c) <
    then_branch = t () => (float[2] a, float[2] x1) <float[2] two = {2, 2}> { a = Mul (x, two) x1 = Identity (a) },
    else_branch = e () => (float[2] a, float[2] x2) <float[2] two = {3, 3}> { a = Mul (x, two) x2 = Neg (x) }
  >
})";

TEST(InlineBranch, KeepsNamesAndWeightsOfTheBranch) {
  Model model = text::parse_model(kModel);
  ASSERT_TRUE(passes::inline_branch(model, *model.graph().nodes().front(), false));
  EXPECT_EQ(verify(model), "");
  const std::string encoded = format::encode_model(model);
  const Model again = format::read_model(Bytes::borrowed(encoded), ".", {});
  EXPECT_EQ(verify(again), "");
  EXPECT_EQ(again.graph().nodes().size(), 4U);  // Mul, Neg and an Identity for each output
  EXPECT_EQ(again.graph().outputs()[1]->value->producer()->input(0)->producer()->op_type(), "Neg");
  const Node& product = *again.graph().outputs()[0]->value->producer()->input(0)->producer();
  const Tensor* factor = product.input(1)->initializer();
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor->bytes().view().substr(0, 4), std::string_view("\0\0\x40\x40", 4));  // 3
}

TEST(InlineBranch, TakesNodesWithBodiesAlong) {
  Model model = text::parse_model(R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[2] x) => (float[2] y)
{
  y = If (c) <
    then_branch = t () => (float[2] a) {
      a = If (c) <then_branch = p () => (float[2] b) { b = Neg (x) }, else_branch = q () => (float[2] d) { d = Abs (x) }>
    },
    else_branch = e () => (float[2] f) { f = Neg (x) }
  >
})");
  Node& outer = *model.graph().nodes().front();
  EXPECT_TRUE(passes::inline_branch(model, outer, true));
  EXPECT_EQ(verify(model), "");
  EXPECT_EQ(text::print_graph(model.graph()), R"(g (bool c, float[2] x) => (float[2] y) {
  v0 = If (c) <
    then_branch = p () => (float[2] b) {
      b = Neg (x)
    },
    else_branch = q () => (float[2] d) {
      d = Abs (x)
    }
  >
  y = Identity (v0)
})");
}

}  // namespace
}  // namespace onnxpress
