// The meaning of text: scopes, tensors, external files, and what printing reports.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"
#include "onnxpress/text/small_float.h"
#include "tests/support/temp_folder.h"

namespace onnxpress::text {
namespace {

Node& node_at(const Graph& graph, std::size_t index) {
  auto node = graph.nodes().begin();
  while (index-- > 0) ++node;
  return *node;
}

const Graph& body_of(const Node& node) { return *std::get<Graph*>(node.attributes().front()->value); }

// --- Scopes

TEST(TextModel, ResolvesNamesToValues) {
  const Model model =
      parse_model("g (float[2] x, float[2] w = {1, 2}) => (y) <float[2] t> { t = A (x, w) y = B (t, \"\", z) }");
  const Graph& graph = model.graph();
  const Node &a = node_at(graph, 0), &b = node_at(graph, 1);
  EXPECT_EQ(a.input(0), graph.inputs()[0]->value);
  EXPECT_EQ(a.input(1), graph.initializers()[0]);
  EXPECT_TRUE(a.input(1)->is_input());
  EXPECT_EQ(a.input(1)->constant(), nullptr);
  EXPECT_EQ(b.input(0), a.output());
  EXPECT_EQ(b.input(0)->type(), graph.value_infos()[0]->type);
  EXPECT_EQ(b.input(1), nullptr);
  EXPECT_FALSE(b.input(2)->is_defined());
  EXPECT_EQ(graph.outputs()[0]->value, b.output());
  EXPECT_TRUE(b.output()->is_output());
}

TEST(TextModel, PrintsTheNamesThatValuesWillGet) {
  Model model = parse_model("g (x) => (y) { t = A (x) y = Loop (t) <b = body (i) => (o) { o = B (i) }> }");
  Node& first = node_at(model.graph(), 0);
  const Graph& body = body_of(node_at(model.graph(), 1));
  model.graph().rename(*first.output(), {});
  body.inputs()[0]->value->graph()->rename(*body.inputs()[0]->value, {});
  node_at(body, 0).graph()->rename(*node_at(body, 0).output(), {});
  const std::string printed = print_model(model);
  name_values(model);
  EXPECT_EQ(print_model(model), printed);
}

TEST(TextModel, BodiesSeeOuterNamesDefinedLater) {
  const Model model = parse_model(
      "g () => () { y = If () <b = inner () => (late) { early = A (late, own) own = B () }> late = C () own = D () }");
  const Graph& graph = model.graph();
  const Node& late = node_at(graph, 0);  // the nodes are sorted now
  EXPECT_EQ(late.op_type(), "C");
  const Graph& inner = body_of(node_at(graph, 1));
  const Node& a = node_at(inner, 1);
  EXPECT_EQ(a.op_type(), "A");
  EXPECT_EQ(a.input(0), late.output());
  EXPECT_EQ(a.input(1), node_at(inner, 0).output());  // not the outer one of that name
  EXPECT_EQ(inner.outputs()[0]->value, late.output());
  EXPECT_EQ(model.notes.size(), 2U);
}

TEST(TextModel, InnerNamesEndWithTheirBody) {
  const Model model = parse_model("g () => () { = If () <b = i () => () { t = A () }> y = B (t) }");
  EXPECT_FALSE(node_at(model.graph(), 1).input(0)->is_defined());
}

TEST(TextModel, FunctionsSeeNothingOutside) {
  const Model model = parse_model("g (x) => () {} f (a) => (b) { b = A (a, x) }");
  const Node& node = node_at(*model.functions.front()->body, 0);
  EXPECT_TRUE(node.input(0)->is_input());
  EXPECT_FALSE(node.input(1)->is_defined());
}

TEST(TextModel, KeepsSecondDefinitionsApart) {
  const Model model =
      parse_model("g (x, x) => () <float x = {1}, float w = {1}, float w = {2}> { x = A () x = B (x) }");
  EXPECT_EQ(verify(model), "");
  EXPECT_EQ(node_at(model.graph(), 1).input(0), model.graph().inputs()[0]->value);
  EXPECT_EQ(model.graph().initializers().size(), 3U);
}

TEST(TextModel, PointsNowhereIntoTheText) {
  std::string text =
      "<producer_name: \"p\", opset_import: [\"d\" : 1]> graph_name (float[sym] input_name) => () <float init_name = "
      "{1}> "
      "{ [node_name] out_name = dom.Op <attr = \"value\", t = string name {\"text\"}> (input_name) } f <p> (i) => (o) "
      "{}";
  const Model model = parse_model(text);
  const std::string before = print_model(model);
  text.assign(text.size(), '!');
  EXPECT_EQ(print_model(model), before);
}

// --- Tensors

TEST(TextModel, StoresTensorsRaw) {
  const Model model =
      parse_model("g () => () <int16[2] w = {1, -2}, string[2] s = {\"a\", \"bc\"}, float[3] none = {}> {}");
  const auto tensors = model.graph().initializers();
  EXPECT_EQ(tensors[0]->initializer()->bytes().view(), std::string_view("\x01\x00\xfe\xff", 4));
  EXPECT_EQ(tensors[0]->initializer()->storage, Storage::kMade);
  EXPECT_EQ(tensors[0]->initializer()->name, "w");
  EXPECT_EQ(tensors[1]->initializer()->strings()[1], "bc");
  EXPECT_EQ(tensors[2]->initializer()->storage, Storage::kNone);
}

TEST(TextModel, FindsExternalDataBesideTheText) {
  const tests::TempFolder folder;
  folder.write("weights.bin", std::string("....\0\0\x80\x3f", 8));
  const Model model = parse_model(
      "g () => () <float w = [\"location\": \"weights.bin\", \"offset\": \"4\"], "
      "float v = [\"location\": \"../x\"]> {}",
      (folder / "model.onnxtxt").string());
  EXPECT_EQ(model.graph().initializers()[0]->initializer()->bytes().load<float>(0), 1.0F);
  EXPECT_THROW(model.graph().initializers()[1]->initializer()->bytes(), Error);
  EXPECT_EQ(model.external_files.size(), 2U);
}

std::string streamed(const Tensor& tensor) {
  std::string all;
  std::get<std::shared_ptr<const ByteStream>>(tensor.content)->produce([&all](std::string_view piece) {
    piece.data() ? all.append(piece) : all.append(piece.size(), '\0');
  });
  return all;
}

TEST(TextModel, ElidedTensorsAreWrittenAsZeros) {
  const Model model = parse_model("g () => () <uint8[10] w = {1, 2, ... 8 more}, float[100000000000] v = {...}> {}");
  const Tensor& small = *model.graph().initializers()[0]->initializer();
  EXPECT_EQ(streamed(small), std::string_view("\1\2\0\0\0\0\0\0\0\0", 10));
  ASSERT_NE(elided_content(small), nullptr);
  EXPECT_FALSE(elided_content(small)->hash());
  EXPECT_EQ(model.graph().initializers()[1]->initializer()->stored_bytes(), 400'000'000'000U);
  ASSERT_EQ(model.notes.size(), 1U);
  EXPECT_EQ(model.notes[0].message,
            "2 tensors are elided in the text, so their content is not known; it is written as zeros");
}

// A line of text can stand for 1 TiB, so the content must never be materialized by accident.
TEST(TextModel, ElidedTensorsHaveNoBytes) {
  const Model model = parse_model("g () => () <uint8[10] w = {1, 2, ... 8 more}, float[274877906944] v = {...}> {}");
  for (const Value* value : model.graph().initializers()) EXPECT_THROW(value->initializer()->bytes(), Error);
  try {
    (void)model.graph().initializers()[1]->initializer()->bytes();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "tensor 'v': its 1099511627776 bytes are not known: the text that it was read from leaves them out");
  }
}

// Tables and messages write types as the text does, except for blanks.
TEST(TextModel, TypesInMessagesMeanWhatTheySayInText) {
  for (const std::string type :
       {"float", "float[]", "float[N,3,?]", "float[\"a+b\",\"3\",-1]", "seq(map(int64, string[]))", "seq()",
        "optional(seq(float))", "sparse_tensor(float[2])", "sparse_tensor(float[])", "opaque(a.b, \"c d\")", "opaque()",
        "undefined"}) {
    const Model model = parse_model("g (" + type + " x) => () {}");
    EXPECT_EQ(to_string(model.graph().inputs()[0]->type), type);
  }
}

TEST(TextModel, ElidesLongTensors) {
  const Model model = parse_model(
      "g () => () <int8[6] a = {1, 2, 3, 4, 5, 6}, int8[5] b = {1, 2, 3, 4, 5}, int4[6] c = {1, 2, 3}, "
      "string[6] d = {\"\", \"\", \"\", \"\", \"\", \"\"}, complex64[6] e = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}> {}");
  PrintOptions options;
  options.elide_above = 5;
  const std::string text = print_model(model, options);
  EXPECT_EQ(text,
            "g () => ()\n<\n"
            "  int8[6] a = {1, 2, 3, 4, ... 2 more, xxh3 c7de39ae11689bef},\n"
            "  int8[5] b = {1, 2, 3, 4, 5},\n"
            "  int4[6] c = {... 6 more, xxh3 ebce9b7632ae733b},\n"
            "  string[6] d = {\"\", \"\", \"\", \"\", \"\", \"\"},\n"
            "  complex64[6] e = {0, 0, 0, 0, 0, 0, 0, 0, ... 2 more, xxh3 e255222d4cbbadba}\n"
            ">\n{\n}\n");
  EXPECT_EQ(print_model(parse_model(text)), text);
}

// --- Printing

// Every type of number, with more elements than fit in one piece, in an initializer, an attribute and a body.
TEST(TextModel, PrintsInPieces) {
  std::string numbers = "0";
  for (int i = 1; i < 100'000; ++i) numbers += fmt::format(", {}", i % 120);
  std::string block, nodes;
  for (const std::string_view type :
       {"float", "double", "float16", "int8", "int16", "int32", "int64", "uint8", "uint64"}) {
    block += fmt::format("{}{}[100000] w_{} = {{{}}}", block.empty() ? "" : ", ", type, type, numbers);
  }
  nodes = fmt::format(
      "c = Constant <value = int32[100000] {{{0}}}> () y = If (c) <then_branch = a () => (float t) "
      "<float[100000] k = {{{0}}}> {{ t = Neg (k) }}, else_branch = b () => (float e) {{ e = Neg (c) }}>",
      numbers);
  const Model model = parse_model(fmt::format("g () => () <{}> {{ {} }}", block, nodes));
  const std::string whole = print_model(model);
  std::string joined;
  std::size_t longest = 0, pieces = 0;
  print_model(model, [&](std::string_view piece) {
    joined += piece;
    longest = std::max(longest, piece.size());
    ++pieces;
  });
  EXPECT_EQ(joined, whole);
  EXPECT_GT(pieces, 3);
  EXPECT_LT(longest, std::size_t{3} << 20);
  EXPECT_EQ(print_model(parse_model(whole)), whole);
}

TEST(TextModel, PrintsNodesForMessages) {
  const Model model = parse_model(
      "g () => () { [n] y = If (c) <b = inner () => () { = A () }, level = 1> z = Op <t = int8[9] {1,2,3,4,5,6,7,8,9}> "
      "(y) }");
  PrintOptions options;
  options.hide_bodies = true;
  options.elide_above = 8;
  EXPECT_EQ(print_node(node_at(model.graph(), 0), options), "[n] y = If (c) <b = inner {...}, level = 1>");
  EXPECT_EQ(print_node(node_at(model.graph(), 1), options),
            "z = Op <t = int8[9] {1, 2, 3, 4, ... 5 more, xxh3 17d143e7f447850a}> (y)");
  EXPECT_EQ(print_graph(body_of(node_at(model.graph(), 0))), "inner () => () {\n  = A ()\n}");
}

TEST(TextModel, NamesFreshValues) {
  Model model;
  Graph& graph = model.graph();
  graph.set_name("g");
  Value* v0 = graph.create_value("v0");
  Value *first = graph.create_value({}), *second = graph.create_value({});
  graph.append({.op_type = "A", .inputs = std::span(&v0, 1), .outputs = std::span(&first, 1)});
  Value* both[] = {first, second};
  graph.append({.op_type = "B", .inputs = both, .outputs = std::span(&second, 1)});
  EXPECT_EQ(print_model(model), "g () => () {\n  v1 = A (v0)\n  v2 = B (v1, v2)\n}\n");
}

TEST(TextModel, ReportsWhatItCannotShow) {
  Model model = parse_model("g (float x) => () <float w = {1}> { [n] = Op <a = 1, t = float {1}> () }");
  Graph& graph = model.graph();
  Node& node = *graph.nodes().front();
  node.attributes()[0]->doc = "doc";
  std::get<Tensor*>(node.attributes()[1]->value)->doc = "doc";
  Attribute empty;
  empty.name = "nothing";
  empty.type = AttributeType::kTensor;
  graph.set_attribute(node, &empty);
  graph.initializers()[0]->initializer()->content = Bytes::owned("123");
  model.create_training();
  Type inner, outer;
  inner.kind = Type::Kind::kTensor;
  inner.element = static_cast<ElementType>(99);
  inner.denotation = "IMAGE";
  outer.kind = Type::Kind::kSequence;
  outer.inner = &inner;
  graph.set_type(*graph.inputs()[0], &outer);
  std::vector<std::string> lost;
  const std::string text = print_model(model, {}, &lost);
  EXPECT_EQ(text, "g (seq(undefined[]) x) => ()\n<\n  float w = {}\n>\n{\n  [n] = Op <a = 1, t = float {1}> ()\n}\n");
  const std::vector<std::string> expected = {
      "1 entries of training_info",
      "the denotation of a type inside another, or in an attribute",
      "element type 99, which has no name",
      "the elements of tensor 'w': has 3 bytes of data, but float needs 4",
      "node 'n' (Op): attribute 'nothing', which has no value",
      "node 'n' (Op): the doc_string of attribute 'a'",
      "node 'n' (Op): the doc_string or metadata_props of a tensor in an attribute",
  };
  EXPECT_EQ(lost, expected);
  EXPECT_EQ(print_model(parse_model(text)), text);
}

// --- Numbers

TEST(TextNumbers, FloatsComeBackBitForBit) {
  std::uint32_t bits = 1;
  for (int i = 0; i < 200'000; ++i) {
    bits = bits * 1664525 + 1013904223;
    std::string text;
    append_float(text, bits);
    Arena arena;
    Cursor cursor(text, arena);
    ASSERT_EQ(to_float_bits(cursor.number("a number")), bits) << text;
    ASSERT_TRUE(cursor.at_end()) << text;
  }
}

TEST(TextNumbers, DoublesComeBackBitForBit) {
  std::uint64_t bits = 1;
  for (int i = 0; i < 200'000; ++i) {
    bits = bits * 6364136223846793005 + 1442695040888963407;
    std::string text;
    append_double(text, bits);
    Arena arena;
    Cursor cursor(text, arena);
    ASSERT_EQ(to_double_bits(cursor.number("a number")), bits) << text;
  }
}

TEST(TextNumbers, SmallFloatsComeBackBitForBit) {
  for (int number = 0; number < kSmallFloatCount; ++number) {
    const auto format = static_cast<SmallFloat>(number);
    for (std::uint32_t bits = 0; bits < (1U << bits_of(format)); ++bits) {
      const float value = value_of(format, bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(small_float_bits(format, value), bits) << number;
      }
      std::string text;
      append_small_float(text, format, bits);
      Arena arena;
      Cursor cursor(text, arena);
      const Number read = cursor.number("a number");
      const bool is_pattern = read.kind == Number::Kind::kInteger;
      EXPECT_TRUE(!is_pattern || std::isnan(value)) << text;
      ASSERT_EQ(is_pattern ? static_cast<std::uint32_t>(*to_uint64(read)) : small_float_bits(format, *to_double(read)),
                bits)
          << text;
    }
  }
}

TEST(TextNumbers, SmallFloatsRoundToNearestEven) {
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, 1 + 1.0 / 2048), 0x3c00U);  // half way, down to even
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, 1 + 3.0 / 2048), 0x3c02U);  // half way, up to even
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, 1 + 1.01 / 2048), 0x3c01U);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, 65519.99), 0x7bffU);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, 65520), std::nullopt);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat16, std::ldexp(1, -25)), 0U);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat8e4m3fnuz, -1e-9), 0U);  // it has no -0
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat8e8m0, 0), std::nullopt);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat8e8m0, -1), std::nullopt);
  EXPECT_EQ(small_float_bits(SmallFloat::kFloat6e2m3, std::numeric_limits<double>::infinity()), std::nullopt);
}

}  // namespace
}  // namespace onnxpress::text
