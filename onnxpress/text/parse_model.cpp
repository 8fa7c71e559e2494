// The outermost parts of a text: the header in "<...>", the main graph, and functions.
#include "onnxpress/text/parse_model.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/text/build_model.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

void Parser::parse_header() {
  if (!in_.take('<')) return;
  do {
    parse_header_entry();
  } while (in_.take(','));
  in_.expect('>', "after the model's header");
}

void Parser::parse_header_entry() {
  const char* place = in_.place();
  const std::string_view key = in_.identifier("a key of the model's header, such as ir_version");
  in_.expect(':', fmt::format("after {}", quote_name(key)));
  const auto once = [&](bool is_set) {
    if (is_set) in_.fail_at(place, fmt::format("{} is given twice", quote_name(key)));
  };
  const auto text = [&](std::string_view& field) {
    once(field.data() != nullptr);
    field = parse_text("a string");
  };
  const auto integer = [&](std::optional<std::int64_t>& field) {
    once(field.has_value());
    field = parse_integer("an integer");
  };
  if (key == "ir_version") {
    integer(model_.ir_version);
  } else if (key == "model_version") {
    integer(model_.model_version);
  } else if (key == "producer_name") {
    text(model_.producer_name);
  } else if (key == "producer_version") {
    text(model_.producer_version);
  } else if (key == "domain") {
    text(model_.domain);
  } else if (key == "doc_string") {
    text(model_.doc);
  } else if (key == "opset_import") {
    once(!model_.opsets.empty());
    model_.opsets = parse_opsets();
  } else if (key == "metadata_props") {
    once(!model_.metadata.empty());
    model_.metadata = parse_entries("metadata");
  } else {
    in_.fail_at(place, fmt::format("a model's header has no {}", quote_name(key)),
                "known: ir_version, opset_import, producer_name, producer_version, domain, model_version, doc_string, "
                "metadata_props");
  }
}

GraphSyntax Parser::parse_main_graph() {
  GraphSyntax graph;
  graph.annotations = parse_annotations(kDoc | kMetadata | kQuantization | kConfigurations, "the main graph");
  parse_graph(graph);
  return graph;
}

// --- Functions: "<domain: "d", opset_import: ["" : 18]> name <attributes> (inputs) => (outputs) <types> { nodes }"

FunctionSyntax Parser::parse_function() {
  FunctionSyntax function;
  function.annotations = parse_annotations(kMetadata, "a function");
  parse_function_header(function);
  function.name = in_.name("a function, or the end of the text");
  parse_function_attributes(function);
  GraphSyntax& body = function.body;
  parse_function_values(body.inputs, body.value_infos, "a function input");
  in_.expect("=>", "after the function's inputs");
  parse_function_values(body.outputs, body.value_infos, "a function output");
  if (in_.take('<') && !in_.take('>')) {
    do {
      body.value_infos.push_back(parse_declaration("a value"));
    } while (in_.take(','));
    in_.expect('>', "after the function's values");
  }
  ++graph_depth_;
  body.nodes = parse_nodes();
  --graph_depth_;
  return function;
}

void Parser::parse_function_header(FunctionSyntax& function) {
  if (!in_.take('<')) return;
  do {
    const char* place = in_.place();
    const std::string_view key = in_.identifier("a key of the function's header, such as domain");
    in_.expect(':', fmt::format("after {}", quote_name(key)));
    if (key == "opset_import") {
      function.opsets = parse_opsets();
      continue;
    }
    std::string_view* field = key == "domain"       ? &function.domain
                              : key == "overload"   ? &function.overload
                              : key == "doc_string" ? &function.doc
                                                    : nullptr;
    if (!field) {
      in_.fail_at(place, fmt::format("a function's header has no {}", quote_name(key)),
                  "known: domain, overload, opset_import, doc_string");
    }
    *field = parse_text("a string");
  } while (in_.take(','));
  in_.expect('>', "after the function's header");
}

void Parser::parse_function_attributes(FunctionSyntax& function) {
  if (!in_.take('<')) return;
  do {
    const std::string_view name = in_.name("the name of an attribute");
    if (in_.peek() == ':' || in_.peek() == '=') {
      function.attribute_defaults.push_back(parse_attribute(name));
    } else {
      function.attribute_names.push_back(arena_.text(name));
    }
  } while (in_.take(','));
  in_.expect('>', "after the function's attributes");
}

// Inputs and outputs of functions are plain names. A type before one becomes an entry of value_info.
void Parser::parse_function_values(std::vector<DeclarationSyntax>& names, std::vector<DeclarationSyntax>& types,
                                   std::string_view what) {
  in_.expect('(', fmt::format("to begin the {}s", what.substr(2)));
  if (in_.take(')')) return;
  do {
    DeclarationSyntax declared = parse_declaration(what);
    names.emplace_back();
    names.back().name = declared.name;
    if (declared.type || declared.annotations.place) types.push_back(std::move(declared));
  } while (in_.take(','));
  in_.expect(')', fmt::format("after the {}s", what.substr(2)));
}

// --- Values in headers

std::int64_t Parser::parse_integer(std::string_view what) {
  const char* place = in_.place();
  const auto value = to_int64(in_.number(what));
  if (!value) in_.fail_at(place, fmt::format("expected {} of at most 64 bits", what));
  return *value;
}

std::vector<OpsetImport> Parser::parse_opsets() {
  std::vector<OpsetImport> opsets;
  in_.expect('[', "to begin the opset imports");
  if (in_.take(']')) return opsets;
  do {
    OpsetImport import;
    import.domain = parse_text("the domain of an opset, a string");
    in_.expect(':', "after the domain of the opset");
    import.version = parse_integer("the version of the opset");
    opsets.push_back(import);
  } while (in_.take(','));
  in_.expect(']', "after the opset imports");
  return opsets;
}

std::vector<MetadataEntry> Parser::parse_entries(std::string_view what) {
  std::vector<MetadataEntry> entries;
  in_.expect('[', fmt::format("to begin {}", what));
  if (in_.take(']')) return entries;
  do {
    MetadataEntry entry;
    entry.key = parse_text("a key, a string");
    in_.expect(':', "after the key");
    entry.value = parse_text("a value, a string");
    entries.push_back(entry);
  } while (in_.take(','));
  in_.expect(']', fmt::format("after {}", what));
  return entries;
}

void Parser::note_elided() {
  if (elided_tensors_ == 0) return;
  model_.notes.push_back(
      {Note::Kind::kProblem, "elided", "",
       fmt::format("{} tensors are elided in the text, so their content is not known; it is written as zeros",
                   elided_tensors_)});
}

Model parse_model(std::string_view text, std::string_view file_name, const ParseOptions& options) {
  const std::filesystem::path path(file_name);
  try {
    Model model;
    model.path = path;
    Parser parser(text, model, path.parent_path(), options);
    parser.parse_header();
    Builder builder(model);
    builder.build_main_graph(parser.parse_main_graph());
    while (parser.has_function()) builder.build_function(parser.parse_function());
    parser.note_elided();
    return model;
  } catch (Error& error) {
    error.set_file(std::string(file_name));
    throw;
  }
}

}  // namespace onnxpress::text
