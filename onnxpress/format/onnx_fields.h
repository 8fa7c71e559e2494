// The ONNX file format (IR version 14, onnx 1.23): the numbers of all fields, which are written nowhere else.
//
// A file is one ModelProto in protobuf wire format, without header or checksum. A message is a run of fields in any
// order. A field is a tag, which is the varint `number << 3 | wire type`, and its content:
//
//   wire type 0  a varint: 7 bits per byte, low first, top bit = more    int32, int64, uint64, enum
//   wire type 1  8 bytes, little-endian                                  double
//   wire type 2  a varint length, then that many bytes                   string, bytes, message, packed numbers
//   wire type 5  4 bytes, little-endian                                  float
//
// If a field that is not `repeated` occurs several times, the last one wins, and messages are merged. A `repeated`
// number may always be packed or come as single fields; "packed" below says how it is written. Of the `oneof` fields of
// a message only the last counts. Fields with other numbers are unknown: readers keep them. The content of a file, from
// outside in:
//
//   ModelProto                            ir_version, producer, domain, version, doc, metadata, opset imports
//     graph: GraphProto                   name, doc, metadata
//       node: NodeProto                   op_type, domain, overload, name, input and output names, metadata, devices
//         attribute: AttributeProto       one of f, i, s, t, g, tp, sparse_tensor, or a list of one kind; g is a body
//       initializer: TensorProto          dims, data_type, name, and raw_data or typed data or external_data
//       sparse_initializer: SparseTensorProto        values and indices (TensorProtos), dims
//       input, output, value_info: ValueInfoProto    name, type (TypeProto: tensor, sequence, map, optional, ...)
//       quantization_annotation: TensorAnnotation    names of scale and zero point
//     functions: FunctionProto            name, domain, overload, inputs, outputs, attributes, nodes, opsets
//     training_info: TrainingInfoProto    two graphs, and which of their outputs update which weights
//     configuration: DeviceConfigurationProto
//
// Numbers that are missing in a message below were used only by older ONNX versions, or never.
#pragma once

#include <cstdint>

