// Checks that names are UTF-8, as protobuf requires: other readers refuse the file otherwise, and JSON cannot represent
// them.
#include <fmt/format.h>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

class TextChecker {
 public:
  TextChecker(const Model& model, FindingList& found) : model_(model), found_(found) {
    const NameTable& names = model.context().names;
    for (NameTable::Id id = 0; id < names.size(); ++id) odd_values_ |= !is_valid_utf8(names.text(id));
  }

  void check_model() {
    const auto place = [] { return std::string(); };
    for (const std::string_view text : {model_.producer_name, model_.producer_version, model_.domain}) {
      check(text, "the producer or domain", place);
    }
    for (const OpsetImport& import : model_.opsets) check(import.domain, "the domain of an opset", place);
    for (const MetadataEntry& entry : model_.metadata) check(entry.key, "the metadata key", place);
    for (const Function* function : model_.functions) check_function(*function);
    for_each_graph(model_, [this](const Graph& graph) { check_graph(graph); });
  }

 private:
  template <typename Place>
  void check(std::string_view text, std::string_view what, const Place& place) {
    if (is_valid_utf8(text)) return;
    found_.add(Severity::kError, "invalid-utf8", place,
               fmt::format("{} {} is not valid UTF-8", what, quote_name(text)));
  }

  void check_function(const Function& function) {
    const auto place = [&] { return found_.places.of(*function.body); };
    for (const std::string_view text : {function.name, function.domain, function.overload})
      check(text, "the name", place);
    for (const std::string_view name : function.attribute_names) check(name, "the parameter", place);
    for (const Attribute* attribute : function.attribute_defaults) check(attribute->name, "the parameter", place);
  }

  void check_graph(const Graph& graph) {
    const auto place = [&] { return found_.places.of(graph); };
    check(graph.name(), "the name", place);
    for (const Node& node : graph.nodes()) check_node(node);
    // The name table holds each name once, so values are checked one by one only when a name in it is invalid.
    if (!odd_values_) return;
    for (const ValueInfo* input : graph.inputs()) check_value(input->value, "input", place);
    for (const Value* value : graph.initializers()) check_value(value, "initializer", place);
    for (const Value* value : graph.sparse_initializers()) check_value(value, "initializer", place);
  }

  void check_node(const Node& node) {
    const auto place = [&] { return found_.places.of(node); };
    check(node.op_type(), "the op type", place);
    check(node.name(), "the name", place);
    check(node.domain(), "the domain", place);
    for (const Attribute* attribute : node.attributes()) check(attribute->name, "the attribute name", place);
    if (!odd_values_) return;
    for (const Value* value : node.outputs()) check_value(value, "output", place);
    for (const Use& use : node.inputs()) {
      if (use.value() && !use.value()->is_defined()) check_value(use.value(), "input", place);
    }
  }

  template <typename Place>
  void check_value(const Value* value, std::string_view what, const Place& place) {
    if (value) check(value->name(), what, place);
  }

  const Model& model_;
  FindingList& found_;
  bool odd_values_ = false;
};

}  // namespace

void check_texts(const Model& model, FindingList& found) { TextChecker(model, found).check_model(); }

}  // namespace onnxpress::analysis
