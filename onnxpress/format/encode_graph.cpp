// GraphProto, NodeProto, AttributeProto and declarations.
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

namespace field = fields::attribute;

void Encoder::encode(Rope& out, const Graph& graph) const {
  if (can_copy(graph.origin(), graph.changed())) {
    out.append(graph.origin());
    return;
  }
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  append_messages<Node>(out, fields::graph::kNode, nodes);
  append_text(out, fields::graph::kName, graph.name());
  for (const Value* value : graph.initializers()) {
    append_message(out, fields::graph::kInitializer, *value->initializer());
  }
  append_text(out, fields::graph::kDocString, graph.doc());
  for (const ValueInfo* info : graph.inputs()) append_message(out, fields::graph::kInput, *info);
  for (const ValueInfo* info : graph.outputs()) append_message(out, fields::graph::kOutput, *info);
  const std::vector<const ValueInfo*> infos(graph.value_infos().begin(), graph.value_infos().end());
  append_messages<ValueInfo>(out, fields::graph::kValueInfo, infos);
  for (const QuantizationAnnotation& each : graph.quantization_annotations()) append_annotation(out, each);
  for (const Value* value : graph.sparse_initializers()) {
    append_message(out, fields::graph::kSparseInitializer, *value->sparse_initializer());
  }
  append_entries(out, fields::graph::kMetadataProps, graph.metadata());
  append_unknown(out, graph.origin(), MessageIndex::kGraph);
}

void Encoder::append_annotation(Rope& out, const QuantizationAnnotation& annotation) const {
  if (can_copy(annotation.origin, false)) {
    out.append_field(fields::graph::kQuantizationAnnotation, annotation.origin);
    return;
  }
  const Rope::Open open = out.open_field(fields::graph::kQuantizationAnnotation, annotation.origin.size());
  append_text(out, fields::annotation::kTensorName, annotation.tensor_name);
  append_entries(out, fields::annotation::kQuantParameterTensorNames, annotation.parameters);
  append_unknown(out, annotation.origin, MessageIndex::kAnnotation);
  out.close_field(open);
}

void Encoder::encode(Rope& out, const Node& node) const {
  if (can_copy(node.origin(), node.changed())) {
    out.append(node.origin());
    return;
  }
  // An omitted operand or result is an empty name.
  for (const Use& use : node.inputs())
    append_bytes(out.bytes(), fields::node::kInput, use.value() ? use.value()->name() : "");
  for (const Value* value : node.outputs())
    append_bytes(out.bytes(), fields::node::kOutput, value ? value->name() : "");
  append_text(out, fields::node::kName, node.name());
  append_text(out, fields::node::kOpType, node.op_type());
  for (const Attribute* attribute : node.attributes()) append_message(out, fields::node::kAttribute, *attribute);
  append_text(out, fields::node::kDocString, node.doc());
  append_text(out, fields::node::kDomain, node.domain());
  append_text(out, fields::node::kOverload, node.overload());
  append_entries(out, fields::node::kMetadataProps, node.metadata());
  for (const std::string_view each : node.device_configurations())
    out.append_field(fields::node::kDeviceConfigurations, each);
  append_unknown(out, node.origin(), MessageIndex::kNode);
}

void Encoder::encode(Rope& out, const ValueInfo& info) const {
  if (can_copy(info.origin, info.changed)) {
    out.append(info.origin);
    return;
  }
  append_text(out, fields::value_info::kName, info.value->name());
  if (info.type) append_message(out, fields::value_info::kType, *info.type);
  append_text(out, fields::value_info::kDocString, info.doc);
  append_entries(out, fields::value_info::kMetadataProps, info.metadata);
  append_unknown(out, info.origin, MessageIndex::kValueInfo);
}

void Encoder::encode(Rope& out, const Attribute& attribute) const {
  // Values that we do not understand (of an unknown kind, or of two kinds at once) can only be copied from their
  // origin.
  const bool opaque = attribute.conflicting || type_of(attribute.value) != attribute.type;
  const bool copy =
      can_copy(attribute.origin, attribute.changed) || (opaque && attribute.origin.data() && !attribute.changed);
  if (copy) {
    out.append(attribute.origin);
    return;
  }
  append_text(out, field::kName, attribute.name);
  const bool value_first = attribute.type != AttributeType::kSparseTensor &&
                           attribute.type != AttributeType::kSparseTensors && attribute.type != AttributeType::kType &&
                           attribute.type != AttributeType::kTypes;
  if (value_first) append_attribute_value(out, attribute);
  append_text(out, field::kDocString, attribute.doc);
  const bool is_type = attribute.type == AttributeType::kType || attribute.type == AttributeType::kTypes;
  if (is_type) append_attribute_value(out, attribute);
  if (attribute.states_type) append_int(out.bytes(), field::kType, static_cast<std::int32_t>(attribute.type));
  append_text(out, field::kRefAttrName, attribute.ref_name);
  if (!value_first && !is_type) append_attribute_value(out, attribute);
  append_unknown(out, attribute.origin, MessageIndex::kAttribute);
}

namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace

void Encoder::append_attribute_value(Rope& out, const Attribute& attribute) const {
  std::string& bytes = out.bytes();
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](float value) { append_float(bytes, field::kF, value); },
                 [&](std::int64_t value) { append_int(bytes, field::kI, value); },
                 [&](std::string_view value) { out.append_field(field::kS, value); },
                 [&](const Tensor* value) { append_message(out, field::kT, *value); },
                 [&](const Graph* value) { append_message(out, field::kG, *value); },
                 [&](const SparseTensor* value) { append_message(out, field::kSparseTensor, *value); },
                 [&](const Type* value) { append_message(out, field::kTp, *value); },
                 [&](std::span<const float> values) {
                   for (const float value : values) append_float(bytes, field::kFloats, value);
                 },
                 [&](std::span<const std::int64_t> values) {
                   for (const std::int64_t value : values) append_int(bytes, field::kInts, value);
                 },
                 [&](std::span<const std::string_view> values) {
                   for (const std::string_view value : values) out.append_field(field::kStrings, value);
                 },
                 [&](std::span<Tensor* const> values) {
                   for (const Tensor* value : values) append_message(out, field::kTensors, *value);
                 },
                 [&](std::span<Graph* const> values) {
                   for (const Graph* value : values) append_message(out, field::kGraphs, *value);
                 },
                 [&](std::span<SparseTensor* const> values) {
                   for (const SparseTensor* value : values) append_message(out, field::kSparseTensors, *value);
                 },
                 [&](std::span<const Type* const> values) {
                   for (const Type* value : values) append_message(out, field::kTypeProtos, *value);
                 },
             },
             attribute.value);
}

}  // namespace onnxpress::format
