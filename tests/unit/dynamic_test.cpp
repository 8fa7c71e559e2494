// Which layers come first and last, and how the words of a dynamic scheme are parsed.
#include <gtest/gtest.h>

#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/weights/find/layers.h"
#include "onnxpress/weights/lossy/scheme.h"

namespace onnxpress::weights {
namespace {

std::map<std::string, std::string> places(std::string_view text) {
  const Model model = text::parse_model(text, "test");
  const Layers layers(model);
  std::map<std::string, std::string> found;
  for_each_node(model, [&](const Node& node) {
    if (node.name().empty()) return;
    found[std::string(node.name())] =
        std::string(layers.is_first(node) ? "first " : "") + (layers.is_last(node) ? "last" : "");
  });
  return found;
}

using Places = std::map<std::string, std::string>;

TEST(Layers, TheOnlyOneIsBoth) {
  EXPECT_EQ(places(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}> { [a] y = MatMul (x, w) })"),
            (Places{{"a", "first last"}}));
}

TEST(Layers, ProductsOfActivationsAreNone) {
  EXPECT_EQ(places(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (float[2,2] x) => (float[2,2] y) <float[2,2] w = {1, 2, 3, 4}> {
      [a] h = MatMul (x, w) [b] i = MatMul (h, w) [c] j = MatMul (h, h) [d] k = MatMul (i, j)
      [e] l = Transpose (w) [f] y = MatMul (k, l) })"),
            (Places{{"a", "first "}, {"b", ""}, {"c", ""}, {"d", ""}, {"e", ""}, {"f", "last"}}));
}

TEST(Layers, EachInputAndEachOutputHasItsOwn) {
  EXPECT_EQ(places(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (int64[2] i, float[2,2] x) => (float[2,2] y, float[2,2] z) <float[2,2] w = {1, 2, 3, 4}> {
      [a] h = Gather (w, i) [b] j = MatMul (x, w) [c] k = Add (h, j) [d] l = Gemm (k, w)
      [e] y = MatMul (l, w) [f] z = Gemm <transB = 1> (l, w) })"),
            (Places{{"a", "first "}, {"b", "first "}, {"c", ""}, {"d", ""}, {"e", "last"}, {"f", "last"}}));
}

TEST(Layers, ValuesFlowThroughBodies) {
  EXPECT_EQ(places(R"(<ir_version: 8, opset_import: ["" : 13]>
    g (bool c, float[2,2] x) => (float[2,2] y) <float[2,2] w = {1, 2, 3, 4}> {
      [a] h = MatMul (x, w)
      [i] o = If (c) <then_branch = t () => (float[2,2] p) { [b] p = MatMul (h, w) },
                      else_branch = e () => (float[2,2] q) { [d] q = MatMul (x, w) }>
      [e] y = MatMul (o, w) })"),
            (Places{{"a", "first "}, {"b", ""}, {"d", "first "}, {"e", "last"}, {"i", ""}}));
}

TEST(Scheme, ReadsDynamic) {
  for (const char* text : {"int8 dynamic", "int8 dynamic scale=mse", "int8 dynamic scale=least-squares"})
    EXPECT_EQ(to_string(parse_scheme(text)), text);
  EXPECT_EQ(parse_scheme("int8 dynamic").method, ScaleMethod::kMinMax);
  for (const char* text :
       {"int4 dynamic", "int8 block=32 dynamic", "int8 dynamic asym", "float16 dynamic", "levels=9 dynamic"})
    EXPECT_THROW(parse_scheme(text), Error) << text;
}

}  // namespace
}  // namespace onnxpress::weights
