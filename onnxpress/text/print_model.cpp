// The outermost parts: header, main graph, functions.
#include "onnxpress/text/print_model.h"

#include "onnxpress/base/error.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/text/limits.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/printer.h"

namespace onnxpress::text {

namespace {

// "<name: value, ...>" before a graph or function, with one line per field; nothing at all if there are no fields.
class FieldList {
 public:
  explicit FieldList(std::string& out) : out_(out) {}

  // The caller appends the value next.
  void key(std::string_view word) {
    out_ += empty_ ? "<\n  " : ",\n  ";
    empty_ = false;
    fmt::format_to(std::back_inserter(out_), "{}: ", word);
  }
  void text(std::string_view word, std::string_view value) {
    if (!value.data()) return;
    key(word);
    append_quoted(out_, value);
  }
  void integer(std::string_view word, const std::optional<std::int64_t>& value) {
    if (!value) return;
    key(word);
    out_ += std::to_string(*value);
  }
  void end() {
    if (!empty_) out_ += "\n>\n";
  }

 private:
  std::string& out_;
  bool empty_ = true;
};

}  // namespace

void Printer::lose(const std::string& what) {
  if (!lost_) return;
  if (++lost_count_ > kMaxLost) return;
  lost_->push_back(node_ ? fmt::format("node {} ({}): {}", quote_name(node_->name()), node_->op_type(), what) : what);
}

// Makes the names that name_values() would give, so that a model prints the same before and after it is written.
void Printer::make_names(const Model& model) {
  for_each_unnamed(model, [this](const Value& value) { made_name(value); });
  for_each_graph(model, [this](const Graph& graph) {  // what is left has no name in the file either
    for (const Value* value : graph.initializers()) {
      if (value->name().empty()) made_name(*value);
    }
    for (const Node& node : graph.nodes()) {
      for (const Value* value : node.outputs()) {
        if (value && value->name().empty()) made_name(*value);
      }
    }
  });
}

void Printer::flush() {
  if (!sink_) return;
  const std::size_t line_end = out_.rfind('\n');
  flushed_of_line_ = line_end == std::string::npos ? flushed_of_line_ + out_.size() : out_.size() - line_end - 1;
  (*sink_)(out_);
  out_.clear();
}

void Printer::flush_if_full() {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  if (out_.size() >= kPiece) flush();
}

void Printer::print_model(const Model& model) {
  files_ = model.files;
  make_names(model);
  if (!model.has_graph) lose("that the model has no graph");
  if (!model.training.empty()) lose(fmt::format("{} entries of training_info", model.training.size()));
  print_header(model);
  print_graph(model.graph(), &model);
  out_ += '\n';
  for (const Function* function : model.functions) print_function(*function);
  if (lost_ && lost_count_ > kMaxLost) lost_->push_back(fmt::format("and {} more", lost_count_ - kMaxLost));
}

void Printer::print_header(const Model& model) {
  FieldList fields(out_);
  fields.integer("ir_version", model.ir_version);
  if (!model.opsets.empty()) {
    fields.key("opset_import");
    print_opsets(model.opsets);
  }
  fields.text("producer_name", model.producer_name);
  fields.text("producer_version", model.producer_version);
  fields.text("domain", model.domain);
  fields.integer("model_version", model.model_version);
  fields.text("doc_string", model.doc);
  if (!model.metadata.empty()) {
    fields.key("metadata_props");
    print_entries(model.metadata);
  }
  fields.end();
}

void Printer::print_opsets(const std::vector<OpsetImport>& opsets) {
  out_ += '[';
  print_list(opsets, [this](const OpsetImport& import) {
    append_quoted(out_, import.domain);
    fmt::format_to(std::back_inserter(out_), " : {}", import.version);
  });
  out_ += ']';
}

void Printer::print_entries(std::span<const MetadataEntry> entries, bool one_line) {
  const auto quote = one_line ? append_quoted_line : append_quoted;
  out_ += '[';
  print_list(entries, [&](const MetadataEntry& entry) {
    quote(out_, entry.key);
    out_ += ": ";
    quote(out_, entry.value);
  });
  out_ += ']';
}

void Printer::print_function(const Function& function) {
  out_ += '\n';
  if (!function.metadata.empty()) {
    print_annotation("metadata_props");
    print_entries(function.metadata, true);
    out_ += '\n';
  }
  FieldList fields(out_);
  fields.text("domain", function.domain);
  fields.text("overload", function.overload);
  if (!function.opsets.empty()) {
    fields.key("opset_import");
    print_opsets(function.opsets);
  }
  fields.text("doc_string", function.doc);
  fields.end();

  append_name(out_, function.name);
  print_function_attributes(function);
  print_signature(*function.body, Types::kLeftOut);
  print_block(*function.body);
  print_nodes(*function.body);
  out_ += '\n';
}

void Printer::print_function_attributes(const Function& function) {
  std::vector<const Attribute*> defaults;
  for (const Attribute* attribute : function.attribute_defaults) {
    if (can_print(*attribute)) defaults.push_back(attribute);
  }
  if (function.attribute_names.empty() && defaults.empty()) return;
  out_ += " <";
  print_list(function.attribute_names, [this](std::string_view name) { append_word(out_, name); });
  if (!function.attribute_names.empty() && !defaults.empty()) out_ += ", ";
  print_list(defaults, [this](const Attribute* attribute) { print_attribute(*attribute); });
  out_ += '>';
}

void print_model(const Model& model, const TextSink& sink, const PrintOptions& options,
                 std::vector<std::string>* lost) {
  Printer printer(options, lost, &sink);
  printer.print_model(model);
  printer.flush();
}

std::string print_model(const Model& model, const PrintOptions& options, std::vector<std::string>* lost) {
  Printer printer(options, lost);
  printer.print_model(model);
  return printer.take();
}

std::string print_graph(const Graph& graph, const PrintOptions& options) {
  Printer printer(options);
  printer.print_graph(graph);
  return printer.take();
}

std::string print_node(const Node& node, const PrintOptions& options) {
  Printer printer(options);
  printer.print_node(node);
  return printer.take();
}

}  // namespace onnxpress::text
