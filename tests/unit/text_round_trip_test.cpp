// Canonical text prints unchanged after parsing; other spellings of the same print in canonical form.
#include <gtest/gtest.h>

#include "onnxpress/ir/verify.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::text {
namespace {

std::string reprinted(std::string_view text, const PrintOptions& options = {}) {
  const Model model = parse_model(text);
  EXPECT_EQ(verify(model), "") << text;
  std::vector<std::string> lost;
  std::string printed = print_model(model, options, &lost);
  EXPECT_TRUE(lost.empty()) << lost.front();
  return printed;
}

// --- Whole models

constexpr std::string_view kModels[] = {
    // The smallest model.
    R"(g () => () {
}
)",
    // Everything that a header may contain.
    R"(<
  ir_version: 10,
  opset_import: ["" : 21, "com.microsoft" : 1, "ai.onnx.ml" : -3],
  producer_name: "a \"quoted\" name with a \\ in it",
  producer_version: "",
  domain: "org.example",
  model_version: 9223372036854775807,
  doc_string: "two
lines, and a # that is no comment",
  metadata_props: ["author": "somebody", "": "a key may be empty"]
>
main (float[N, 3, ?] x) => (float[N] y) {
  y = ReduceSum (x)
}
)",
    // Initializers come first, then types. Inputs may have a default.
    R"(main (float[2] x, float[2] w) => (float[2] y)
<
  float[2] w = {1, 2.5},
  int64 scalar = {-7},
  float[0] nothing = {},
  float[2] t
>
{
  t = Add (x, w)
  y = Mul (t, t)
}
)",
    // Names, domains, overloads, omitted inputs and outputs, nodes without any.
    R"(main (float[N] x, float[] "with space") => (y) {
  [first] y, "", "a/b:0" = Split (x, "", "with space")
  ["second node"] z = com.microsoft.Gelu:fast (y)
  = Sink (z)
  only = Source ()
  odd = "my-domain"."odd op":"odd overload" <"odd.attribute" = 1> (only, "")
}
)",
    // Types.
    R"(main (float scalar, float[] any_rank, float[-1] negative, string[0] empty, float["a+b", N, ?, 4] mixed) => () {
}
)",
    R"(main (
  seq(float[N]) a,
  map(int64, string[]) b,
  optional(seq(map(string, float))) c,
  sparse_tensor(float[2, N]) d,
  opaque() e,
  opaque(name.with.dots) f,
  opaque(some.domain, name) g,
  opaque("odd-domain", "odd name") h,
  seq() without_inner,
  undefined[2] without_element
) => () {
}
)",
    // Names that are words of the syntax.
    R"("nan" ("float", "seq", "undefined", _x1) => (float[float, nan] "inf") {
  [float] "inf" = float ("float", "seq")
}
)",
    // Bodies: attributes with them follow the inputs.
    R"(main (bool c, float[N] x) => (float[N] y)
<
  float[1] one = {1}
>
{
  y = If (c) <
    then_branch = then () => (float[N] a) {
      a = Add (x, one)
    },
    else_branch = otherwise () => (float[N] b)
    <
      float[1] two = {2},
      float[N] b
    >
    {
      b = Loop ("", c, x) <
        level = 1,
        body = inner (int64 i, bool k, float[N] v) => (bool k, float[N] w) {
          w = Mul (v, two)
        }
      >
    }
  >
}
)",
    // A body with a name that the official syntax cannot express.
    R"(main () => () {
  = If (c) <
    then_branch =
      #@ name: "odd name"
      graph () => () {
      },
    branches = [a () => () {
    }, b () => () {
    }],
    none: graphs = []
  >
}
)",
    // Functions.
    R"(main (x) => (y) {
  y = my.domain.f <alpha = 2.0> (x)
}

<
  domain: "my.domain",
  overload: "two",
  opset_import: ["" : 18],
  doc_string: "does
something"
>
f <alpha, beta, gamma: ints = [], delta = 0.5> (x, "a b") => (y)
<
  float[N] x,
  float[N] t
>
{
  t = Elu <alpha: float = @alpha, other = @"odd name"> (x)
  y = Relu (t)
}

bare () => () {
}
)",
    // External data.
    R"(main () => (y)
<
  float[3, 2] w = ["location": "weights.bin", "offset": "4096", "length": "24", "checksum": "ab"]
>
{
  y = Constant <value = float[2] = ["location": "weights.bin"]> ()
}
)",
    // Sparse tensors: an extension.
    R"(main () => ()
<
  sparse_tensor(float[3, 4]) w = {float[2] {1, 2}, int64[2] {0, 5}}
