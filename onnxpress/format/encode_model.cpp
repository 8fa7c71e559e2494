// ModelProto, FunctionProto, TrainingInfoProto and the small messages that all share.
#include <algorithm>

#include "onnxpress/format/encoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

void Encoder::append_text(Rope& out, std::uint32_t field, std::string_view text) {
  if (text.data()) out.append_field(field, text);
}

std::string Encoder::encode_entry(const MetadataEntry& entry) {
  std::string out;
  if (entry.key.data()) append_bytes(out, fields::entry::kKey, entry.key);
  if (entry.value.data()) append_bytes(out, fields::entry::kValue, entry.value);
  return out;
}

void Encoder::append_entries(Rope& out, std::uint32_t field, std::span<const MetadataEntry> entries) {
  for (const MetadataEntry& entry : entries) append_bytes(out.bytes(), field, encode_entry(entry));
}

void Encoder::append_unknown(Rope& out, std::string_view origin, MessageIndex message) {
  if (!origin.data()) return;
  const MessageSchema& schema = schema_of(message);
  WireReader in(origin);
  while (in.next()) {
    const bool known = schema.find(in.field()) != nullptr;
    in.skip();
    if (!known) out.append(in.whole_field());
  }
}

std::string Encoder::encode_opset(const OpsetImport& import) const {
  if (can_copy(import.origin, false)) return std::string(import.origin);
  std::string out;
  if (import.domain.data()) append_bytes(out, fields::opset::kDomain, import.domain);
  append_int(out, fields::opset::kVersion, import.version);
  return out;
}

Rope Encoder::encode_model(const Model& model) const {
  Rope out;
  if (can_copy(model.origin.view(), model.changed())) {
    out.append(model.origin.view());
    return out;
  }
  // Except for weights, the result is about as long as the input; address space that is not used costs nothing.
  constexpr std::size_t kMostReserved = std::size_t{64} << 20;
  out.reserve(std::min(model.origin.size() + model.origin.size() / 16, kMostReserved));
  if (model.ir_version) append_int(out.bytes(), fields::model::kIrVersion, *model.ir_version);
  append_text(out, fields::model::kProducerName, model.producer_name);
  append_text(out, fields::model::kProducerVersion, model.producer_version);
  append_text(out, fields::model::kDomain, model.domain);
  if (model.model_version) append_int(out.bytes(), fields::model::kModelVersion, *model.model_version);
  append_text(out, fields::model::kDocString, model.doc);
  if (model.has_graph) append_message(out, fields::model::kGraph, model.graph());
  for (const OpsetImport& import : model.opsets)
    append_bytes(out.bytes(), fields::model::kOpsetImport, encode_opset(import));
  append_entries(out, fields::model::kMetadataProps, model.metadata);
  for (const TrainingInfo* training : model.training) append_message(out, fields::model::kTrainingInfo, *training);
  for (const Function* function : model.functions) append_message(out, fields::model::kFunctions, *function);
  for (const std::string_view each : model.device_configurations) out.append_field(fields::model::kConfiguration, each);
  append_unknown(out, model.origin.view(), MessageIndex::kModel);
  return out;
}

void Encoder::encode(Rope& out, const Function& function) const {
  const Graph& body = *function.body;
  if (can_copy(function.origin, function.changed || body.changed())) {
    out.append(function.origin);
    return;
  }
  append_text(out, fields::function::kName, function.name);
  for (const ValueInfo* input : body.inputs()) out.append_field(fields::function::kInput, input->value->name());
  for (const ValueInfo* output : body.outputs()) out.append_field(fields::function::kOutput, output->value->name());
  for (const std::string_view name : function.attribute_names) out.append_field(fields::function::kAttribute, name);
  for (const Node& node : body.nodes()) append_message(out, fields::function::kNode, node);
  append_text(out, fields::function::kDocString, function.doc);
  for (const OpsetImport& import : function.opsets)
    append_bytes(out.bytes(), fields::function::kOpsetImport, encode_opset(import));
  append_text(out, fields::function::kDomain, function.domain);
  for (const Attribute* each : function.attribute_defaults) {
    append_message(out, fields::function::kAttributeProto, *each);
  }
  for (const ValueInfo* info : body.value_infos()) append_message(out, fields::function::kValueInfo, *info);
  append_text(out, fields::function::kOverload, function.overload);
  append_entries(out, fields::function::kMetadataProps, function.metadata);
  append_unknown(out, function.origin, MessageIndex::kFunction);
}

void Encoder::encode(Rope& out, const TrainingInfo& training) const {
  if (can_copy(training.origin, training.changed)) {
    out.append(training.origin);
    return;
  }
  if (training.initialization) append_message(out, fields::training::kInitialization, *training.initialization);
  if (training.algorithm) append_message(out, fields::training::kAlgorithm, *training.algorithm);
  append_entries(out, fields::training::kInitializationBinding, training.initialization_binding);
  append_entries(out, fields::training::kUpdateBinding, training.update_binding);
  append_unknown(out, training.origin, MessageIndex::kTraining);
}

}  // namespace onnxpress::format