namespace onnxpress::format::fields {

// ModelProto: a whole file.
namespace model {
inline constexpr std::uint32_t kIrVersion = 1;        // int64: version of the file format; 14 is the newest
inline constexpr std::uint32_t kProducerName = 2;     // string
inline constexpr std::uint32_t kProducerVersion = 3;  // string
inline constexpr std::uint32_t kDomain = 4;           // string: reverse domain name of the model
inline constexpr std::uint32_t kModelVersion = 5;     // int64
inline constexpr std::uint32_t kDocString = 6;        // string
inline constexpr std::uint32_t kGraph = 7;            // GraphProto
inline constexpr std::uint32_t kOpsetImport = 8;      // repeated OperatorSetIdProto
inline constexpr std::uint32_t kMetadataProps = 14;   // repeated StringStringEntryProto
inline constexpr std::uint32_t kTrainingInfo = 20;    // repeated TrainingInfoProto
inline constexpr std::uint32_t kFunctions = 25;       // repeated FunctionProto
inline constexpr std::uint32_t kConfiguration = 26;   // repeated DeviceConfigurationProto
}  // namespace model

// OperatorSetIdProto: a version of a set of operators.
namespace opset {
inline constexpr std::uint32_t kDomain = 1;   // string
inline constexpr std::uint32_t kVersion = 2;  // int64
}  // namespace opset

// StringStringEntryProto: one key and value of a map.
namespace entry {
inline constexpr std::uint32_t kKey = 1;    // string
inline constexpr std::uint32_t kValue = 2;  // string
}  // namespace entry

// GraphProto: nodes, weights and the interface.
namespace graph {
inline constexpr std::uint32_t kNode = 1;                     // repeated NodeProto
inline constexpr std::uint32_t kName = 2;                     // string
inline constexpr std::uint32_t kInitializer = 5;              // repeated TensorProto
inline constexpr std::uint32_t kDocString = 10;               // string
inline constexpr std::uint32_t kInput = 11;                   // repeated ValueInfoProto
inline constexpr std::uint32_t kOutput = 12;                  // repeated ValueInfoProto
inline constexpr std::uint32_t kValueInfo = 13;               // repeated ValueInfoProto
inline constexpr std::uint32_t kQuantizationAnnotation = 14;  // repeated TensorAnnotation
inline constexpr std::uint32_t kSparseInitializer = 15;       // repeated SparseTensorProto
inline constexpr std::uint32_t kMetadataProps = 16;           // repeated StringStringEntryProto
}  // namespace graph

// NodeProto: one use of an operator.
namespace node {
inline constexpr std::uint32_t kInput = 1;                  // repeated string
inline constexpr std::uint32_t kOutput = 2;                 // repeated string
inline constexpr std::uint32_t kName = 3;                   // string
inline constexpr std::uint32_t kOpType = 4;                 // string
inline constexpr std::uint32_t kAttribute = 5;              // repeated AttributeProto
inline constexpr std::uint32_t kDocString = 6;              // string
inline constexpr std::uint32_t kDomain = 7;                 // string
inline constexpr std::uint32_t kOverload = 8;               // string
inline constexpr std::uint32_t kMetadataProps = 9;          // repeated StringStringEntryProto
inline constexpr std::uint32_t kDeviceConfigurations = 10;  // repeated NodeDeviceConfigurationProto
}  // namespace node

// AttributeProto: a parameter of a node; `type` says which of the value fields counts.
namespace attribute {
inline constexpr std::uint32_t kName = 1;            // string
inline constexpr std::uint32_t kF = 2;               // float
inline constexpr std::uint32_t kI = 3;               // int64
inline constexpr std::uint32_t kS = 4;               // bytes: not always UTF-8
inline constexpr std::uint32_t kT = 5;               // TensorProto
inline constexpr std::uint32_t kG = 6;               // GraphProto
inline constexpr std::uint32_t kFloats = 7;          // repeated float
inline constexpr std::uint32_t kInts = 8;            // repeated int64
inline constexpr std::uint32_t kStrings = 9;         // repeated bytes
inline constexpr std::uint32_t kTensors = 10;        // repeated TensorProto
inline constexpr std::uint32_t kGraphs = 11;         // repeated GraphProto
inline constexpr std::uint32_t kDocString = 13;      // string
inline constexpr std::uint32_t kTp = 14;             // TypeProto
inline constexpr std::uint32_t kTypeProtos = 15;     // repeated TypeProto
inline constexpr std::uint32_t kType = 20;           // enum: AttributeType; not in IR version 1
inline constexpr std::uint32_t kRefAttrName = 21;    // string: the function's attribute with the value
inline constexpr std::uint32_t kSparseTensor = 22;   // SparseTensorProto
inline constexpr std::uint32_t kSparseTensors = 23;  // repeated SparseTensorProto
}  // namespace attribute

// TensorProto: a constant; its elements are in raw_data, in one of the typed lists, or in an external file.
namespace tensor {
inline constexpr std::uint32_t kDims = 1;            // repeated int64
inline constexpr std::uint32_t kDataType = 2;        // int32: DataType
inline constexpr std::uint32_t kSegment = 3;         // TensorProto.Segment
inline constexpr std::uint32_t kFloatData = 4;       // repeated packed float: float, complex64
inline constexpr std::uint32_t kInt32Data = 5;       // repeated packed int32: other types up to 32 bits
inline constexpr std::uint32_t kStringData = 6;      // repeated bytes
inline constexpr std::uint32_t kInt64Data = 7;       // repeated packed int64: int64
inline constexpr std::uint32_t kName = 8;            // string
inline constexpr std::uint32_t kRawData = 9;         // bytes: little-endian; all types but string
inline constexpr std::uint32_t kDoubleData = 10;     // repeated packed double: double, complex128
inline constexpr std::uint32_t kUint64Data = 11;     // repeated packed uint64: uint32, uint64
inline constexpr std::uint32_t kDocString = 12;      // string
inline constexpr std::uint32_t kExternalData = 13;   // repeated StringStringEntryProto: where the elements are
inline constexpr std::uint32_t kDataLocation = 14;   // enum: DataLocation (1 = external)
inline constexpr std::uint32_t kMetadataProps = 16;  // repeated StringStringEntryProto
}  // namespace tensor

// TensorProto.Segment: the part of a larger tensor that a TensorProto holds.
namespace tensor_segment {
inline constexpr std::uint32_t kBegin = 1;  // int64
inline constexpr std::uint32_t kEnd = 2;    // int64
}  // namespace tensor_segment

// SparseTensorProto: a constant given by its non-zero elements.
namespace sparse_tensor {
inline constexpr std::uint32_t kValues = 1;   // TensorProto
inline constexpr std::uint32_t kIndices = 2;  // TensorProto
inline constexpr std::uint32_t kDims = 3;     // repeated int64
}  // namespace sparse_tensor

// TensorAnnotation: names the tensors that quantize another one.
namespace annotation {
inline constexpr std::uint32_t kTensorName = 1;                 // string
inline constexpr std::uint32_t kQuantParameterTensorNames = 2;  // repeated StringStringEntryProto
}  // namespace annotation

// ValueInfoProto: a declaration of a value.
namespace value_info {
inline constexpr std::uint32_t kName = 1;           // string
inline constexpr std::uint32_t kType = 2;           // TypeProto
inline constexpr std::uint32_t kDocString = 3;      // string
inline constexpr std::uint32_t kMetadataProps = 4;  // repeated StringStringEntryProto
}  // namespace value_info

// TypeProto: the type of a value.
namespace type {
inline constexpr std::uint32_t kTensorType = 1;        // oneof TypeProto.Tensor
inline constexpr std::uint32_t kSequenceType = 4;      // oneof TypeProto.Sequence
inline constexpr std::uint32_t kMapType = 5;           // oneof TypeProto.Map
inline constexpr std::uint32_t kDenotation = 6;        // string
inline constexpr std::uint32_t kOpaqueType = 7;        // oneof TypeProto.Opaque
inline constexpr std::uint32_t kSparseTensorType = 8;  // oneof TypeProto.SparseTensor
inline constexpr std::uint32_t kOptionalType = 9;      // oneof TypeProto.Optional
}  // namespace type

// TypeProto.Tensor.
namespace type_tensor {
inline constexpr std::uint32_t kElemType = 1;  // int32: DataType
inline constexpr std::uint32_t kShape = 2;     // TensorShapeProto
}  // namespace type_tensor

// TypeProto.Sequence.
namespace type_sequence {
inline constexpr std::uint32_t kElemType = 1;  // TypeProto
}  // namespace type_sequence

// TypeProto.Map.
namespace type_map {
inline constexpr std::uint32_t kKeyType = 1;    // int32: DataType
inline constexpr std::uint32_t kValueType = 2;  // TypeProto
}  // namespace type_map

// TypeProto.Optional.
namespace type_optional {
inline constexpr std::uint32_t kElemType = 1;  // TypeProto
}  // namespace type_optional

// TypeProto.SparseTensor.
namespace type_sparse_tensor {
inline constexpr std::uint32_t kElemType = 1;  // int32: DataType
inline constexpr std::uint32_t kShape = 2;     // TensorShapeProto
}  // namespace type_sparse_tensor

// TypeProto.Opaque: a type that only some runtime knows.
namespace type_opaque {
inline constexpr std::uint32_t kDomain = 1;  // string
inline constexpr std::uint32_t kName = 2;    // string
}  // namespace type_opaque

// TensorShapeProto.
namespace shape {
inline constexpr std::uint32_t kDim = 1;  // repeated TensorShapeProto.Dimension
}  // namespace shape

// TensorShapeProto.Dimension: a number, a symbol, or unknown.
namespace dimension {
inline constexpr std::uint32_t kDimValue = 1;    // oneof int64
inline constexpr std::uint32_t kDimParam = 2;    // oneof string
inline constexpr std::uint32_t kDenotation = 3;  // string
}  // namespace dimension

// FunctionProto: an operator defined in the model itself.
namespace function {
inline constexpr std::uint32_t kName = 1;             // string
inline constexpr std::uint32_t kInput = 4;            // repeated string
inline constexpr std::uint32_t kOutput = 5;           // repeated string
inline constexpr std::uint32_t kAttribute = 6;        // repeated string: names of attributes without a default
inline constexpr std::uint32_t kNode = 7;             // repeated NodeProto
inline constexpr std::uint32_t kDocString = 8;        // string
inline constexpr std::uint32_t kOpsetImport = 9;      // repeated OperatorSetIdProto
inline constexpr std::uint32_t kDomain = 10;          // string
inline constexpr std::uint32_t kAttributeProto = 11;  // repeated AttributeProto: attributes with a default
inline constexpr std::uint32_t kValueInfo = 12;       // repeated ValueInfoProto
inline constexpr std::uint32_t kOverload = 13;        // string
inline constexpr std::uint32_t kMetadataProps = 14;   // repeated StringStringEntryProto
}  // namespace function

// TrainingInfoProto: how to train the model.
namespace training {
inline constexpr std::uint32_t kInitialization = 1;         // GraphProto
inline constexpr std::uint32_t kAlgorithm = 2;              // GraphProto
inline constexpr std::uint32_t kInitializationBinding = 3;  // repeated StringStringEntryProto
inline constexpr std::uint32_t kUpdateBinding = 4;          // repeated StringStringEntryProto
}  // namespace training

// DeviceConfigurationProto: a set of devices the model can be spread over.
namespace device_configuration {
inline constexpr std::uint32_t kName = 1;        // string
inline constexpr std::uint32_t kNumDevices = 2;  // int32
inline constexpr std::uint32_t kDevice = 3;      // repeated string
}  // namespace device_configuration

// NodeDeviceConfigurationProto: how one node is spread over devices.
namespace node_device_configuration {
inline constexpr std::uint32_t kConfigurationId = 1;  // string
inline constexpr std::uint32_t kShardingSpec = 2;     // repeated ShardingSpecProto
inline constexpr std::uint32_t kPipelineStage = 3;    // int32
}  // namespace node_device_configuration

// ShardingSpecProto: how one input or output of a node is cut.
namespace sharding_spec {
inline constexpr std::uint32_t kTensorName = 1;             // string
inline constexpr std::uint32_t kDevice = 2;                 // repeated int64
inline constexpr std::uint32_t kIndexToDeviceGroupMap = 3;  // repeated IntIntListEntryProto
inline constexpr std::uint32_t kShardedDim = 4;             // repeated ShardedDimProto
}  // namespace sharding_spec

// ShardedDimProto: how one axis is cut.
namespace sharded_dim {
inline constexpr std::uint32_t kAxis = 1;            // int64
inline constexpr std::uint32_t kSimpleSharding = 2;  // repeated SimpleShardedDimProto
}  // namespace sharded_dim

// SimpleShardedDimProto: N blocks into M shards.
namespace simple_sharded_dim {
inline constexpr std::uint32_t kDimValue = 1;   // oneof int64
inline constexpr std::uint32_t kDimParam = 2;   // oneof string
inline constexpr std::uint32_t kNumShards = 3;  // int64
}  // namespace simple_sharded_dim

// IntIntListEntryProto: one key and list of a map.
namespace int_int_list {
inline constexpr std::uint32_t kKey = 1;    // int64
inline constexpr std::uint32_t kValue = 2;  // repeated int64
}  // namespace int_int_list

}  // namespace onnxpress::format::fields
