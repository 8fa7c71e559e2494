// Attributes each byte of an encoded model to a category, by walking its messages.
//
// A field's content has the category of the field; its tag and length are structure. Messages with a single purpose
// (types, metadata entries, opset imports, ...) are not entered: all their bytes, including tags, count for that
// category.
#include "onnxpress/format/byte_map.h"

#include <fmt/format.h>

#include <numeric>
#include <variant>

#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/schema.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {
namespace {

using namespace fields;
using Category = ByteCategory;

// How a field's content is handled: counted as one category, or entered as a message with several.
using Treatment = std::variant<Category, MessageIndex>;

Treatment in_model(std::uint32_t field) {
  switch (field) {
    case model::kGraph:
      return MessageIndex::kGraph;
    case model::kFunctions:
      return MessageIndex::kFunction;
    case model::kOpsetImport:
      return Category::kOpsetImports;
    case model::kDocString:
      return Category::kDocStrings;
    case model::kTrainingInfo:
      return Category::kTraining;
    case model::kConfiguration:
      return Category::kDevices;
    default:
      return Category::kMetadata;
  }
}

Treatment in_graph(std::uint32_t field) {
  switch (field) {
    case graph::kNode:
      return MessageIndex::kNode;
    case graph::kInitializer:
      return MessageIndex::kTensor;
    case graph::kSparseInitializer:
      return MessageIndex::kSparseTensor;
    case graph::kName:
      return Category::kNodeNames;
    case graph::kDocString:
      return Category::kDocStrings;
    case graph::kQuantizationAnnotation:
      return Category::kValueNames;
    case graph::kInput:
    case graph::kOutput:
    case graph::kValueInfo:
      return MessageIndex::kValueInfo;
    default:
      return Category::kMetadata;
  }
}

Treatment in_function(std::uint32_t field) {
  switch (field) {
    case function::kNode:
      return MessageIndex::kNode;
    case function::kAttributeProto:
      return MessageIndex::kAttribute;
    case function::kValueInfo:
      return MessageIndex::kValueInfo;
    case function::kInput:
    case function::kOutput:
      return Category::kValueNames;
    case function::kAttribute:
      return Category::kAttributes;
    case function::kDocString:
      return Category::kDocStrings;
    case function::kOpsetImport:
      return Category::kOpsetImports;
    case function::kName:
    case function::kDomain:
    case function::kOverload:
      return Category::kOperators;
    default:
      return Category::kMetadata;
  }
}

Treatment in_node(std::uint32_t field) {
  switch (field) {
    case node::kInput:
    case node::kOutput:
      return Category::kValueNames;
    case node::kName:
      return Category::kNodeNames;
    case node::kAttribute:
      return MessageIndex::kAttribute;
    case node::kDocString:
      return Category::kDocStrings;
    case node::kOpType:
    case node::kDomain:
    case node::kOverload:
      return Category::kOperators;
    case node::kDeviceConfigurations:
      return Category::kDevices;
    default:
      return Category::kMetadata;
  }
}

Treatment in_attribute(std::uint32_t field) {
  switch (field) {
    case attribute::kT:
    case attribute::kTensors:
      return MessageIndex::kTensor;
    case attribute::kSparseTensor:
    case attribute::kSparseTensors:
      return MessageIndex::kSparseTensor;
    case attribute::kG:
    case attribute::kGraphs:
      return MessageIndex::kGraph;
    case attribute::kTp:
    case attribute::kTypeProtos:
      return Category::kTypes;
    case attribute::kDocString:
      return Category::kDocStrings;
    default:
      return Category::kAttributes;  // name, type, and the plain values
  }
}

Treatment in_tensor(std::uint32_t field) {
  switch (field) {
    case tensor::kDims:
    case tensor::kDataType:
    case tensor::kSegment:
      return Category::kTypes;
    case tensor::kName:
      return Category::kValueNames;
    case tensor::kDocString:
      return Category::kDocStrings;
    case tensor::kMetadataProps:
      return Category::kMetadata;
    case tensor::kExternalData:
    case tensor::kDataLocation:
      return Category::kExternalData;
    default:
      return Category::kWeights;  // raw_data and the typed lists
  }
}

Treatment in_sparse_tensor(std::uint32_t field) {
  if (field == sparse_tensor::kDims) return Category::kTypes;
  return MessageIndex::kTensor;
}

Treatment in_value_info(std::uint32_t field) {
  switch (field) {
    case value_info::kName:
      return Category::kValueNames;
    case value_info::kType:
      return Category::kTypes;
    case value_info::kDocString:
      return Category::kDocStrings;
    default:
      return Category::kMetadata;
  }
}

Treatment treatment_of(MessageIndex message, std::uint32_t field) {
  switch (message) {
    case MessageIndex::kModel:
      return in_model(field);
    case MessageIndex::kGraph:
      return in_graph(field);
    case MessageIndex::kFunction:
      return in_function(field);
    case MessageIndex::kNode:
      return in_node(field);
    case MessageIndex::kAttribute:
      return in_attribute(field);
    case MessageIndex::kTensor:
      return in_tensor(field);
    case MessageIndex::kSparseTensor:
      return in_sparse_tensor(field);
    default:
      return in_value_info(field);
  }
}

class Mapper {
 public:
  explicit Mapper(const char* file_begin) : file_begin_(file_begin) {}

  void map(std::string_view encoded, MessageIndex message, std::size_t depth) {
    const MessageSchema& schema = schema_of(message);
    WireReader reader(encoded, file_begin_);
    while (reader.next()) {
      if (!schema.find(reader.field())) {
        reader.skip();
        map_[Category::kUnknown] += reader.whole_field().size();
        continue;
      }
      const Treatment treatment = treatment_of(message, reader.field());
      if (const auto* category = std::get_if<Category>(&treatment)) {
        count(reader, *category);
        continue;
      }
      if (depth == kMaxMessageDepth) reader.fail(fmt::format("messages are nested deeper than {}", kMaxMessageDepth));
      const std::string_view content = reader.bytes();
      map_[Category::kStructure] += reader.whole_field().size() - content.size();
      map(content, std::get<MessageIndex>(treatment), depth + 1);
    }
  }

  const ByteMap& result() const { return map_; }

 private:
  void count(WireReader& reader, Category category) {
    std::size_t content = 0;
    const std::uint64_t tag = std::uint64_t{reader.field()} << 3;
    if (reader.type() == WireType::kLength) {
      content = reader.bytes().size();
    } else {
      reader.skip();
      content = reader.whole_field().size() - varint_size(tag);
    }
    map_[category] += content;
    map_[Category::kStructure] += reader.whole_field().size() - content;
  }

  const char* file_begin_;
  ByteMap map_;
};

}  // namespace

std::string_view name_of(ByteCategory category) {
  constexpr std::array<std::string_view, kByteCategoryCount> kNames = {
      "weights",       "external data references", "value names", "node names",    "operators",
      "attributes",    "types and shapes",         "doc strings", "metadata",      "opset imports",
      "training info", "device configurations",    "structure",   "unknown fields"};
  return kNames[static_cast<std::size_t>(category)];
}

std::uint64_t ByteMap::total() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

ByteMap map_bytes(std::string_view encoded_model) {
  Mapper mapper(encoded_model.data());
  mapper.map(encoded_model, MessageIndex::kModel, 1);
  return mapper.result();
}

}  // namespace onnxpress::format