>
{
  y = Constant <value = sparse_tensor(int8[9]) {int8[1] {1}, int64[1, 1] i {8}}> ()
}
)",
    // Annotations: an extension that other parsers read as comments.
    R"(#@ doc_string: "the \"graph\"\nin two lines, \\n"
#@ metadata_props: ["a": "b", "c": ""]
#@ quantization_annotation: ["x": ["SCALE_TENSOR": "s"], "y": []]
#@ configuration: ["0a0163", ""]
main (
  #@ doc_string: "input"
  #@ metadata_props: ["k": "v"]
  #@ denotation: "IMAGE"
  #@ dim_denotations: ["DATA_BATCH", ""]
  float[N, 3] x,
  y
) => (
  #@ doc_string: "output"
  float[N] z
)
<
  #@ doc_string: "weight"
  #@ metadata_props: ["k": "v"]
  float[1] w = {1},
  #@ denotation: "TENSOR"
  float[N] t
>
{
  #@ doc_string: "node"
  #@ metadata_props: ["k": "v"]
  #@ device_configurations: ["0a01ff"]
  #@ tensor_names: ["value": "odd/name"]
  z = Op <value = float {1}> (x)
}

#@ metadata_props: ["k": "v"]
f () => () {
}
)",
    // Elided tensors.
    R"(main () => ()
<
  float[1024, 1024] w = {0.1, -2, inf, nan, ... 1048572 more, xxh3 0123456789abcdef},
  int4[1000000000] q = {... 1000000000 more},
  complex64[5] c = {1, 2, ... 4 more, xxh3 0000000000000000}
>
{
}
)",
};

TEST(TextRoundTrip, KeepsCanonicalModels) {
  for (const std::string_view text : kModels) EXPECT_EQ(reprinted(text), text);
}

// --- Attributes and tensors, one by one

std::string model_with(std::string_view node) { return "g () => () {\n  " + std::string(node) + "\n}\n"; }

constexpr std::string_view kNodes[] = {
    // Numbers: a float differs from an int by its point, exponent or name.
    "y = Op <a = 0, b = -5, c = 9223372036854775807, d = -9223372036854775808> ()",
    "y = Op <a = 0.0, b = -0.0, c = 1.0, d = 0.1, e = 1e+20, f = 1e-45, g = 3.4028235e+38, h = 16777216.0> ()",
    "y = Op <a = nan, b = -nan, c = inf, d = -inf, e = nan(0x7fc00001), f = nan(0xffffffff)> ()",
    "y = Op <ints = [1, -2, 3], floats = [1.0, 2.5, nan, -inf], strings = [\"a\", \"\", \"b\"]> ()",
    "y = Op <a: floats = [], b: ints = [], c: strings = [], d: tensors = [], e: graphs = []> ()",
    "y = Op <a: sparse_tensors = [], b: type_protos = []> ()",
    "y = Op <s = \"quote \\\" backslash \\\\ tab \t\", t = \"\"> ()",
    "y = Op <a = @b, c: int = @d, e: tensors = @\"f g\"> ()",
    "y = Op <t: type_proto = float[N], u: type_proto = undefined, v: type_protos = [seq(int8), opaque()]> ()",
    "y = Op <t = float[2] {1, 2}, named = float[2] name {1, 2}, scalar = int64 {5}, empty = float[0] {}> ()",
    "y = Op <t = float[3] without_data {}> ()",
    "y = Op <ts = [float[1] {1}, string {\"a\"}, float \"odd name\" {2}]> ()",
    // Every element type.
    "y = Op <t = float[4] {1, -0, 1e-45, nan(0x7f800001)}> ()",
    "y = Op <t = double[5] {0.1, 5e-324, 1.7976931348623157e+308, -nan, nan(0x7ff8000000000001)}> ()",
    "y = Op <a = uint8[2] {0, 255}, b = int8[2] {-128, 127}, c = uint16 {65535}, d = int16[2] {-32768, 32767}> ()",
    "y = Op <a = int32[2] {-2147483648, 2147483647}, b = uint32 {4294967295}> ()",
    "y = Op <a = int64[2] {-9223372036854775808, 9223372036854775807}, b = uint64 {18446744073709551615}> ()",
    "y = Op <a = bool[3] {0, 1, 2}, s = string[2, 2] {\"a\", \"\", \"\\\"\", \"\\\\\"}> ()",
    "y = Op <a = float16[2] {15360, 65535}, b = bfloat16[2] {16256, 32961}> ()",
    "y = Op <a = complex64[2] {1, -2, nan, 0.5}, b = complex128 {0.1, -inf}> ()",
    "y = Op <a = float8e4m3fn[2] {0, 255}, b = float8e4m3fnuz {128}, c = float8e5m2 {1}, d = float8e5m2fnuz {2}> ()",
    "y = Op <a = float8e8m0[2] {127, 255}> ()",
    // Types under 8 bits are written as whole bytes, as the official parser reads them; 6-bit types as elements.
    "y = Op <a = int4[3] {33, 3}, b = uint4[2] {255}, c = float4e2m1[1] {15}> ()",
    "y = Op <a = int2[5] {228, 3}, b = uint2[4] {255}, c = int2 {2}> ()",
    "y = Op <a = float6e2m3[5] {0, 1, 31, 32, 63}, b = float6e3m2 {63}> ()",
};

