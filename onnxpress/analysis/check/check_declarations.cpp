// Checks declared types: inputs and outputs of the main graph have valid ones, which agree with initializers.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

std::string number_text(ElementType type) { return fmt::format("{}", static_cast<std::int32_t>(type)); }

// Some exporters write -1 for "any size", so a negative size counts as unknown.
std::optional<std::int64_t> certain_size(Dim dim) {
  const auto size = dim.size();
  return size && *size >= 0 ? size : std::nullopt;
}

bool may_be_same_shape(std::span<const Dim> declared, std::span<const std::int64_t> actual) {
  return std::equal(declared.begin(), declared.end(), actual.begin(), actual.end(),
                    [](Dim dim, std::int64_t size) { return certain_size(dim).value_or(size) == size; });
}

bool may_be_same_shape(const Type& a, const Type& b) {
  if (!a.has_shape || !b.has_shape) return true;
  return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), [](Dim x, Dim y) {
    const auto m = certain_size(x), n = certain_size(y);
    return !m || !n || *m == *n;
  });
}

class DeclarationChecker {
 public:
  DeclarationChecker(const Model& model, FindingList& found) : model_(model), found_(found) {}

  void check_graph(const Graph& graph) {
    check_list(graph, graph.inputs(), "input");
    check_list(graph, graph.outputs(), "output");
    check_list(graph, graph.value_infos(), "value_info");
    check_unused(graph, graph.initializers());
    check_unused(graph, graph.sparse_initializers());
    for (const QuantizationAnnotation& annotation : graph.quantization_annotations())
      check_annotation(graph, annotation);
  }

 private:
  // A declaration in words, for messages and places.
  struct Declared {
    const Graph& graph;
    const ValueInfo& info;
    std::string_view list;  // "input", "output", "value_info"
    std::string_view name() const { return info.value ? info.value->name() : std::string_view(); }
  };

  void add(Severity severity, std::string_view code, const Declared& declared, std::string message) {
    found_.add(
        severity, code,
        [&] {
          return fmt::format("{}, {} {}", found_.places.of(declared.graph), declared.list, quote_name(declared.name()));
        },
        std::move(message));
  }

  void check_list(const Graph& graph, std::span<ValueInfo* const> list, std::string_view name);
  void check_presence(const Declared& declared);
  void check_type(const Declared& declared, const Type& type);
  void check_initializer(const Declared& declared);
  void check_agreement(const Declared& declared);
  void check_unused(const Graph& graph, std::span<Value* const> initializers);
  void check_annotation(const Graph& graph, const QuantizationAnnotation& annotation);

  const Model& model_;
  FindingList& found_;
};

void DeclarationChecker::check_list(const Graph& graph, std::span<ValueInfo* const> list, std::string_view name) {
  const bool is_interface = name != "value_info";
  std::size_t unknown = 0;
  std::string_view first_unknown;
  for (const ValueInfo* info : list) {
    const Declared declared{graph, *info, name};
    if (is_interface && &graph == &model_.graph()) check_presence(declared);
    if (!is_interface && (!info->value || !info->value->is_defined())) {
      if (unknown++ == 0) first_unknown = declared.name();
    }
    if (!info->type || !info->value) continue;
    check_type(declared, *info->type);
    check_agreement(declared);
    check_initializer(declared);
  }
  if (unknown > 0) {  // a single finding: models cut out of larger ones have dozens of these
    found_.add(Severity::kNote, "unknown-value-info", graph,
               fmt::format("{} for values that are not in this graph, first {}",
                           counted(unknown, "value_info entry", "value_info entries"), quote_name(first_unknown)));
  }
}

// Inputs and outputs of the main graph must have types; those of bodies follow from the graph around them.
void DeclarationChecker::check_presence(const Declared& declared) {
  const Type* type = declared.info.type;
  if (!type || type->kind == Type::Kind::kNone) {
    add(Severity::kError, "missing-type", declared, "has no type");
  } else if (type->is_tensor() && !type->has_shape) {
    add(Severity::kError, "missing-shape", declared, "has no shape, not even a rank");
  }
}

