// Walks a model and removes texts.
#include "onnxpress/tasks/files/strip.h"

#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

class Stripper {
 public:
  Stripper(const StripOptions& options, StripReport& report) : options_(options), report_(report) {}

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
    if (strip_metadata(metadata)) graph.set_node_metadata(node, {});
    for (Attribute* attribute : node.attributes()) {
      if (strip_attribute(*attribute)) graph.mark_changed(node, *attribute);
    }
  }

  const StripOptions& options_;
  StripReport& report_;
};

}  // namespace

StripReport strip(Model& model, const StripOptions& options) {
  StripReport report;
  const Stripper stripper(options, report);
  const bool undocumented = stripper.strip_doc(model.doc);
  const bool without_metadata = stripper.strip_metadata(model.metadata);
  if (undocumented || without_metadata) model.mark_changed();
  for (Function* function : model.functions) {
    const bool doc = stripper.strip_doc(function->doc);
    const bool metadata = stripper.strip_metadata(function->metadata);
    bool defaults = false;
    for (Attribute* attribute : function->attribute_defaults) defaults |= stripper.strip_attribute(*attribute);
    if (doc || metadata || defaults) function->changed = true;
  }
  for_each_graph(model, [&stripper](Graph& graph) { stripper.strip_graph(graph); });
  return report;
}

}  // namespace onnxpress
