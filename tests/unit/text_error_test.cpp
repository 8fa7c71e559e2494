// Messages of the parser about wrong texts: where, what, and what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "onnxpress/base/error.h"
#include "onnxpress/text/limits.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::text {
namespace {

// "1:5: message", without the excerpt, and " (hint)" if there is one.
std::string complaint(std::string_view text) {
  try {
    parse_model(text);
  } catch (const Error& error) {
    const std::string message = error.message().substr(0, error.message().find('\n'));
    return fmt::format("{}: {}{}", error.where(), message, error.hint().empty() ? "" : " (" + error.hint() + ")");
  }
  return "no error";
}

struct Wrong {
  std::string_view text, complaint;
};

TEST(TextErrors, ShowTheLineWithACaret) {
  try {
    parse_model("# a model\n\nmain (float[N] x) -> (float[N] y) {}\n", "dir/model.onnxtxt");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "dir/model.onnxtxt: 3:19: expected '=>' after the graph's inputs\n"
                 "    3 | main (float[N] x) -> (float[N] y) {}\n"
                 "      |                   ^");
    EXPECT_EQ(error.hint(), "the arrow is written with two lines: =>");
  }
}

TEST(TextErrors, ShowPartOfALongLine) {
  const std::string text = "g () => () { " + std::string(500, 'y') + " = Op (x " + std::string(100, 'z') + ") }";
  try {
    parse_model(text);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "1:523");
    EXPECT_EQ(error.message(), "expected ')' after the inputs of 'Op'\n    1 | ..." + std::string(71, 'y') +
                                   " = Op (x " + std::string(40, 'z') + "...\n      | " + std::string(83, ' ') + "^");
  }
}

TEST(TextErrors, CountCharactersAndHideControlCharacters) {
  try {
    parse_model("g (float[\"\xc3\xbc\xe5\x90\x8d\t\x1b\xff\"] !");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "1:19");
    EXPECT_EQ(error.message(),
              "expected the name of a graph input after its type\n"
              "    1 | g (float[\"\xc3\xbc\xe5\x90\x8d  ?\"] !\n"
              "      |                    ^")
        << "one character is two columns wide";
  }
}

