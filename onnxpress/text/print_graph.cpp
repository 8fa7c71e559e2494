// Graphs and nodes as text: one node per line, one initializer or type per line.
#include <algorithm>
#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/printer.h"

namespace onnxpress::text {

namespace {

// A graph's inputs and outputs are on one line if it is no longer than this.
constexpr std::size_t kLongestLine = 120;

bool has_denotation(const Type* type) {
  return type && (!type->denotation.empty() || std::any_of(type->dim_denotations.begin(), type->dim_denotations.end(),
                                                           [](auto text) { return !text.empty(); }));
}

bool is_annotated(const ValueInfo* info) {
  return !info->doc.empty() || !info->metadata.empty() || has_denotation(info->type);
}

bool any_annotated(std::span<ValueInfo* const> infos) {
  return std::any_of(infos.begin(), infos.end(), [](const ValueInfo* info) { return is_annotated(info); });
}

bool is_annotated(const Graph& graph) {
  return !is_plain_name(graph.name()) || !graph.doc().empty() || !graph.metadata().empty() ||
         !graph.quantization_annotations().empty();
}

bool has_bodies(const Node& node) {
  bool any = false;
  for (const Attribute* attribute : node.attributes())
    for_each_graph_in(*attribute, [&any](const Graph&) { any = true; });
  return any;
}

}  // namespace

// --- Annotations

void Printer::print_annotation(std::string_view key) { fmt::format_to(std::back_inserter(out_), "#@ {}: ", key); }

void Printer::print_doc_and_metadata(std::string_view doc, std::span<const MetadataEntry> metadata) {
  if (!doc.empty()) {
    print_annotation("doc_string");
    append_quoted_line(out_, doc);
    line();
  }
  if (!metadata.empty()) {
    print_annotation("metadata_props");
    print_entries(metadata, true);
    line();
  }
}

void Printer::print_blobs(std::string_view key, std::span<const std::string_view> blobs) {
  if (blobs.empty()) return;
  print_annotation(key);
  out_ += '[';
  print_list(blobs, [this](std::string_view blob) {
    out_ += '"';
    for (const char c : blob) fmt::format_to(std::back_inserter(out_), "{:02x}", static_cast<unsigned char>(c));
    out_ += '"';
  });
  out_ += ']';
  line();
}

void Printer::print_graph_annotations(const Graph& graph, const Model* model) {
  print_doc_and_metadata(graph.doc(), graph.metadata());
  if (!graph.quantization_annotations().empty()) {
    print_annotation("quantization_annotation");
    out_ += '[';
    print_list(graph.quantization_annotations(), [this](const QuantizationAnnotation& annotation) {
      append_quoted_line(out_, annotation.tensor_name);
      out_ += ": ";
      print_entries(annotation.parameters, true);
    });
    out_ += ']';
    line();
  }
  if (model) print_blobs("configuration", model->device_configurations);
}

// --- Graphs

void Printer::print_graph(const Graph& graph, const Model* model) {
  node_ = nullptr;
  print_graph_annotations(graph, model);
  append_name(out_, graph.name());
  print_graph_after_name(graph);
}

void Printer::print_graph_after_name(const Graph& graph) {
  print_signature(graph, Types::kShown);
  print_block(graph);
  print_nodes(graph);
}

// The official parser does not accept quoted names for bodies, so those are annotations.
void Printer::print_body(const Graph& body) {
  if (options_.hide_bodies) {
    append_name(out_, body.name());
    out_ += " {...}";
    return;
  }
  const Node* outer = std::exchange(node_, nullptr);
  const std::size_t shift = is_annotated(body) ? 2 : 0;
  indent_ += shift;
  if (shift > 0) {
    if (out_.ends_with(' ')) out_.pop_back();
    line();
  }
  print_graph_annotations(body, nullptr);
  if (is_plain_name(body.name())) {
    out_ += body.name();
  } else {
    print_annotation("name");
    append_quoted_line(out_, body.name());
    line();
    out_ += "graph";
  }
  print_graph_after_name(body);
  indent_ -= shift;
  node_ = outer;
}

// All inputs are on one line, and so are all outputs, unless they are annotated or the line gets too long; then each
// has its own line.
void Printer::print_signature(const Graph& graph, Types types) {
  const std::size_t begin = out_.size(), line_end = out_.rfind('\n');
  const std::size_t line_begin = line_end + 1;  // npos + 1 is 0
  const std::size_t longest_first =
      line_end == std::string::npos ? kLongestLine - std::min(kLongestLine, flushed_of_line_) : kLongestLine;
  const std::size_t lost_before = lost_ ? lost_->size() : 0, lost_count_before = lost_count_;
  const auto print = [&](bool break_inputs, bool break_outputs) {
    out_.resize(begin);
    if (lost_) lost_->resize(lost_before);
    lost_count_ = lost_count_before;
    out_ += ' ';
    print_declarations(graph.inputs(), types, break_inputs);
    out_ += " => ";
    print_declarations(graph.outputs(), types, break_outputs);
    const std::size_t first_end = std::min(out_.find('\n', begin), out_.size());
    const std::size_t last_begin = std::max(out_.rfind('\n') + 1, line_begin);
    return first_end - line_begin <= longest_first &&
           out_.size() - last_begin <= (last_begin == line_begin ? longest_first : kLongestLine);
  };
  const bool inputs_broken = any_annotated(graph.inputs()), outputs_broken = any_annotated(graph.outputs());
  if (print(inputs_broken, outputs_broken)) return;
  if (print(true, outputs_broken) || print(inputs_broken, true)) return;
  print(true, true);
}

void Printer::print_declarations(std::span<ValueInfo* const> infos, Types types, bool broken) {
  const bool one_line = !broken || infos.empty();
  out_ += '(';
  if (!one_line) indent_ += 2;
  bool first = true;
  for (const ValueInfo* info : infos) {
    if (!first) out_ += one_line ? ", " : ",";
    first = false;
    if (!one_line) line();
    if (types == Types::kShown) {
      print_declaration(*info);
    } else {
      print_value(info->value);
    }
  }
  if (!one_line) {
    indent_ -= 2;
    line();
  }
  out_ += ')';
}

void Printer::print_declaration(const ValueInfo& info) {
  print_doc_and_metadata(info.doc, info.metadata);
  if (const Type* type = info.type) {
    if (!type->denotation.empty()) {
      print_annotation("denotation");
      append_quoted_line(out_, type->denotation);
      line();
    }
    if (std::any_of(type->dim_denotations.begin(), type->dim_denotations.end(),
                    [](auto text) { return !text.empty(); })) {
      print_annotation("dim_denotations");
      out_ += '[';
      print_list(type->dim_denotations, [this](std::string_view text) { append_quoted_line(out_, text); });
      out_ += ']';
      line();
    }
    lose_denotations(*type, true);
    print_type(type);
    if (type->kind != Type::Kind::kNone) out_ += ' ';
  }
  print_value(info.value);
}

void Printer::print_block(const Graph& graph) {
  const std::size_t count =
      graph.initializers().size() + graph.sparse_initializers().size() + graph.value_infos().size();
  if (count == 0) {
    out_ += ' ';
    return;
  }
  line();
  out_ += '<';
  indent_ += 2;
  bool first = true;
  const auto next = [&] {
    if (!first) out_ += ',';
    first = false;
    line();
  };
  for (const Value* value : graph.initializers()) {
    const Tensor& tensor = *value->initializer();
    next();
    print_doc_and_metadata(tensor.doc, tensor.metadata);
    print_tensor_type(tensor);
    out_ += ' ';
    print_value(value);
    out_ += " = ";
    print_data(tensor);
    flush_if_full();
  }
  for (const Value* value : graph.sparse_initializers()) {
    next();
    print_sparse(*value->sparse_initializer(), value);
  }
  for (const ValueInfo* info : graph.value_infos()) {
    next();
    print_declaration(*info);
  }
  indent_ -= 2;
  line();
  out_ += '>';
  line();
}

// --- Nodes

void Printer::print_nodes(const Graph& graph) {
  out_ += '{';
  indent_ += 2;
  for (const Node& node : graph.nodes()) {
    line();
    print_node(node);
    flush_if_full();
  }
  node_ = nullptr;
  indent_ -= 2;
  line();
  out_ += '}';
}

void Printer::print_node(const Node& node) {
  node_ = &node;
  print_doc_and_metadata(node.doc(), node.metadata());
  print_blobs("device_configurations", node.device_configurations());
  print_tensor_names(node);
  if (!node.name().empty()) {
    out_ += '[';
    append_word(out_, node.name());
    out_ += "] ";
  }
  print_list(node.outputs(), [this](const Value* value) { print_value(value); });
  out_ += node.outputs().empty() ? "= " : " = ";
  print_operator(node);
  const bool bodies = has_bodies(node);
  if (!bodies) print_attributes(node, false);
  out_ += " (";
  print_list(node.inputs(), [this](const Use& use) { print_value(use.value()); });
  out_ += ')';
  if (bodies) print_attributes(node, true);
}

void Printer::print_tensor_names(const Node& node) {
  std::vector<MetadataEntry> names;
  for (const Attribute* attribute : node.attributes()) {
    const auto* tensor = std::get_if<Tensor*>(&attribute->value);
    if (tensor && !(*tensor)->name.empty() && !is_plain_name((*tensor)->name)) {
      names.push_back({attribute->name, (*tensor)->name});
    }
  }
  if (names.empty()) return;
  print_annotation("tensor_names");
  print_entries(names, true);
  line();
}

void Printer::print_operator(const Node& node) {
  if (!node.domain().empty()) {
    if (is_qualified(node.domain())) {
      out_ += node.domain();
    } else {
      append_quoted(out_, node.domain());
    }
    out_ += '.';
  }
  append_word(out_, node.op_type());
  if (!node.overload().empty()) {
    out_ += ':';
    append_word(out_, node.overload());
  }
}

// Values that we made have no name until they are written.
void Printer::print_value(const Value* value) {
  if (!value) {
    out_ += "\"\"";
    return;
  }
  if (!value->name().empty()) {
    append_name(out_, value->name());
    return;
  }
  out_ += made_name(*value);
}

const std::string& Printer::made_name(const Value& value) {
  std::string& name = made_names_[&value];
  while (name.empty() || value.graph()->context().names.find(name) != NameTable::kNone) {
    name = fmt::format("v{}", next_made_name_++);
  }
  return name;
}

}  // namespace onnxpress::text
