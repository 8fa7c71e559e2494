// From JSON to the encoded model: all spellings that protobuf allows, and exact locations in error messages.
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"
#include "tests/support/random_message.h"

namespace onnxpress::format {
namespace {

// `json` read and written again in the canonical compact form, or the error.
std::string canonical(std::string_view json) {
  try {
    return to_json(from_json(json), {false});
  } catch (const Error& error) {
    return error.what();
  }
}

std::string attribute(std::string_view inner) {
  return R"({"graph":{"node":[{"attribute":[{)" + std::string(inner) + "}]}]}}";
}
std::string tensor(std::string_view inner) { return R"({"graph":{"initializer":[{)" + std::string(inner) + "}]}}"; }

constexpr std::string_view kAttribute = "$.graph.node[0].attribute[0]";
constexpr std::string_view kTensor = "$.graph.initializer[0]";

TEST(JsonRead, WritesWireFormat) {
  std::string opset;
  append_bytes(opset, fields::opset::kDomain, "");
  append_int(opset, fields::opset::kVersion, 21);
  std::string tensor;
  append_int(tensor, fields::tensor::kDims, 2);  // not packed, as in onnx.proto
  append_int(tensor, fields::tensor::kDims, -1);
  append_bytes(tensor, fields::tensor::kInt32Data, std::string_view("\x01\x02", 2));  // packed
  std::string graph, model;
  append_bytes(graph, fields::graph::kInitializer, tensor);
  append_int(model, fields::model::kIrVersion, 10);
  append_bytes(model, fields::model::kGraph, graph);
  append_bytes(model, fields::model::kOpsetImport, opset);
  EXPECT_EQ(from_json(R"({"irVersion": "10", "graph": {"initializer": [{"dims": ["2", -1], "int32Data": [1, 2]}]},
                          "opsetImport": [{"domain": "", "version": 21}]})"),
            model);
}

TEST(JsonRead, AcceptsAllSpellings) {
  const std::pair<std::string, std::string> examples[] = {
      {" {} ", "{}"},
      {"\xef\xbb\xbf{}", "{}"},
      {R"({"ir_version": 3, "docString": "d"})", R"({"irVersion":"3","docString":"d"})"},
      {R"({"graph": null, "opsetImport": null})", "{}"},
      {R"({"graph": {}, "opsetImport": []})", R"({"graph":{}})"},
      {R"({"docString": "\u00fc\ud83d\ude42\/"})", R"({"docString":"ü🙂/"})"},
      {attribute(R"("i": 5)"), attribute(R"("i":"5")")},
      {attribute(R"("i": 5.0)"), attribute(R"("i":"5")")},
      {attribute(R"("i": -1e3)"), attribute(R"("i":"-1000")")},
      {attribute(R"("i": "1e3")"), attribute(R"("i":"1000")")},
      {attribute(R"("i": -0)"), attribute(R"("i":"0")")},
      {attribute(R"("i": -9223372036854775808)"), attribute(R"("i":"-9223372036854775808")")},
      {attribute(R"("type": 7)"), attribute(R"("type":"INTS")")},
      {attribute(R"("type": "7")"), attribute(R"("type":"INTS")")},
      {attribute(R"("type": "INTS")"), attribute(R"("type":"INTS")")},
      {attribute(R"("type": 99)"), attribute(R"("type":99)")},
      {attribute(R"("type": -1)"), attribute(R"("type":-1)")},
      {attribute(R"("f": "1.5")"), attribute(R"("f":1.5)")},
      {attribute(R"("f": 7)"), attribute(R"("f":7)")},
      {attribute(R"("f": -0)"), attribute(R"("f":-0.0)")},
      {attribute(R"("f": -0.0)"), attribute(R"("f":-0.0)")},
      {attribute(R"("f": 1e-300)"), attribute(R"("f":0)")},
      {attribute(R"("f": 1e-45)"), attribute(R"("f":1e-45)")},
      {attribute(R"("f": 3.4028235e38)"), attribute(R"("f":3.4028234e+38)")},
      {attribute(R"("floats": ["NaN", "Infinity", "-Infinity", 1])"),
       attribute(R"("floats":["NaN","Infinity","-Infinity",1])")},
      {attribute(R"("s": "-_8")"), attribute(R"("s":"+/8=")")},
      {tensor(R"("uint64Data": [18446744073709551615, "1"])"), tensor(R"("uint64Data":["18446744073709551615","1"])")},
      {tensor(R"("doubleData": [0.1, 1e308, 12345678901234567890])"),
       tensor(R"("doubleData":[0.1,1e+308,12345678901234567168])")},
      {tensor(R"("dataLocation": "EXTERNAL", "raw_data": "")"), tensor(R"("rawData":"","dataLocation":"EXTERNAL")")},
  };
  for (const auto& [json, expected] : examples) EXPECT_EQ(canonical(json), expected) << json;
}

TEST(JsonRead, FloatsAreNotRoundedTwice) {
  // Just above the middle between two floats: as a double it is exactly the middle, which would round to even, 1.
  EXPECT_EQ(canonical(attribute(R"("f": 1.00000005960464477540)")), attribute(R"("f":1.0000001)"));
}

TEST(JsonRead, ErrorsSayWhere) {
  const auto at = [](std::string_view place, std::string_view message) {
    return std::string(place) + std::string(message);
  };
  const std::pair<std::string, std::string> examples[] = {
      {"", "line 1, column 1: not JSON: unexpected end of input; expected '[', '{', or a literal; last read: ''"},
      {"[]", "$: expected an object, the model, found a list"},
      {"7", "$: expected an object, the model, found 7"},
      {"null", "$: expected an object, the model, found null"},
      {"{", "line 1, column 2: not JSON: unexpected end of input; expected string literal; last read: '{'"},
      {"{}x", "line 1, column 3: not JSON: invalid literal; last read: '{}x'"},
      {R"({"nodes": []})", "$: ModelProto has no field 'nodes'"},
      {R"({"graph": {"node": [{}, {"optype": ""}]}})", "$.graph.node[1]: NodeProto has no field 'optype'"},
      {R"({"irVersion": 1, "ir_version": 2})", "$.irVersion: the field occurs twice"},
      {R"({"graph": 5})", "$.graph: expected an object, found 5"},
      {R"({"graph": []})", "$.graph: expected an object, found a list"},
      {R"({"graph": {"node": {}}})", "$.graph.node: expected a list, found an object"},
      {R"({"graph": {"node": [[]]}})", "$.graph.node[0]: expected an object, found a list"},
      {R"({"graph": {"node": [{}, null]}})", "$.graph.node[1]: expected an object, found null"},
      {R"({"graph": {"node": [{"input": "x"}]}})", "$.graph.node[0].input: expected a list, found 'x'"},
      {R"({"docString": {}})", "$.docString: expected a text, found an object"},
      {R"({"docString": 5})", "$.docString: expected a text, found 5"},
      {R"({"docString": true})", "$.docString: expected a text, found true"},
      {attribute(R"("i": 1.5)"),
       at(kAttribute, ".i: expected a whole number from -9223372036854775808 to 9223372036854775807, found 1.5")},
      {attribute(R"("i": "x")"),
       at(kAttribute, ".i: expected a whole number from -9223372036854775808 to 9223372036854775807, found 'x'")},
      {attribute(R"("i": true)"),
       at(kAttribute, ".i: expected a whole number from -9223372036854775808 to 9223372036854775807, found true")},
      {attribute(R"("ints": ["1", "9223372036854775808"])"),
       at(kAttribute,
          ".ints[1]: expected a whole number from -9223372036854775808 to 9223372036854775807, found "
          "'9223372036854775808'")},
      {attribute(R"("ints": [9223372036854775808])"), at(kAttribute,
                                                         ".ints[0]: expected a whole number from -9223372036854775808 "
                                                         "to 9223372036854775807, found 9223372036854775808")},
      {attribute(R"("ints": [1e19])"),
       at(kAttribute,
          ".ints[0]: expected a whole number from -9223372036854775808 to 9223372036854775807, found 1e19")},
      {tensor(R"("dataType": 2147483648)"),
       at(kTensor, ".dataType: expected a whole number from -2147483648 to 2147483647, found 2147483648")},
      {tensor(R"("uint64Data": [-1])"),
       at(kTensor, ".uint64Data[0]: expected a whole number from 0 to 18446744073709551615, found -1")},
      {attribute(R"("type": "INTEGERS")"),
       at(kAttribute, ".type: expected a name or number of the enum, found 'INTEGERS'")},
      {attribute(R"("f": 1e39)"), at(kAttribute, ".f: expected a number that fits in a float, found 1e39")},
      {attribute(R"("f": "inf")"), at(kAttribute, ".f: expected a number that fits in a float, found 'inf'")},
      {attribute(R"("f": " 1")"), at(kAttribute, ".f: expected a number that fits in a float, found ' 1'")},
      {tensor(R"("doubleData": [1, 1e999])"), at(kTensor, ".doubleData[1]: number '1e999' is too large")},
      {tensor(R"("rawData": "a b=")"), at(kTensor, ".rawData: expected a text in base64, found 'a b='")},
      {tensor(R"("rawData": "abcde")"), at(kTensor, ".rawData: 5 characters cannot be base64")},
      {R"({"graph": {"input": [{"type": {"tensorType": {"shape": {"dim": [{"dimValue": 1, "dimParam": "N"}]}}}}]}})",
       "$.graph.input[0].type.tensorType.shape.dim[0].dimParam: this field and 'dimValue' exclude each other"},
      {"{\"docString\": \"\xff\"}",
       "line 1, column 16: not JSON: invalid string: ill-formed UTF-8 byte; last read: '\"\\xff'"},
      {R"({"docString": "\ud800"})",
       "line 1, column 22: not JSON: invalid string: surrogate U+D800..U+DBFF must be followed "
       "by U+DC00..U+DFFF; last read: '\"\\\\ud800\"'"},
      {"{\n  \"irVersion\": 1,\n}",
       "line 3, column 1: not JSON: unexpected '}'; expected string literal; last read: '1,<U+000A>}'"},
  };
  for (const auto& [json, expected] : examples) EXPECT_EQ(canonical(json), expected) << json;
}

TEST(JsonRead, NullIsAbsentAlsoForAChoice) {
  EXPECT_EQ(canonical(R"({"graph": {"input": [{"type": {"tensorType": null, "sequenceType": {}}}]}})"),
            R"({"graph":{"input":[{"type":{"sequenceType":{}}}]}})");
}

TEST(JsonRead, LongTokensAreNotEchoed) {
  const std::string message = canonical(R"({"docString": "a", )" + std::string(100'000, 'x'));
  EXPECT_LT(message.size(), 500U);
  EXPECT_LT(canonical(tensor("\"rawData\": \"" + std::string(100'000, '?') + "\"")).size(), 500U);
  EXPECT_LT(canonical(attribute("\"i\": 1." + std::string(100'000, '1'))).size(), 500U);
}

TEST(JsonRead, DepthIsLimited) {
  const auto nested = [](std::size_t graphs) {
    std::string json = R"({"graph":)";
    for (std::size_t i = 1; i < graphs; ++i) json += R"({"node":[{"attribute":[{"g":)";
    json += "{}";
    for (std::size_t i = 1; i < graphs; ++i) json += "}]}]}";
    return json + "}";
  };
  constexpr std::size_t kDeepest = (kMaxJsonDepth - 2) / 5 + 1;
  EXPECT_EQ(canonical(nested(kDeepest)), nested(kDeepest));
  EXPECT_NE(canonical(nested(kDeepest + 1)).find("nested deeper than 500"), std::string::npos);
  EXPECT_EQ(
      canonical(nested(100'000)),
      "$.graph.node[0].attribute[0].g.node[0].attribute[0].g.node[0].attribute[0].g.node[0].attribute[0]"
      "...(276 steps)...g.node[0].attribute[0].g.node[0].attribute[0].g.node[0].attribute[0].g.node[0].attribute[0]: "
      "objects and lists are nested deeper than 500");
  EXPECT_EQ(canonical(std::string(1'000'000, '[')), "$: expected an object, the model, found a list");
}

TEST(JsonRead, EveryFieldOfEveryMessageComesBackByteForByte) {
  std::mt19937 random(42);
  std::size_t bytes = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string model = tests::random_message(MessageIndex::kModel, random, 200);
    JsonLosses losses;
    EXPECT_EQ(from_json(to_json(model, {i % 2 == 0}, &losses)), model);
    EXPECT_EQ(losses.unknown_fields + losses.nan_payloads, 0U);
    bytes += model.size();
  }
  EXPECT_GT(bytes, 500'000U);
}

}  // namespace
}  // namespace onnxpress::format