constexpr Wrong kWrong[] = {
    {"", "1:1: expected a graph: its name, inputs, '=>', outputs and nodes"},
    {"\n\n  # nothing", "3:12: expected a graph: its name, inputs, '=>', outputs and nodes"},
    // Header
    {"<>", "1:2: expected a key of the model's header, such as ir_version"},
    {"<ir_version 8>", "1:13: expected ':' after 'ir_version'"},
    {"<ir_version: 8.5>", "1:14: expected an integer of at most 64 bits"},
    {"<ir_version: 99999999999999999999>", "1:14: expected an integer of at most 64 bits"},
    {"<ir_version: 8, ir_version: 9>", "1:17: 'ir_version' is given twice"},
    {"<irversion: 8>",
     "1:2: a model's header has no 'irversion' (known: ir_version, opset_import, producer_name, producer_version, "
     "domain, "
     "model_version, doc_string, metadata_props)"},
    {"<opset_import: {}>", "1:16: expected '[' to begin the opset imports"},
    {"<opset_import: [ai.onnx : 1]>", "1:17: expected the domain of an opset, a string"},
    {"<producer_name: 'x'>", "1:17: expected a string (strings are written with double quotes)"},
    {"<producer_name: \"x>", "1:17: this string has no end (a '\"' inside a string is written \\\")"},
    {"<producer_name: \"x\\", "1:17: this string has no end (a '\"' inside a string is written \\\")"},
    {"<metadata_props: [\"a\" = \"b\"]>", "1:23: expected ':' after the key"},
    {"<ir_version: 8 g", "1:16: expected '>' after the model's header"},
    // Graphs
    {"g", "1:2: expected '=>' after the graph's inputs"},
    {"g () => {}", "1:9: expected '(' to begin the graph's outputs"},
    {"g () => () ", "1:12: expected '{' to begin the nodes"},
    {"g () => () { a = A () ", "1:12: the list of nodes that begins here has no closing '}'"},
    {"g (float[N x) => () {}", "1:12: expected ']' after the dimensions"},
    {"g (float[2.5] x) => () {}", "1:10: a dimension must be an integer of at most 62 bits"},
    {"g (float[4611686018427387904] x) => () {}", "1:10: a dimension must be an integer of at most 62 bits"},
    {"g (float[*] x) => () {}", "1:10: expected a dimension: a size, a name or '?'"},
    {"g (float32[2] x) => () {}", "1:4: unknown type 'float32' ('float32' is written 'float')"},
    {"g (tensr x) => () {}",
     "1:4: unknown type 'tensr' (types are float, int64, string, ... or seq(), map(), optional(), sparse_tensor(), "
     "opaque())"},
    {"g (seq(int) x) => () {}", "1:8: unknown type 'int' ('int' is written 'int64')"},
    {"g (map(seq(float), float) x) => () {}",
     "1:8: unknown type 'seq' (types are float, int64, string, ... or seq(), map(), optional(), sparse_tensor(), "
     "opaque())"},
    {"g (seq float x) => () {}", "1:8: expected '(' after 'seq'"},
    {"g (float[2] \"\") => () {}", "1:13: a graph input needs a name that is not empty"},
    {"g (float[2] x y) => () {}", "1:15: expected ')' after the graph's inputs"},
    {"g (x = {1}) => () {}", "1:4: initializer 'x' needs a type"},
    {"g () => () <float[2] w => {}",
     "1:25: expected the value of initializer 'w' (a value is written {1, 2, 3}, or [\"location\": \"file\"] for "
     "external data)"},
    {"g () => () <float[2] w {}", "1:24: expected '>' after the graph's initializers and values"},
    // Nodes
    {"g () => () { Relu (x) }", "1:19: expected '=' after the node's outputs"},
    {"g () => () { (x) }", "1:14: expected '=' and an operator, or '}' after the last node"},
    {"g () => () { y = (x) }", "1:18: expected an operator"},
    {"g () => () { y = a. (x) }", "1:21: expected an operator after the domain"},
    {"g () => () { y = \"\" () }", "1:18: an operator needs a name that is not empty"},
    {"g () => () { y = Op <a = 1 (x) }", "1:28: expected '>' after the attributes"},
    {"g () => () { y = Op x }", "1:21: expected '(' and the inputs of 'Op'"},
    {"g () => () { [n y = Op () }", "1:17: expected ']' after the node's name"},
    {"g () => () { y = Op <> () }", "1:22: expected the name of an attribute"},
    {"g () => () { y = Op <a> () }", "1:23: expected '=' and the value of attribute 'a'"},
    // Attributes
    {"g () => () { y = Op <a = > () }", "1:26: expected a value: a number, a string, a tensor, a type or a graph"},
    {"g () => () { y = Op <a: integer = 1> () }",
     "1:25: unknown attribute type 'integer' (known: float, int, string, tensor, graph, floats, ints, strings, "
     "tensors, graphs, "
     "sparse_tensor, sparse_tensors, type_proto, type_protos)"},
    {"g () => () { y = Op <a: int = 1.5> () }",
     "1:31: attribute 'a' is declared int, but this is a value of type float"},
    {"g () => () { y = Op <a: ints = 1> () }",
     "1:32: attribute 'a' is declared ints, but this is one value (lists are written in brackets: [1, 2])"},
    {"g () => () { y = Op <a: int = [1]> () }", "1:32: attribute 'a' is declared int, but this is a list"},
    {"g () => () { y = Op <a = []> () }",
     "1:27: the empty list of attribute 'a' needs a type (write, for example, a: ints = [])"},
    {"g () => () { y = Op <a = [1, \"b\"]> () }",
     "1:30: attribute 'a' is a list of int, but this item is of type string"},
    {"g () => () { y = Op <a: ints = [1, 2.5]> () }",
     "1:36: attribute 'a' is a list of int, but this item is of type float"},
    {"g () => () { y = Op <a = [1 2]> () }", "1:29: expected ']' after the list"},
    {"g () => () { y = Op <a = [@b]> () }", "1:27: expected a value: a number, a string, a tensor, a type or a graph"},
    {"g () => () { y = Op <a = 9223372036854775808> () }", "1:26: this number does not fit in 64 bits"},
    {"g () => () { y = Op <a = 1e39> () }", "1:26: this number is too large for a float"},
    {"g () => () { y = Op <a = nan(0x0)> () }", "1:26: this number is too large for a float"},
    {"g () => () { y = Op <a = nan(0x7fc00001> () }", "1:40: expected ')' after the bits of the nan"},
    {"g () => () { y = Op <a = - 1> () }", "1:26: expected a number"},
    {"g () => () { y = Op <a = -x> () }", "1:26: expected a number"},
    {"g () => () { y = Op <a = 1e> () }", "1:28: expected the digits of the exponent"},
    {"g () => () { y = Op <a = .5> () }", "1:26: expected a value: a number, a string, a tensor, a type or a graph"},
    {"g () => () { y = Op <a = @> () }", "1:27: expected the name of an attribute of the function"},
    // Tensors
    {"g () => () <float[2] w = {1}> {}", "1:26: float[2] has 2 elements, but 1 is given"},
    {"g () => () <float[2] w = {1, 2, 3}> {}", "1:26: float[2] has 2 elements, but 3 are given"},
    {"g () => () <float[2] w = {1, 2> {}", "1:31: expected '}' after the tensor's elements"},
    {"g () => () <float[2] w = {1, }> {}", "1:30: expected a number"},
    {"g () => () <float[N] w = {1}> {}", "1:13: a tensor's value needs sizes, but it has dimension 'N'"},
    {"g () => () <float[] w = {1}> {}",
     "1:13: a tensor's value needs a shape (a scalar is written without brackets, as in: float {1})"},
    {"g () => () <seq(float) w = {1}> {}", "1:13: only tensors can have a value"},
    {"g () => () <float[-1] w = {1}> {}", "1:27: a tensor of shape [-1] cannot have elements"},
    {"g () => () <undefined[1] w = {1}> {}", "1:30: a tensor without an element type can have no elements"},
    {"g () => () <int8[1] w = {128}> {}", "1:26: this number does not fit in int8, which goes from -128 to 127"},
    {"g () => () <uint8[1] w = {-1}> {}", "1:27: this number does not fit in uint8, which goes from 0 to 255"},
    {"g () => () <uint64[1] w = {-1}> {}", "1:28: this number does not fit in uint64"},
    {"g () => () <uint64[1] w = {18446744073709551616}> {}", "1:28: this number does not fit in uint64"},
    {"g () => () <int64[1] w = {1.5}> {}", "1:27: an element of type int64 must be an integer"},
    {"g () => () <float[1] w = {1e39}> {}", "1:27: this number is too large for a float"},
    {"g () => () <float[1] w = {\"a\"}> {}", "1:27: expected a number"},
    {"g () => () <double[1] w = {1e309}> {}", "1:28: this number is too large for a double"},
    {"g () => () <complex64[1] w = {1}> {}", "1:30: a complex element takes two numbers, real and imaginary"},
    {"g () => () <float16[1] w = {65536}> {}",
     "1:29: this number does not fit in float16, which goes from -32768 to 65535"},
    {"g () => () <float16[1] w = {65520.0}> {}", "1:29: float16 cannot represent this number"},
    {"g () => () <float4e2m1[1] w = {nan}> {}", "1:32: float4e2m1 cannot represent this number"},
    {"g () => () <int4[3] w = {1, 2, 8}> {}", "1:25: 8 does not fit in int4"},
    {"g () => () <int4[3] w = {256, 1}> {}", "1:26: this number does not fit in int4, which goes from -128 to 255"},
    {"g () => () <int4[4] w = {1, 2, 3}> {}", "1:25: int4[4] has 4 elements, but 3 are given"},
    {"g () => () <string[1] w = {\"a\", \"b\"}> {}", "1:27: string[1] has 1 elements, but 2 are given"},
    {"g () => () <string[1] w = {1}> {}", "1:28: expected a string"},
    {"g () => () <float w = [\"offset\": \"0\"]> {}",
     "1:23: external data needs a location (write, for example, [\"location\": \"weights.bin\"])"},
    {"g () => () <float w = [\"location\": \"f\", \"offset\": \"-1\"]> {}",
     "1:23: the offset of external data is '-1', which is not a whole number of bytes"},
    {"g () => () <float w = [\"location\": \"f\", \"length\": \"9223372036854775808\"]> {}",
     "1:23: the length of external data is '9223372036854775808', which is not a whole number of bytes"},
    // Elided tensors
    {"g () => () <float[9] w = {1, 2, ... 6 more}> {}",
     "1:37: 7 elements are left out, which is not the number given here"},
    {"g () => () <float[1] w = {1, 2, ...}> {}", "1:36: 2 elements are shown of 1"},
    {"g () => () <float[9] w = {... 9 less}> {}",
     "1:33: expected 'more' after the number of elements that are left out"},
    {"g () => () <float[9] w = {... 9 more, xxh3 12}> {}",
     "1:31: the hash of an elided tensor has 16 hexadecimal digits"},
    {"g () => () <float[9] w = {1, ... 8 more, 2}> {}", "1:42: expected 'xxh3' and the hash of an elided tensor"},
    {"g () => () <int4[9] w = {1, ...}> {}",
     "1:25: an elided tensor of type int4 cannot show any of its elements (write {...})"},
    {"g () => () <float[1099511627776] w = {...}> {}", "1:42: a tensor of type float[1099511627776] cannot be elided"},
    {"g () => () <float[9999999999, 9999999999] w = {...}> {}",
     "1:51: a tensor of type float[9999999999,9999999999] cannot be elided"},
    // Sparse tensors
    {"g () => () <sparse_tensor(float[2]) w = {1, 2}> {}", "1:42: expected the values of the sparse tensor, a tensor"},
    {"g () => () <sparse_tensor(float[2]) w = {int8 {1}, int64 {1}}> {}",
     "1:42: the values are int8, but the sparse tensor is float"},
    {"g () => () <sparse_tensor(float[N]) w = {float {1}, int64 {1}}> {}",
     "1:13: a tensor's value needs sizes, but it has dimension 'N'"},
    // Functions
    {"g () => () {} f", "1:16: expected '(' to begin the function inputs"},
    {"g () => () {} f () {}", "1:20: expected '=>' after the function's inputs"},
    {"g () => () {} <ir_version: 1> f () => () {}",
     "1:16: a function's header has no 'ir_version' (known: domain, overload, opset_import, doc_string)"},
    {"g () => () {} }", "1:15: expected a function, or the end of the text"},
    // Annotations
    {"#@ author: \"me\"\ng () => () {}",
     "1:4: the main graph has no annotation 'author' (known: doc_string, metadata_props, quantization_annotation, "
     "configuration)"},
    {"#@ doc_string \"me\"\ng () => () {}", "1:15: expected ':' after the annotation's name"},
    {"#@ doc_string: \"two\nlines\"\ng () => () {}",
     "1:16: this string has no end (a '\"' inside a string is written \\\")"},
    {"#@ doc_string: \"a\" \"b\"\ng () => () {}", "1:20: expected the end of the line after an annotation"},
    {"#@\ng () => () {}", "1:3: expected an annotation after '#@'"},
    {"g () #@ doc_string: \"a\"\n => () {}", "1:6: expected '=>' after the graph's inputs"},
    {"g (\n#@ denotation: \"a\"\nx) => () {}", "2:1: a denotation is given for something without a type"},
    {"g (\n#@ dim_denotations: [\"a\"]\nfloat[2, 3] x) => () {}", "2:1: 1 denotations are given for 2 dimensions"},
    {"g () => () <\n#@ denotation: \"a\"\nfloat w = {1}> {}", "2:1: an initializer has no denotations"},
    {"g () => () {\n#@ tensor_names: [\"a\": \"b\"]\ny = Op <a = 1> () }",
     "2:1: the node has no attribute 'a' with a tensor that has no name yet"},
    {"g () => () {\n#@ device_configurations: [\"0g\"]\ny = Op () }",
     "2:28: an encoded message must be pairs of the digits 0-9 and a-f"},
};

