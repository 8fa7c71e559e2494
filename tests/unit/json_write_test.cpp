// From the encoded model to JSON: protobuf's rules for presence, merging, packing and numbers.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <utility>

#include "onnxpress/base/base64.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/onnx_fields.h"
#include "tests/support/field.h"

namespace onnxpress::format {
namespace {

using namespace fields;
using tests::field;
using tests::float_field;

// A model whose only content is this attribute of a node, this tensor or this type; and the corresponding JSON.
std::string with_attribute(std::string_view attribute) {
  return field(model::kGraph, field(graph::kNode, field(node::kAttribute, attribute)));
}
std::string with_tensor(std::string_view tensor) { return field(model::kGraph, field(graph::kInitializer, tensor)); }
std::string with_type(std::string_view type) {
  return field(model::kGraph, field(graph::kInput, field(value_info::kType, type)));
}
std::string attribute_json(std::string_view inner) {
  return R"({"graph":{"node":[{"attribute":[{)" + std::string(inner) + "}]}]}}";
}
std::string tensor_json(std::string_view inner) {
  return R"({"graph":{"initializer":[{)" + std::string(inner) + "}]}}";
}
std::string type_json(std::string_view inner) {
  return R"({"graph":{"input":[{"type":{)" + std::string(inner) + "}}]}}";
}

std::string compact(std::string_view encoded, JsonLosses* losses = nullptr) {
  return to_json(encoded, {false}, losses);
}

TEST(JsonWrite, FieldsThatArePresentAreWrittenEvenWhenZero) {
  EXPECT_EQ(compact(""), "{}");
  EXPECT_EQ(compact(field(model::kIrVersion, 0) + field(model::kProducerName, "") + field(model::kGraph, "")),
            R"({"irVersion":"0","producerName":"","graph":{}})");
}

TEST(JsonWrite, FieldsComeByRisingNumberWhateverTheFileSays) {
  EXPECT_EQ(compact(field(model::kProducerName, "p") + field(model::kIrVersion, 8)),
            R"({"irVersion":"8","producerName":"p"})");
}

TEST(JsonWrite, PrettyHasOneFieldPerLineAndShortListsInside) {
  const std::string node = field(node::kInput, "a") + field(node::kInput, "b") + field(node::kOpType, "Add");
  EXPECT_EQ(
      to_json(field(model::kIrVersion, 8) + field(model::kGraph, field(graph::kNode, node) + field(graph::kNode, ""))),
      R"({
  "irVersion": "8",
  "graph": {
    "node": [
      {
        "input": ["a", "b"],
        "opType": "Add"
      },
      {}
    ]
  }
}
)");
}

TEST(JsonWrite, OfSeveralScalarsTheLastCounts) {
  EXPECT_EQ(compact(field(model::kIrVersion, 8) + field(model::kIrVersion, 9)), R"({"irVersion":"9"})");
}

TEST(JsonWrite, MessagesThatComeTwiceAreMerged) {
  const std::string first = field(graph::kName, "one") + field(graph::kNode, field(node::kName, "a"));
  const std::string second = field(graph::kNode, field(node::kName, "b")) + field(graph::kName, "two");
  EXPECT_EQ(compact(field(model::kGraph, first) + field(model::kIrVersion, 8) + field(model::kGraph, second)),
            R"({"irVersion":"8","graph":{"node":[{"name":"a"},{"name":"b"}],"name":"two"}})");
}

TEST(JsonWrite, MergingGoesOnInside) {
  const auto input = [](std::string_view type) { return field(sparse_tensor::kValues, type); };
  const std::string sparse = input(field(tensor::kSegment, field(tensor_segment::kBegin, 1))) +
                             input(field(tensor::kSegment, field(tensor_segment::kEnd, 2)));
  EXPECT_EQ(compact(field(model::kGraph, field(graph::kSparseInitializer, sparse))),
            R"({"graph":{"sparseInitializer":[{"values":{"segment":{"begin":"1","end":"2"}}}]}})");
}

TEST(JsonWrite, OfFieldsThatExcludeEachOtherTheLastCounts) {
  const auto dimension = [](std::string_view content) {
    return with_type(field(type::kTensorType, field(type_tensor::kShape, field(shape::kDim, content))));
  };
  const auto json = [](const char* inner) {
    return type_json(R"("tensorType":{"shape":{"dim":[{)" + std::string(inner) + "}]}}");
  };
  EXPECT_EQ(compact(dimension(field(dimension::kDimParam, "N") + field(dimension::kDimValue, 3))),
            json(R"("dimValue":"3")"));
  EXPECT_EQ(compact(dimension(field(dimension::kDimValue, 3) + field(dimension::kDimParam, "N"))),
            json(R"("dimParam":"N")"));
}

TEST(JsonWrite, AChoiceThatWasReplacedIsNotMerged) {
  const std::string element = field(type::kTensorType, field(type_tensor::kElemType, 1));
  const std::string shape = field(type::kTensorType, field(type_tensor::kShape, ""));
  EXPECT_EQ(compact(with_type(element + shape)), type_json(R"("tensorType":{"elemType":1,"shape":{}})"));
  EXPECT_EQ(compact(with_type(element + field(type::kMapType, "") + shape)), type_json(R"("tensorType":{"shape":{}})"));
}

TEST(JsonWrite, PackedAndSingleNumbersAreOneList) {
  const std::string packed_dims("\x01\x02", 2);
  EXPECT_EQ(
      compact(with_tensor(field(tensor::kDims, packed_dims) + field(tensor::kName, "w") + field(tensor::kDims, 3))),
      tensor_json(R"("dims":["1","2","3"],"name":"w")"));
  const std::string packed_floats("\0\0\x80\x3f\0\0\0\x40", 8);
  EXPECT_EQ(compact(with_tensor(field(tensor::kFloatData, packed_floats) + float_field(tensor::kFloatData, 3.5F))),
            tensor_json(R"("floatData":[1,2,3.5])"));
}

TEST(JsonWrite, EmptyPackedListsAreAbsent) {
  EXPECT_EQ(compact(with_tensor(field(tensor::kDims, "") + field(tensor::kFloatData, ""))), tensor_json(""));
}

TEST(JsonWrite, EmptyTextsInAListAreThere) {
  EXPECT_EQ(compact(field(model::kGraph, field(graph::kNode, field(node::kInput, "") + field(node::kInput, "a")))),
            R"({"graph":{"node":[{"input":["","a"]}]}})");
}

TEST(JsonWrite, WholeNumbers) {
  EXPECT_EQ(compact(with_attribute(field(attribute::kI, std::numeric_limits<std::int64_t>::min()))),
            attribute_json(R"("i":"-9223372036854775808")"));
  EXPECT_EQ(compact(with_tensor(field(tensor::kInt32Data, -5))), tensor_json(R"("int32Data":[-5])"));
  EXPECT_EQ(compact(with_tensor(field(tensor::kUint64Data, -1))),
            tensor_json(R"("uint64Data":["18446744073709551615"])"));
}

TEST(JsonWrite, Int32IsTheLow32BitsOfALongerNumber) {
  EXPECT_EQ(compact(with_tensor(field(tensor::kDataType, (std::int64_t{7} << 32) + 1))),
            tensor_json(R"("dataType":1)"));
}

TEST(JsonWrite, EnumsByNameAndUnknownOnesByNumber) {
  EXPECT_EQ(compact(with_attribute(field(attribute::kType, 7))), attribute_json(R"("type":"INTS")"));
  EXPECT_EQ(compact(with_attribute(field(attribute::kType, 99))), attribute_json(R"("type":99)"));
  EXPECT_EQ(compact(with_attribute(field(attribute::kType, -1))), attribute_json(R"("type":-1)"));
}

TEST(JsonWrite, FloatsHaveTheShortestDigitsThatReadBack) {
  using Limits = std::numeric_limits<float>;
  const std::pair<float, const char*> examples[] = {
      {0.0F, "0"},
      {-0.0F, "-0.0"},
      {1.0F, "1"},
      {0.1F, "0.1"},
      {1.0F / 3, "0.33333334"},
      {16777216.0F, "16777216"},
      {1e20F, "1e+20"},
      {Limits::denorm_min(), "1e-45"},
      {Limits::max(), "3.4028234e+38"},  // not ...35, which protobuf's Python reader rejects as too large
      {Limits::lowest(), "-3.4028234e+38"},
      {Limits::quiet_NaN(), "\"NaN\""},
      {Limits::infinity(), "\"Infinity\""},
      {-Limits::infinity(), "\"-Infinity\""}};
  for (const auto& [value, digits] : examples) {
    EXPECT_EQ(compact(with_attribute(float_field(attribute::kF, value))),
              attribute_json("\"f\":" + std::string(digits)));
  }
}

TEST(JsonWrite, NansWithAPayloadAreCounted) {
  JsonLosses losses;
  const auto odd = std::bit_cast<float>(0xffc00001U);
  compact(with_attribute(float_field(attribute::kFloats, odd) +
                         float_field(attribute::kFloats, std::numeric_limits<float>::quiet_NaN())),
          &losses);
  EXPECT_EQ(losses.nan_payloads, 1U);
  EXPECT_EQ(losses.unknown_fields, 0U);
}

TEST(JsonWrite, BytesAreBase64) {
  EXPECT_EQ(compact(with_attribute(field(attribute::kS, "\xff\xfe") + field(attribute::kStrings, "") +
                                   field(attribute::kStrings, "foo"))),
            attribute_json(R"("s":"//4=","strings":["","Zm9v"])"));
}

TEST(JsonWrite, TextsAreEscaped) {
  EXPECT_EQ(compact(field(model::kDocString, "a\"b\\c\n\x01\x7f ü")),
            "{\"docString\":\"a\\\"b\\\\c\\n\\u0001\x7f ü\"}");
}

TEST(JsonWrite, UnknownFieldsAreReported) {
  JsonLosses losses;
  const std::string node = field(node::kName, "n") + field(99, 5) + field(98, "x");
  EXPECT_EQ(compact(field(model::kGraph, field(graph::kNode, "") + field(graph::kNode, node)), &losses),
            R"({"graph":{"node":[{},{"name":"n"}]}})");
  EXPECT_EQ(losses.unknown_fields, 2U);
  EXPECT_EQ(losses.first_unknown_field, "field 99 of $.graph.node[1]");
}

// The message of the Error that `act` throws, or "no error".
template <typename Act>
std::string error_of(Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonWrite, TextThatIsNotUtf8IsAnError) {
  EXPECT_EQ(
      error_of([] {
        compact(field(model::kGraph, field(graph::kNode, field(node::kOutput, "a") + field(node::kOutput, "\xff"))));
      }),
      "$.graph.node[0].output[1]: the text is not valid UTF-8, so JSON cannot represent it");
}

TEST(JsonWrite, DamageIsAnErrorWithItsOffset) {
  const std::string whole = with_attribute(field(attribute::kName, "alpha"));
  EXPECT_EQ(error_of([&] { compact(whole.substr(0, whole.size() - 1)); }).substr(0, 8), "at 0x0: ");
  EXPECT_EQ(error_of([] { compact(field(model::kIrVersion, 1) + field(model::kGraph, field(graph::kName, 7))); }),
            "at 0x4: field 2 has wire type 0, expected 2");
}

std::string nested_graphs(std::size_t depth) {
  std::string graph;
  for (std::size_t i = 1; i < depth; ++i) {
    graph = field(graph::kNode, field(node::kAttribute, field(attribute::kG, graph)));
  }
  return field(model::kGraph, graph);
}

TEST(JsonWrite, DepthIsLimited) {
  // Five levels of JSON per graph: node [ { attribute [ { g {.
  constexpr std::size_t kDeepest = (kMaxJsonDepth - 2) / 5 + 1;
  EXPECT_NO_THROW(compact(nested_graphs(kDeepest)));
  const std::string message = error_of([] { compact(nested_graphs(kDeepest + 1)); });
  EXPECT_NE(message.find("objects and lists are nested deeper than 500"), std::string::npos) << message;
  EXPECT_THROW(compact(nested_graphs(3000)), Error);
}

TEST(JsonWrite, WeightsGoThroughInSmallPieces) {
  std::string weights(1'000'003, '\0');
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<char>(i * 7 + i / 256);
  std::string json;
  std::size_t largest = 0;
  write_json(with_tensor(field(tensor::kRawData, weights)), {false}, [&](std::string_view piece) {
    json += piece;
    largest = std::max(largest, piece.size());
  });
  std::string base64;
  append_base64(base64, weights);
  EXPECT_EQ(json, tensor_json("\"rawData\":\"" + base64 + "\""));
  EXPECT_LE(largest, std::size_t{256} << 10);
}

TEST(JsonWrite, AnErrorOfTheSinkComesThrough) {
  EXPECT_THROW(write_json("", {}, [](std::string_view) { throw Error("", "disk full"); }), Error);
}

}  // namespace
}  // namespace onnxpress::format