TEST(TextRoundTrip, KeepsCanonicalNodes) {
  for (const std::string_view node : kNodes) EXPECT_EQ(reprinted(model_with(node)), model_with(node));
}

// --- Other ways to write the same

struct Rewritten {
  std::string_view written, canonical;
};

constexpr Rewritten kNodeForms[] = {
    {"y=Op(x)", "y = Op (x)"},
    {"[ ] y = Op ( x , )", "y = Op (x)"},
    {"y, , z = Op (, x)", "y, \"\", z = Op (\"\", x)"},
    {"y = Op (,)", "y = Op (\"\")"},
    {"\"y\" = Op (\"x\")", "y = Op (x)"},
    {"y = Op (x) <a = 1>", "y = Op <a = 1> (x)"},
    {"y = Op <a : int = 1, b : float = 2, c : floats = [1, 2]> (x)", "y = Op <a = 1, b = 2.0, c = [1.0, 2.0]> (x)"},
    {"y = Op <a = [1, 2.5, 3]> ()", "y = Op <a = [1.0, 2.5, 3.0]> ()"},
    {"y = Op <a = 5., b = 1E5, c = 1e-60, d = NaN, e = -Infinity, f = 00012> ()",
     "y = Op <a = 5.0, b = 100000.0, c = 0.0, d = nan, e = -inf, f = 12> ()"},
    {"y = Op <a = \"\\a\\n\\\\\"> ()", "y = Op <a = \"an\\\\\"> ()"},
    {"y = Op <t = float[2] = {1., 2e0}> ()", "y = Op <t = float[2] {1, 2}> ()"},
    {"y = Op <t : tensor = float[2] name = {1, 2}> ()", "y = Op <t = float[2] name {1, 2}> ()"},
    {"y = Op <t = float[2] name> ()", "y = Op <t = float[2] name {}> ()"},
    {"y = Op <t = float[2][\"location\": \"f\"]> ()", "y = Op <t = float[2] = [\"location\": \"f\"]> ()"},
    {"y = Op <t = float[2] \"odd name\" {1, 2}> ()",
     "#@ tensor_names: [\"t\": \"odd name\"]\n  y = Op <t = float[2] {1, 2}> ()"},
    {"= Op () <b = \"odd name\" () => () {}>",
     "= Op () <\n    b =\n      #@ name: \"odd name\"\n      graph () => () {\n      }\n  >"},
    {"= Op () <b: graph = float => () {}>",
     "= Op () <\n    b =\n      #@ name: \"float\"\n      graph () => () {\n      }\n  >"},
    // Elements of small types may be written one by one, and floats as numbers.
    {"y = Op <t = int4[3] {1, -2, 3}> ()", "y = Op <t = int4[3] {225, 3}> ()"},
    {"y = Op <t = int4 {-2}> ()", "y = Op <t = int4 {14}> ()"},
    {"y = Op <t = uint2[5] {0, 1, 2, 3, 1}> ()", "y = Op <t = uint2[5] {228, 1}> ()"},
    {"y = Op <t = float4e2m1[3] {0.5, -6.0, 1.5}> ()", "y = Op <t = float4e2m1[3] {241, 3}> ()"},
    {"y = Op <t = float16[5] {1.0, -0.0, 0.1, inf, nan}> ()",
     "y = Op <t = float16[5] {15360, 32768, 11878, 31744, 32256}> ()"},
    {"y = Op <t = float16[2] {-1, -32768}> ()", "y = Op <t = float16[2] {65535, 32768}> ()"},
    {"y = Op <t = bfloat16[2] {1.0, 3.14}> ()", "y = Op <t = bfloat16[2] {16256, 16457}> ()"},
    // What the official printer writes for unsupported parts, and its mistakes.
    {"y = Op <t = int4[3]...> ()", "y = Op <t = int4[3] {... 3 more}> ()"},
    {"y = Op <a: strings = ], b = 1> ()", "y = Op <a: strings = [], b = 1> ()"},
    {"y = Op <t = float[9] {1, ...}> ()", "y = Op <t = float[9] {1, ... 8 more}> ()"},
};

