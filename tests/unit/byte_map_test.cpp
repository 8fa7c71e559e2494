// The byte map: each byte is in one category, whatever the file contains.
#include "onnxpress/format/byte_map.h"

#include <gtest/gtest.h>

#include <random>

#include "onnxpress/base/error.h"
#include "onnxpress/format/onnx_fields.h"
#include "tests/support/field.h"
#include "tests/support/random_message.h"

namespace onnxpress::format {
namespace {

using namespace fields;
using tests::field;
using Category = ByteCategory;

std::string entry(std::string_view key, std::string_view value) {
  return field(entry::kKey, key) + field(entry::kValue, value);
}

// The counts of a model with this graph, without the two or three bytes of structure around the graph.
ByteMap of_graph(const std::string& graph) {
  const std::string model = field(model::kGraph, graph);
  ByteMap map = map_bytes(model);
  EXPECT_EQ(map.total(), model.size());
  map[Category::kStructure] -= model.size() - graph.size();
  return map;
}

TEST(ByteMap, EmptyFile) { EXPECT_EQ(map_bytes("").total(), 0U); }

TEST(ByteMap, EveryCategoryHasAName) {
  for (std::size_t i = 0; i < kByteCategoryCount; ++i) EXPECT_FALSE(name_of(static_cast<Category>(i)).empty());
  EXPECT_EQ(name_of(Category::kUnknown), "unknown fields");
}

TEST(ByteMap, Model) {
  const std::string model =
      field(model::kIrVersion, 300) + field(model::kProducerName, "maker") + field(model::kDocString, "about") +
      field(model::kOpsetImport, field(opset::kVersion, 21)) + field(model::kMetadataProps, entry("k", "v")) +
      field(model::kTrainingInfo, field(training::kAlgorithm, "")) + field(model::kConfiguration, "abc") + field(99, 7);
  const ByteMap map = map_bytes(model);
  EXPECT_EQ(map[Category::kMetadata], 2U + 5 + 6);
  EXPECT_EQ(map[Category::kDocStrings], 5U);
  EXPECT_EQ(map[Category::kOpsetImports], 2U);
  EXPECT_EQ(map[Category::kTraining], 2U);
  EXPECT_EQ(map[Category::kDevices], 3U);
  EXPECT_EQ(map[Category::kUnknown], 3U);
  EXPECT_EQ(map[Category::kStructure], 1U + 2 + 2 + 2 + 2 + 3 + 3);
  EXPECT_EQ(map.total(), model.size());
}

TEST(ByteMap, Node) {
  const ByteMap map = of_graph(
      field(graph::kName, "main") +
      field(graph::kNode, field(node::kInput, "x") + field(node::kOutput, "yy") + field(node::kName, "conv1") +
                              field(node::kOpType, "Conv") + field(node::kDomain, "d") + field(node::kOverload, "o") +
                              field(node::kDocString, "doc") + field(node::kMetadataProps, entry("", "")) +
                              field(node::kDeviceConfigurations, "") +
                              field(node::kAttribute, field(attribute::kName, "group") + field(attribute::kI, 1) +
                                                          field(attribute::kType, 2))));
  EXPECT_EQ(map[Category::kValueNames], 3U);
  EXPECT_EQ(map[Category::kNodeNames], 4U + 5);
  EXPECT_EQ(map[Category::kOperators], 6U);
  EXPECT_EQ(map[Category::kDocStrings], 3U);
  EXPECT_EQ(map[Category::kMetadata], 4U);
  EXPECT_EQ(map[Category::kAttributes], 7U);
  EXPECT_EQ(map[Category::kStructure], 2U + 2 + 10 * 2 + 2 + 1 + 2);
}

TEST(ByteMap, Tensor) {
  const ByteMap map = of_graph(field(
      graph::kInitializer, field(tensor::kDims, 300) + field(tensor::kDataType, 1) + field(tensor::kName, "w") +
                               field(tensor::kRawData, std::string(1000, 'r')) +
                               field(tensor::kFloatData, std::string(400, 'f')) + field(tensor::kStringData, "s")));
  EXPECT_EQ(map[Category::kWeights], 1401U);
  EXPECT_EQ(map[Category::kTypes], 3U);
  EXPECT_EQ(map[Category::kValueNames], 1U);
}

TEST(ByteMap, WeightsInAttributesBodiesSparseTensorsAndFunctionsAreWeights) {
  const std::string tensor = field(tensor::kRawData, "12345678");
  const std::string body =
      field(graph::kInitializer, tensor) + field(graph::kSparseInitializer, field(sparse_tensor::kIndices, tensor));
  const std::string node =
      field(node::kAttribute, field(attribute::kT, tensor)) +
      field(node::kAttribute, field(attribute::kTensors, tensor)) +
      field(node::kAttribute, field(attribute::kG, body)) + field(node::kAttribute, field(attribute::kGraphs, body)) +
      field(node::kAttribute, field(attribute::kSparseTensors, field(sparse_tensor::kValues, tensor)));
  EXPECT_EQ(of_graph(field(graph::kNode, node))[Category::kWeights], 7 * 8U);
  EXPECT_EQ(map_bytes(field(model::kFunctions, field(function::kNode, node)))[Category::kWeights], 7 * 8U);
}

TEST(ByteMap, ExternalDataReferences) {
  const ByteMap map = of_graph(field(
      graph::kInitializer, field(tensor::kExternalData, entry("location", "w.bin")) + field(tensor::kDataLocation, 1)));
  EXPECT_EQ(map[Category::kExternalData], 2U + 8 + 2 + 5 + 1);
}

TEST(ByteMap, TypesAndNamesOfValues) {
  const std::string type = field(type::kTensorType, field(type_tensor::kElemType, 1) + field(type_tensor::kShape, ""));
  const ByteMap map = of_graph(field(graph::kInput, field(value_info::kName, "x") + field(value_info::kType, type)) +
                               field(graph::kQuantizationAnnotation, field(annotation::kTensorName, "x")));
  EXPECT_EQ(map[Category::kTypes], type.size());
  EXPECT_EQ(map[Category::kValueNames], 1U + 3);
}

TEST(ByteMap, DamageIsAnError) {
  EXPECT_THROW(map_bytes("\x3a\x05"
                         "ab"),
               Error);
  EXPECT_THROW(map_bytes(field(model::kGraph, field(graph::kNode, 5))), Error);
}

TEST(ByteMap, DepthIsLimited) {
  const auto nested = [](int depth) {
    std::string graph;
    for (int i = 1; i < depth; ++i) graph = field(graph::kNode, field(node::kAttribute, field(attribute::kG, graph)));
    return field(model::kGraph, graph);
  };
  EXPECT_EQ(map_bytes(nested(100)).total(), nested(100).size());
  EXPECT_THROW(map_bytes(nested(1000)), Error);
}

TEST(ByteMap, PartsSumToTheSizeOfAnyFileThatParses) {
  std::mt19937 random(11);
  int parsed = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string model = tests::random_message(MessageIndex::kModel, random, 60);
    for (std::size_t changes = i % 4; changes > 0 && !model.empty(); --changes) {
      model[random() % model.size()] = static_cast<char>(random());
    }
    if (i % 5 == 0) model.resize(random() % (model.size() + 1));
    try {
      EXPECT_EQ(map_bytes(model).total(), model.size());
      ++parsed;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace onnxpress::format