void DeclarationChecker::check_type(const Declared& declared, const Type& type) {
  for (const Type* part = &type; part; part = part->inner) {
    const bool has_element = part->is_tensor() || part->kind == Type::Kind::kMap;
    const bool is_interface = declared.list != "value_info" && &declared.graph == &model_.graph();
    if (has_element && !is_known(part->element)) {
      // Outside the interface, an undefined element type means that none is declared.
      if (part->element != ElementType::kUndefined || is_interface) {
        add(Severity::kError, "unknown-element-type", declared,
            fmt::format("element type {} does not exist", number_text(part->element)));
      }
    } else if (part->kind == Type::Kind::kMap && !is_integer(part->element) && part->element != ElementType::kString) {
      add(Severity::kError, "map-key-type", declared,
          fmt::format("{} cannot be the key of a map", name_of(part->element)));
    }
    if (part->kind == Type::Kind::kOpaque && part->opaque_name.empty() && is_interface)
      add(Severity::kError, "missing-type", declared, "is opaque, but the type has no name");
    const bool needs_inner = part->kind != Type::Kind::kNone && !part->is_tensor() && part->kind != Type::Kind::kOpaque;
    if (needs_inner && !part->inner && is_interface) {
      add(Severity::kError, "missing-type", declared,
          fmt::format("{} does not state its element type", to_string(&type)));
    }
    if (std::any_of(part->dims.begin(), part->dims.end(), [](Dim dim) { return dim.size().value_or(0) < 0; })) {
      add(Severity::kWarning, "negative-dim", declared,
          fmt::format("{} has a negative dimension, which counts as unknown", to_string(part)));
    }
  }
}

// All declarations of one value (its output and its value_info) must agree.
void DeclarationChecker::check_agreement(const Declared& declared) {
  const Type* first = declared.info.value->type();
  const Type* type = declared.info.type;
  if (!first || first == type || first->kind == Type::Kind::kNone || type->kind == Type::Kind::kNone) return;
  const bool same_kind = first->kind == type->kind &&
                         (!type->is_tensor() || first->element == type->element ||
                          first->element == ElementType::kUndefined || type->element == ElementType::kUndefined);
  if (same_kind && may_be_same_shape(*first, *type)) return;
  add(same_kind ? Severity::kNote : Severity::kWarning, "conflicting-types", declared,
      fmt::format("is declared as {} and as {}", to_string(type), to_string(first)));
}

void DeclarationChecker::check_initializer(const Declared& declared) {
  const Type& type = *declared.info.type;
  const Tensor* tensor = declared.info.value->initializer();
  if (!tensor || type.kind == Type::Kind::kNone) return;
  const std::string actual = to_string(tensor->type, tensor->dims);
  if (type.kind != Type::Kind::kTensor || (type.element != tensor->type && type.element != ElementType::kUndefined)) {
    add(Severity::kError, "initializer-type", declared,
        fmt::format("is declared as {}, but its initializer is {}", to_string(&type), actual));
  } else if (type.has_shape && !may_be_same_shape(type.dims, tensor->dims)) {
    add(Severity::kError, "initializer-shape", declared,
        fmt::format("is declared as {}, but its initializer is {}", to_string(&type), actual));
  }
}

void DeclarationChecker::check_unused(const Graph& graph, std::span<Value* const> initializers) {
  for (const Value* value : initializers) {
    if (!value->is_input() && model_.ir_version.value_or(0) <= 3 && model_.ir_version.value_or(0) > 0 &&
        !graph.owner()) {
      found_.add(
          Severity::kError, "initializer-not-input", [&] { return found_.places.initializer(graph, value->name()); },
          "is not a graph input, which IR version 3 and older require");
    }
    if (value->first_use() || value->is_output()) continue;
    found_.add(
        Severity::kNote, "unused-initializer", [&] { return found_.places.initializer(graph, value->name()); },
        "nothing reads it");
  }
}

void DeclarationChecker::check_annotation(const Graph& graph, const QuantizationAnnotation& annotation) {
  if (model_.context().names.find(annotation.tensor_name) != NameTable::kNone) return;
  found_.add(
      Severity::kNote, "unknown-annotation", graph,
      fmt::format("a quantization annotation names {}, which does not exist", quote_name(annotation.tensor_name)));
}

}  // namespace

void check_declarations(const Model& model, FindingList& found) {
  DeclarationChecker checker(model, found);
  for_each_graph(model, [&checker](const Graph& graph) { checker.check_graph(graph); });
}

}  // namespace onnxpress::analysis
