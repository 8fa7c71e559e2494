// Walks a model and removes texts.
#include "onnxpress/tasks/files/strip.h"

#include <algorithm>

#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

class Stripper {
 public:
  Stripper(const StripOptions& options, StripReport& report, bool keep_layers = false)
      : options_(options), report_(report), keeps_layers_(keep_layers) {}

  // Removes the text if that is requested; true when there was one. A field with an empty text counts, too.
  bool strip_doc(std::string_view& doc) const { return options_.strip_docs && removed(doc, report_.docs); }

  template <typename List>
  bool strip_metadata(List& metadata) const {
    if (!options_.strip_metadata || metadata.empty()) return false;
    report_.metadata += metadata.size();
    metadata = {};
    return true;
  }

  void strip_graph(Graph& graph) const {
    std::string_view doc = graph.doc();
    if (strip_doc(doc)) graph.set_doc(doc);
    std::span<const MetadataEntry> metadata = graph.metadata();
    if (strip_metadata(metadata)) graph.set_metadata({});
    if (options_.strip_value_info && !graph.value_infos().empty()) {
      report_.value_infos += graph.value_infos().size();
      graph.clear_value_infos();
    }
    for (const auto& list : {graph.inputs(), graph.outputs(), graph.value_infos()}) {
      for (ValueInfo* info : list) {
        if (strip_texts(*info)) graph.mark_changed(*info);
      }
    }
    for (Value* value : graph.initializers()) {
      if (strip_texts(*value->initializer())) graph.mark_changed(*value);
    }
    for (Value* value : graph.sparse_initializers()) {
      const SparseTensor& sparse = *value->sparse_initializer();
      bool stripped = false;
      for (Tensor* part : {sparse.values, sparse.indices}) stripped |= part && strip_texts(*part);
      if (stripped) graph.mark_changed(*value);
    }
    for (Node& node : graph.nodes()) strip_node(graph, node);
  }

  bool strip_attribute(Attribute& attribute) const {
    bool tensors = false;
    for_each_tensor_in(attribute, [&](Tensor& tensor) {
      const bool here = strip_texts(tensor);
      tensor.changed |= here;
      tensors |= here;
    });
    if (auto* const* sparse = std::get_if<SparseTensor*>(&attribute.value)) (*sparse)->changed |= tensors;
    if (const auto* many = std::get_if<std::span<SparseTensor* const>>(&attribute.value)) {
      for (SparseTensor* each : *many) each->changed |= tensors;
    }
    const bool stripped = strip_doc(attribute.doc) || tensors;
    attribute.changed |= stripped;
    return stripped;
  }

 private:
  static bool removed(std::string_view& text, std::uint64_t& count) {
    if (!text.data()) return false;
    text = {};
    ++count;
    return true;
  }

  // Strips the texts of a declaration or a tensor.
  template <typename T>
  bool strip_texts(T& part) const {
    const bool doc = strip_doc(part.doc);
    const bool metadata = strip_metadata(part.metadata);
    return doc || metadata;
  }

  void strip_node(Graph& graph, Node& node) const {
    std::string_view name = node.name(), doc = node.doc();
    const bool unnamed = options_.strip_names && removed(name, report_.names);
    const bool undocumented = strip_doc(doc);
    if (unnamed || undocumented) graph.set_node_texts(node, name, doc);
    std::span<const MetadataEntry> metadata = node.metadata();
    const auto layers = std::ranges::find(metadata, kLayersKey, &MetadataEntry::key);
    const bool keeps_layers = keeps_layers_ && layers != metadata.end();
    const auto kept = keeps_layers ? std::span<const MetadataEntry>(layers, 1) : std::span<const MetadataEntry>();
    if (kept.size() < metadata.size() && strip_metadata(metadata)) graph.set_node_metadata(node, kept);
    for (Attribute* attribute : node.attributes()) {
      if (strip_attribute(*attribute)) graph.mark_changed(node, *attribute);
    }
  }

  const StripOptions& options_;
  StripReport& report_;
  bool keeps_layers_;
};

// Everything but the texts of the model itself.
void strip_inside(Model& model, const Stripper& stripper) {
  for (Function* function : model.functions) {
    const bool doc = stripper.strip_doc(function->doc);
    const bool metadata = stripper.strip_metadata(function->metadata);
    bool defaults = false;
    for (Attribute* attribute : function->attribute_defaults) defaults |= stripper.strip_attribute(*attribute);
    if (doc || metadata || defaults) function->changed = true;
  }
  for_each_graph(model, [&stripper](Graph& graph) { stripper.strip_graph(graph); });
}

std::uint64_t bytes_of(std::span<const MetadataEntry> metadata) {
  std::uint64_t bytes = 0;
  for (const MetadataEntry& each : metadata) bytes += each.key.size() + each.value.size();
  return bytes;
}

}  // namespace

StripReport strip(Model& model, const StripOptions& options) {
  StripReport report;
  const Stripper stripper(options, report);
  const bool undocumented = stripper.strip_doc(model.doc);
  const bool without_metadata = stripper.strip_metadata(model.metadata);
  if (undocumented || without_metadata) model.mark_changed();
  strip_inside(model, stripper);
  return report;
}

StripReport strip_origins(Model& model, bool keep_layers) {
  const StripOptions options{.strip_docs = true, .strip_metadata = true};
  StripReport report;
  strip_inside(model, Stripper(options, report, keep_layers));
  return report;
}

std::uint64_t origin_bytes(const Model& model) {
  std::uint64_t bytes = 0;
  for_each_graph(model, [&bytes](Graph& graph) {
    bytes += graph.doc().size() + bytes_of(graph.metadata());
    for (const auto& list : {graph.inputs(), graph.outputs(), graph.value_infos()}) {
      for (const ValueInfo* info : list) bytes += info->doc.size() + bytes_of(info->metadata);
    }
    for (const Node& node : graph.nodes()) bytes += node.doc().size() + bytes_of(node.metadata());
  });
  return bytes;
}

}  // namespace onnxpress