TEST(TextRoundTrip, PrintsOtherFormsCanonically) {
  for (const auto& [written, canonical] : kNodeForms) EXPECT_EQ(reprinted(model_with(written)), model_with(canonical));
}

constexpr Rewritten kModelForms[] = {
    {"\xef\xbb\xbf# comment\ng=>(){}# comment", "g () => () {\n}\n"},
    {"<ir_version: 8, opset_import: [], metadata_props: []> g () => () {}", "<\n  ir_version: 8\n>\ng () => () {\n}\n"},
    {"g (float[2] w = {1, 2}) => () <> {}", "g (float[2] w) => ()\n<\n  float[2] w = {1, 2}\n>\n{\n}\n"},
    {"g () => () <string[0] s = }> {}", "g () => ()\n<\n  string[0] s = {}\n>\n{\n}\n"},
    {"g () => () <float[1, \"\"] x> {}", "g () => ()\n<\n  float[1, ?] x\n>\n{\n}\n"},
    {"g () => () {} f <a = 1> (float[N] x, y) => (int8 z) <float t> {}",
     "g () => () {\n}\n\nf <a = 1> (x, y) => (z)\n<\n  float[N] x,\n  int8 z,\n  float t\n>\n{\n}\n"},
    // Nodes are sorted.
    {"g () => () { a = A (b) b = B () }", "g () => () {\n  b = B ()\n  a = A (b)\n}\n"},
    {"g () => () { a = A (b) b = B (a) }", "g () => () {\n  a = A (b)\n  b = B (a)\n}\n"},
    {"#@ doc_string: \"d\", metadata_props: [\"a\": \"b\"] # comment\r\ng () => () {}",
     "#@ doc_string: \"d\"\n#@ metadata_props: [\"a\": \"b\"]\ng () => () {\n}\n"},
};

TEST(TextRoundTrip, PrintsOtherModelsCanonically) {
  for (const auto& [written, canonical] : kModelForms) EXPECT_EQ(reprinted(written), canonical);
}

TEST(TextRoundTrip, BreaksLongSignatures) {
  const std::string name(100, 'x');
  const std::string inputs_broken = "g (\n  float[1] " + name + ",\n  float[2] y\n) => (float[3] z) {\n}\n";
  EXPECT_EQ(reprinted("g (float[1] " + name + ", float[2] y) => (float[3] z) {}"), inputs_broken);
  EXPECT_EQ(reprinted(inputs_broken), inputs_broken);
  const std::string outputs_broken = "g () => (\n  float[1] " + name + ",\n  float[2] y\n) {\n}\n";
  EXPECT_EQ(reprinted("g () => (float[1] " + name + ", float[2] y) {}"), outputs_broken);
  EXPECT_EQ(reprinted("g (x) => (float[1] " + name + ", float[2] y) {}"),
            "g (x) => (\n  float[1] " + name + ",\n  float[2] y\n) {\n}\n");
  const std::string longer(120, 'x');
  EXPECT_EQ(reprinted("g (" + longer + ", x) => (float[1] " + longer + ", float[2] y) {}"),
            "g (\n  " + longer + ",\n  x\n) => (\n  float[1] " + longer + ",\n  float[2] y\n) {\n}\n");
}

TEST(TextRoundTrip, ShowsSmallTypesAsValuesWhenAsked) {
  PrintOptions options;
  options.small_types_as_values = true;
  constexpr std::string_view kShown[] = {
      "y = Op <t = float16[7] {1.0, -0.0, 0.1, 65504.0, 6e-08, inf, nan}> ()",
      "y = Op <t = float16[2] {32257, -nan}> ()",  // a nan with a payload stays a bit pattern
      "y = Op <t = bfloat16[3] {3.14, 1e+38, -inf}> ()",
      "y = Op <t = float8e4m3fn[3] {448.0, nan, -0.002}> ()",
      "y = Op <t = float8e5m2fnuz[2] {57344.0, nan}> ()",
      "y = Op <t = float8e8m0[3] {1.0, 6e-39, nan}> ()",
      "y = Op <t = float6e2m3[3] {7.5, -0.125, 0.0}> ()",
      "y = Op <t = float4e2m1[3] {6.0, -0.5, 0.0}> ()",
      "y = Op <a = int4[3] {-8, 7, 0}, b = uint4[2] {15, 0}, c = int2[5] {-2, -1, 0, 1, 0}, d = int4 {-3}> ()",
  };
  for (const std::string_view node : kShown) {
    EXPECT_EQ(reprinted(model_with(node), options), model_with(node));
    EXPECT_EQ(reprinted(reprinted(model_with(node)), options), model_with(node));  // by way of the bit patterns
  }
}

}  // namespace
}  // namespace onnxpress::text
