// Nodes by themselves: op types, node names and attributes.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

bool is_known_type(AttributeType type) {
  const auto number = static_cast<std::int32_t>(type);
  return number > 0 && number < kAttributeTypeCount;
}

// For these types a missing value is an error; a missing number or list reads as zero or as an empty list.
bool needs_value(AttributeType type) {
  switch (type) {
    case AttributeType::kTensor:
    case AttributeType::kGraph:
    case AttributeType::kSparseTensor:
    case AttributeType::kType:
      return true;
    default:
      return false;
  }
}

class NodeChecker {
 public:
  NodeChecker(const Model& model, FindingList& found) : model_(model), found_(found) {}

  // `function` is null outside of functions.
  void check_root(Graph& root, const Function* function) {
    function_ = function;
    parameters_.clear();
    if (function) {
      parameters_.insert(function->attribute_names.begin(), function->attribute_names.end());
      for (const Attribute* attribute : function->attribute_defaults) parameters_.insert(attribute->name);
    }
    for_each_graph(root, [this](const Graph& graph) { check_graph(graph); });
  }

  void report_unnamed() {
    if (unnamed_ == 0) return;
    found_.add_to_model(
        Severity::kNote, "unnamed-nodes",
        fmt::format("{} of {} {} no name", unnamed_, counted(total_, "node"), unnamed_ == 1 ? "has" : "have"));
  }

 private:
  void check_graph(const Graph& graph);
  void check_node(const Node& node);
  void check_attributes(const Node& node);
  void check_attribute(const Node& node, const Attribute& attribute);
  void check_reference(const Node& node, const Attribute& attribute);
  void add(Severity severity, std::string_view code, const Node& node, const Attribute& attribute,
           std::string message) {
    found_.add(
        severity, code, [&] { return found_.places.of(node, attribute); }, std::move(message));
  }

  const Model& model_;
  FindingList& found_;
  const Function* function_ = nullptr;
  std::unordered_set<std::string_view> parameters_;
  std::unordered_set<std::string_view> seen_;
  std::unordered_map<std::string_view, const Node*> names_;
  std::size_t unnamed_ = 0, total_ = 0;
};

void NodeChecker::check_graph(const Graph& graph) {
  names_.clear();
  names_.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) {
    ++total_;
    check_node(node);
    if (node.name().empty()) {
      ++unnamed_;
    } else if (node.is("Constant")) {
      continue;  // ONNX Runtime turns it into an initializer, so its node name does not matter
    } else if (const auto [first, is_new] = names_.emplace(node.name(), &node); !is_new) {
      // The onnx package accepts this, but ONNX Runtime does not load it.
      found_.add(Severity::kError, "duplicate-node-name", node,
                 fmt::format("has the same name as {}", found_.places.short_of(*first->second)));
    }
  }
}

void NodeChecker::check_node(const Node& node) {
  if (node.op_type().empty()) found_.add(Severity::kError, "empty-op-type", node, "has no op type");
  if (node.input_count() == 0 && node.output_count() == 0) {
    found_.add(Severity::kError, "idle-node", node, "has neither inputs nor outputs");
  }
  if (!node.attributes().empty()) check_attributes(node);
}

void NodeChecker::check_attributes(const Node& node) {
  seen_.clear();
  for (const Attribute* attribute : node.attributes()) {
    if (attribute->name.empty()) {
      found_.add(Severity::kError, "empty-attribute-name", node, "an attribute has no name");
    } else if (node.attributes().size() > 1 && !seen_.insert(attribute->name).second) {
      add(Severity::kError, "duplicate-attribute", node, *attribute, "occurs more than once");
    }
    check_attribute(node, *attribute);
  }
}

void NodeChecker::check_attribute(const Node& node, const Attribute& attribute) {
  if (!is_known_type(attribute.type)) {
    add(Severity::kError, "attribute-type", node, attribute,
        attribute.type == AttributeType::kUndefined
            ? "has no type"
            : fmt::format("type {} does not exist", static_cast<std::int32_t>(attribute.type)));
  } else if (!attribute.states_type && model_.ir_version.value_or(0) >= 2) {
    add(Severity::kError, "attribute-type", node, attribute,
        fmt::format("does not state its type; its value is of type {}", name_of(attribute.type)));
  }
  if (attribute.conflicting) {
    add(Severity::kError, "attribute-conflict", node, attribute,
        fmt::format("is of type {}, but has a value of another type as well", name_of(attribute.type)));
  }
  if (attribute.is_reference()) {
    check_reference(node, attribute);
  } else if (needs_value(attribute.type) && std::holds_alternative<std::monostate>(attribute.value)) {
    add(Severity::kError, "attribute-value", node, attribute,
        fmt::format("is of type {}, but has no value", name_of(attribute.type)));
  }
}

void NodeChecker::check_reference(const Node& node, const Attribute& attribute) {
  if (!function_) {
    add(Severity::kError, "attribute-reference", node, attribute,
        fmt::format("refers to the parameter {}, but is not inside a function", quote_name(attribute.ref_name)));
  } else if (!parameters_.contains(attribute.ref_name)) {
    add(Severity::kError, "attribute-reference", node, attribute,
        fmt::format("refers to {}, which is not a parameter of the function", quote_name(attribute.ref_name)));
  }
  if (!std::holds_alternative<std::monostate>(attribute.value)) {
    add(Severity::kError, "attribute-conflict", node, attribute,
        fmt::format("refers to {}, but has a value as well", quote_name(attribute.ref_name)));
  }
}

}  // namespace

void check_nodes(const Model& model, FindingList& found) {
  NodeChecker checker(model, found);
  checker.check_root(model.graph(), nullptr);
  for (const Function* function : model.functions) checker.check_root(*function->body, function);
  for (const TrainingInfo* training : model.training) {
    for (Graph* graph : {training->initialization, training->algorithm}) {
      if (graph) checker.check_root(*graph, nullptr);
    }
  }
  checker.report_unnamed();
}

}  // namespace onnxpress::analysis
