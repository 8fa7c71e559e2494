// The table of messages, and the check that an encoded message conforms to it.
#include "onnxpress/format/schema.h"

#include <fmt/format.h>

#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {
namespace {

using namespace fields;
using Kind = FieldKind;
using Message = MessageIndex;
using Values = std::span<const EnumValue>;

constexpr Field one(std::string_view name, std::uint32_t number, Kind kind) {
  return {name, JsonName(name), number, kind, FieldLabel::kOne};
}
constexpr Field one(std::string_view name, std::uint32_t number, Message message) {
  return {name, JsonName(name), number, Kind::kMessage, FieldLabel::kOne, message};
}
constexpr Field one(std::string_view name, std::uint32_t number, Values values) {
  return {name, JsonName(name), number, Kind::kEnum, FieldLabel::kOne, {}, values};
}
template <typename What>
constexpr Field labelled(FieldLabel label, std::string_view name, std::uint32_t number, What what) {
  Field field = one(name, number, what);
  field.label = label;
  return field;
}
template <typename What>
constexpr Field many(std::string_view name, std::uint32_t number, What what) {
  return labelled(FieldLabel::kMany, name, number, what);
}
template <typename What>
constexpr Field packed(std::string_view name, std::uint32_t number, What what) {
  return labelled(FieldLabel::kPacked, name, number, what);
}
template <typename What>
constexpr Field choice(std::string_view name, std::uint32_t number, What what) {
  return labelled(FieldLabel::kChoice, name, number, what);
}

constexpr MessageSchema message(std::string_view name, std::span<const Field> fields) {
  MessageSchema schema{name, fields, {}};
  std::uint8_t position = 0;
  for (const Field& field : fields) schema.position_of[field.number] = ++position;  // does not compile if out of bounds
  return schema;
}

// One line per field, because tests/python/test_schema.py reads these lines and compares them with the onnx package.
// clang-format off
constexpr EnumValue kAttributeTypeValues[] = {
    {"UNDEFINED", 0}, {"FLOAT", 1},          {"INT", 2},         {"STRING", 3},          {"TENSOR", 4},
    {"GRAPH", 5},     {"SPARSE_TENSOR", 11}, {"TYPE_PROTO", 13}, {"FLOATS", 6},          {"INTS", 7},
    {"STRINGS", 8},   {"TENSORS", 9},        {"GRAPHS", 10},     {"SPARSE_TENSORS", 12}, {"TYPE_PROTOS", 14},
};

constexpr EnumValue kDataLocationValues[] = {
    {"DEFAULT", 0},
    {"EXTERNAL", 1},
};

constexpr Field kModelFields[] = {
    one("ir_version", model::kIrVersion, Kind::kInt64),
    one("producer_name", model::kProducerName, Kind::kString),
    one("producer_version", model::kProducerVersion, Kind::kString),
    one("domain", model::kDomain, Kind::kString),
    one("model_version", model::kModelVersion, Kind::kInt64),
    one("doc_string", model::kDocString, Kind::kString),
    one("graph", model::kGraph, Message::kGraph),
    many("opset_import", model::kOpsetImport, Message::kOpset),
    many("metadata_props", model::kMetadataProps, Message::kEntry),
    many("training_info", model::kTrainingInfo, Message::kTraining),
    many("functions", model::kFunctions, Message::kFunction),
    many("configuration", model::kConfiguration, Message::kDeviceConfiguration),
};

constexpr Field kOpsetFields[] = {
    one("domain", opset::kDomain, Kind::kString),
    one("version", opset::kVersion, Kind::kInt64),
};

constexpr Field kEntryFields[] = {
    one("key", entry::kKey, Kind::kString),
    one("value", entry::kValue, Kind::kString),
};

constexpr Field kGraphFields[] = {
    many("node", graph::kNode, Message::kNode),
    one("name", graph::kName, Kind::kString),
    many("initializer", graph::kInitializer, Message::kTensor),
    one("doc_string", graph::kDocString, Kind::kString),
    many("input", graph::kInput, Message::kValueInfo),
    many("output", graph::kOutput, Message::kValueInfo),
    many("value_info", graph::kValueInfo, Message::kValueInfo),
    many("quantization_annotation", graph::kQuantizationAnnotation, Message::kAnnotation),
    many("sparse_initializer", graph::kSparseInitializer, Message::kSparseTensor),
    many("metadata_props", graph::kMetadataProps, Message::kEntry),
};

constexpr Field kNodeFields[] = {
    many("input", node::kInput, Kind::kString),
    many("output", node::kOutput, Kind::kString),
    one("name", node::kName, Kind::kString),
    one("op_type", node::kOpType, Kind::kString),
    many("attribute", node::kAttribute, Message::kAttribute),
    one("doc_string", node::kDocString, Kind::kString),
    one("domain", node::kDomain, Kind::kString),
    one("overload", node::kOverload, Kind::kString),
    many("metadata_props", node::kMetadataProps, Message::kEntry),
    many("device_configurations", node::kDeviceConfigurations, Message::kNodeDeviceConfiguration),
};

constexpr Field kAttributeFields[] = {
    one("name", attribute::kName, Kind::kString),
    one("f", attribute::kF, Kind::kFloat),
    one("i", attribute::kI, Kind::kInt64),
    one("s", attribute::kS, Kind::kBytes),
    one("t", attribute::kT, Message::kTensor),
    one("g", attribute::kG, Message::kGraph),
    many("floats", attribute::kFloats, Kind::kFloat),
    many("ints", attribute::kInts, Kind::kInt64),
    many("strings", attribute::kStrings, Kind::kBytes),
    many("tensors", attribute::kTensors, Message::kTensor),
    many("graphs", attribute::kGraphs, Message::kGraph),
    one("doc_string", attribute::kDocString, Kind::kString),
    one("tp", attribute::kTp, Message::kType),
    many("type_protos", attribute::kTypeProtos, Message::kType),
    one("type", attribute::kType, kAttributeTypeValues),
    one("ref_attr_name", attribute::kRefAttrName, Kind::kString),
    one("sparse_tensor", attribute::kSparseTensor, Message::kSparseTensor),
    many("sparse_tensors", attribute::kSparseTensors, Message::kSparseTensor),
};

constexpr Field kTensorFields[] = {
    many("dims", tensor::kDims, Kind::kInt64),
    one("data_type", tensor::kDataType, Kind::kInt32),
    one("segment", tensor::kSegment, Message::kTensorSegment),
    packed("float_data", tensor::kFloatData, Kind::kFloat),
    packed("int32_data", tensor::kInt32Data, Kind::kInt32),
    many("string_data", tensor::kStringData, Kind::kBytes),
    packed("int64_data", tensor::kInt64Data, Kind::kInt64),
    one("name", tensor::kName, Kind::kString),
    one("raw_data", tensor::kRawData, Kind::kBytes),
    packed("double_data", tensor::kDoubleData, Kind::kDouble),
    packed("uint64_data", tensor::kUint64Data, Kind::kUint64),
    one("doc_string", tensor::kDocString, Kind::kString),
    many("external_data", tensor::kExternalData, Message::kEntry),
    one("data_location", tensor::kDataLocation, kDataLocationValues),
    many("metadata_props", tensor::kMetadataProps, Message::kEntry),
};

constexpr Field kTensorSegmentFields[] = {
    one("begin", tensor_segment::kBegin, Kind::kInt64),
    one("end", tensor_segment::kEnd, Kind::kInt64),
};

constexpr Field kSparseTensorFields[] = {
    one("values", sparse_tensor::kValues, Message::kTensor),
    one("indices", sparse_tensor::kIndices, Message::kTensor),
    many("dims", sparse_tensor::kDims, Kind::kInt64),
};

constexpr Field kAnnotationFields[] = {
    one("tensor_name", annotation::kTensorName, Kind::kString),
    many("quant_parameter_tensor_names", annotation::kQuantParameterTensorNames, Message::kEntry),
};

constexpr Field kValueInfoFields[] = {
    one("name", value_info::kName, Kind::kString),
    one("type", value_info::kType, Message::kType),
    one("doc_string", value_info::kDocString, Kind::kString),
    many("metadata_props", value_info::kMetadataProps, Message::kEntry),
};

constexpr Field kTypeFields[] = {
    choice("tensor_type", type::kTensorType, Message::kTypeTensor),
    choice("sequence_type", type::kSequenceType, Message::kTypeSequence),
    choice("map_type", type::kMapType, Message::kTypeMap),
    one("denotation", type::kDenotation, Kind::kString),
    choice("opaque_type", type::kOpaqueType, Message::kTypeOpaque),
    choice("sparse_tensor_type", type::kSparseTensorType, Message::kTypeSparseTensor),
    choice("optional_type", type::kOptionalType, Message::kTypeOptional),
};

constexpr Field kTypeTensorFields[] = {
    one("elem_type", type_tensor::kElemType, Kind::kInt32),
    one("shape", type_tensor::kShape, Message::kShape),
};

constexpr Field kTypeSequenceFields[] = {
    one("elem_type", type_sequence::kElemType, Message::kType),
};

constexpr Field kTypeMapFields[] = {
    one("key_type", type_map::kKeyType, Kind::kInt32),
    one("value_type", type_map::kValueType, Message::kType),
};

constexpr Field kTypeOptionalFields[] = {
    one("elem_type", type_optional::kElemType, Message::kType),
};

constexpr Field kTypeSparseTensorFields[] = {
    one("elem_type", type_sparse_tensor::kElemType, Kind::kInt32),
    one("shape", type_sparse_tensor::kShape, Message::kShape),
};

constexpr Field kTypeOpaqueFields[] = {
    one("domain", type_opaque::kDomain, Kind::kString),
    one("name", type_opaque::kName, Kind::kString),
};

constexpr Field kShapeFields[] = {
    many("dim", shape::kDim, Message::kDimension),
};

constexpr Field kDimensionFields[] = {
    choice("dim_value", dimension::kDimValue, Kind::kInt64),
    choice("dim_param", dimension::kDimParam, Kind::kString),
    one("denotation", dimension::kDenotation, Kind::kString),
};

constexpr Field kFunctionFields[] = {
    one("name", function::kName, Kind::kString),
    many("input", function::kInput, Kind::kString),
    many("output", function::kOutput, Kind::kString),
    many("attribute", function::kAttribute, Kind::kString),
    many("node", function::kNode, Message::kNode),
    one("doc_string", function::kDocString, Kind::kString),
    many("opset_import", function::kOpsetImport, Message::kOpset),
    one("domain", function::kDomain, Kind::kString),
    many("attribute_proto", function::kAttributeProto, Message::kAttribute),
    many("value_info", function::kValueInfo, Message::kValueInfo),
    one("overload", function::kOverload, Kind::kString),
    many("metadata_props", function::kMetadataProps, Message::kEntry),
};

constexpr Field kTrainingFields[] = {
    one("initialization", training::kInitialization, Message::kGraph),
    one("algorithm", training::kAlgorithm, Message::kGraph),
    many("initialization_binding", training::kInitializationBinding, Message::kEntry),
    many("update_binding", training::kUpdateBinding, Message::kEntry),
};

constexpr Field kDeviceConfigurationFields[] = {
    one("name", device_configuration::kName, Kind::kString),
    one("num_devices", device_configuration::kNumDevices, Kind::kInt32),
    many("device", device_configuration::kDevice, Kind::kString),
};

constexpr Field kNodeDeviceConfigurationFields[] = {
    one("configuration_id", node_device_configuration::kConfigurationId, Kind::kString),
    many("sharding_spec", node_device_configuration::kShardingSpec, Message::kShardingSpec),
    one("pipeline_stage", node_device_configuration::kPipelineStage, Kind::kInt32),
};

constexpr Field kShardingSpecFields[] = {
    one("tensor_name", sharding_spec::kTensorName, Kind::kString),
    many("device", sharding_spec::kDevice, Kind::kInt64),
    many("index_to_device_group_map", sharding_spec::kIndexToDeviceGroupMap, Message::kIntIntList),
    many("sharded_dim", sharding_spec::kShardedDim, Message::kShardedDim),
};

constexpr Field kShardedDimFields[] = {
    one("axis", sharded_dim::kAxis, Kind::kInt64),
    many("simple_sharding", sharded_dim::kSimpleSharding, Message::kSimpleShardedDim),
};

constexpr Field kSimpleShardedDimFields[] = {
    choice("dim_value", simple_sharded_dim::kDimValue, Kind::kInt64),
    choice("dim_param", simple_sharded_dim::kDimParam, Kind::kString),
    one("num_shards", simple_sharded_dim::kNumShards, Kind::kInt64),
};

constexpr Field kIntIntListFields[] = {
    one("key", int_int_list::kKey, Kind::kInt64),
    many("value", int_int_list::kValue, Kind::kInt64),
};

constexpr MessageSchema kMessages[] = {
    message("ModelProto", kModelFields),
    message("OperatorSetIdProto", kOpsetFields),
    message("StringStringEntryProto", kEntryFields),
    message("GraphProto", kGraphFields),
    message("NodeProto", kNodeFields),
    message("AttributeProto", kAttributeFields),
    message("TensorProto", kTensorFields),
    message("TensorProto.Segment", kTensorSegmentFields),
    message("SparseTensorProto", kSparseTensorFields),
    message("TensorAnnotation", kAnnotationFields),
    message("ValueInfoProto", kValueInfoFields),
    message("TypeProto", kTypeFields),
    message("TypeProto.Tensor", kTypeTensorFields),
    message("TypeProto.Sequence", kTypeSequenceFields),
    message("TypeProto.Map", kTypeMapFields),
    message("TypeProto.Optional", kTypeOptionalFields),
    message("TypeProto.SparseTensor", kTypeSparseTensorFields),
    message("TypeProto.Opaque", kTypeOpaqueFields),
    message("TensorShapeProto", kShapeFields),
    message("TensorShapeProto.Dimension", kDimensionFields),
    message("FunctionProto", kFunctionFields),
    message("TrainingInfoProto", kTrainingFields),
    message("DeviceConfigurationProto", kDeviceConfigurationFields),
    message("NodeDeviceConfigurationProto", kNodeDeviceConfigurationFields),
    message("ShardingSpecProto", kShardingSpecFields),
    message("ShardedDimProto", kShardedDimFields),
    message("SimpleShardedDimProto", kSimpleShardedDimFields),
    message("IntIntListEntryProto", kIntIntListFields),
};
// clang-format on
static_assert(std::size(kMessages) == kMessageCount);

void check_number(WireReader& reader, const Field& field) {
  const auto ignore = [](auto) {};
  switch (field.kind) {
    case Kind::kFloat:
      field.is_repeated() ? reader.each_fixed<float>(ignore) : ignore(reader.float32());
      return;
    case Kind::kDouble:
      field.is_repeated() ? reader.each_fixed<double>(ignore) : ignore(reader.float64());
      return;
    default:
      field.is_repeated() ? reader.each_varint(ignore) : ignore(reader.varint());
      return;
  }
}

void check(std::string_view encoded, const MessageSchema& schema, const char* file_begin, std::size_t depth) {
  WireReader reader(encoded, file_begin);
  while (reader.next()) {
    const Field* field = schema.find(reader.field());
    if (!field) {
      reader.skip();
    } else if (field->is_number()) {
      check_number(reader, *field);
    } else if (const std::string_view content = reader.bytes(); field->kind == Kind::kMessage) {
      if (depth == kMaxMessageDepth) reader.fail(fmt::format("messages are nested deeper than {}", kMaxMessageDepth));
      check(content, schema_of(field->message), file_begin, depth + 1);
    }
  }
}

}  // namespace

const Field* MessageSchema::find(std::string_view field_name) const {
  for (const Field& field : fields) {
    if (field.name == field_name || field.json_name.view() == field_name) return &field;
  }
  return nullptr;
}

const MessageSchema& schema_of(MessageIndex message) { return kMessages[static_cast<std::size_t>(message)]; }

void require_well_formed(std::string_view encoded, MessageIndex message, const char* file_begin) {
  check(encoded, schema_of(message), file_begin ? file_begin : encoded.data(), 1);
}

}  // namespace onnxpress::format