TEST(TextErrors, SayWhereAndWhat) {
  for (const auto& [text, expected] : kWrong) EXPECT_EQ(complaint(text), expected) << text;
}

// --- Limits

std::string repeated(std::string_view piece, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += piece;
  return all;
}

std::string nested_graphs(std::size_t depth) {
  return "g () => () {" + repeated("y = If () <b = g () => () {", depth - 1) + repeated("}>", depth - 1) + "}";
}

TEST(TextErrors, LimitTheDepthOfGraphs) {
  EXPECT_EQ(complaint(nested_graphs(kMaxGraphDepth)), "no error");
  EXPECT_EQ(complaint(nested_graphs(kMaxGraphDepth + 1)), "1:1731: graphs are nested more than 64 deep");
  EXPECT_NE(complaint(repeated("g () => () {y = If () <b = ", 100'000)), "no error");
}

TEST(TextErrors, LimitTheDepthOfTypes) {
  const auto nested = [](std::size_t depth) {
    return "g (" + repeated("seq(", depth - 1) + "float" + repeated(")", depth - 1) + " x) => () {}";
  };
  EXPECT_EQ(complaint(nested(kMaxTypeDepth)), "no error");
  EXPECT_EQ(complaint(nested(kMaxTypeDepth + 1)), "1:260: types are nested more than 64 deep");
  EXPECT_NE(complaint("g (" + repeated("optional(", 100'000)), "no error");
}

TEST(TextErrors, LimitTheRank) {
  const auto ranked = [](std::size_t rank) { return "g (float[" + repeated("1,", rank - 1) + "1] x) => () {}"; };
  EXPECT_EQ(complaint(ranked(kMaxRank)), "no error");
  EXPECT_EQ(complaint(ranked(kMaxRank + 1)), "1:2058: a shape has more than 1024 dimensions");
}

// Each of these would take minutes if anything took more than linear time.
TEST(TextErrors, TakeLinearTime) {
  constexpr std::size_t kMany = 20'000;
  const std::string bodies = repeated("g () => () {y = A (outer)},", kMany);
  EXPECT_EQ(complaint("g () => () {y = A () <b = [" + bodies + "g () => () {}]> }"), "no error");
  EXPECT_EQ(complaint("g () => () {}" + repeated(" f (x) => (x) {}", kMany)), "no error");
  EXPECT_EQ(complaint("g () => () {" + repeated("a = A (a) ", kMany) + "}"), "no error");
  EXPECT_EQ(complaint("g () => () {a = A (" + repeated("x,", kMany) + ")}"), "no error");
  EXPECT_EQ(complaint("g () => () {a = A <" + repeated("a = 1,", kMany) + "a = 1> ()}"), "no error");
  EXPECT_EQ(complaint("g () => () {a = A <a = \"" + repeated("\\\"", kMany) + "\"> ()}"), "no error");
  EXPECT_EQ(complaint("g () => () {a = A <a = " + repeated("1", kMany) + ".0> ()}"),
            "1:24: this number is too large for a float");
}

}  // namespace
}  // namespace onnxpress::text
