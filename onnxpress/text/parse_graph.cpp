// Graphs and nodes: "name (inputs) => (outputs) <initializers and types> { nodes }".
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/text/limits.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

void Parser::parse_graph(GraphSyntax& graph) {
  graph.name = in_.name("a graph: its name, inputs, '=>', outputs and nodes");
  parse_graph_after_name(graph);
}

void Parser::parse_graph_after_name(GraphSyntax& graph) {
  if (++graph_depth_ > kMaxGraphDepth) in_.fail(fmt::format("graphs are nested more than {} deep", kMaxGraphDepth));
  parse_inputs(graph);
  if (in_.starts("->")) in_.fail("expected '=>' after the graph's inputs", "the arrow is written with two lines: =>");
  in_.expect("=>", "after the graph's inputs");
  parse_outputs(graph);
  if (in_.take('<')) parse_block(graph);
  graph.nodes = parse_nodes();
  --graph_depth_;
}

void Parser::parse_inputs(GraphSyntax& graph) {
  if (!in_.take('(')) return;
  if (in_.take(')')) return;
  do {
    const char* place = in_.place();
    graph.inputs.push_back(parse_declaration("a graph input"));
    const DeclarationSyntax& input = graph.inputs.back();
    if (in_.take('=')) {
      DeclarationSyntax initializer;
      initializer.name = input.name;
      initializer.type = input.type;
      parse_initializer(initializer, place, graph);
    }
  } while (in_.take(','));
  in_.expect(')', "after the graph's inputs");
}

void Parser::parse_outputs(GraphSyntax& graph) {
  in_.expect('(', "to begin the graph's outputs");
  if (in_.take(')')) return;
  do {
    graph.outputs.push_back(parse_declaration("a graph output"));
  } while (in_.take(','));
  in_.expect(')', "after the graph's outputs");
}

void Parser::parse_block(GraphSyntax& graph) {
  if (in_.take('>')) return;
  do {
    const char* place = in_.place();
    DeclarationSyntax declared = parse_declaration("an initializer or value");
    if (in_.take('=')) {
      parse_initializer(declared, place, graph);
    } else {
      graph.value_infos.push_back(std::move(declared));
    }
  } while (in_.take(','));
  in_.expect('>', "after the graph's initializers and values");
}

void Parser::parse_initializer(const DeclarationSyntax& declared, const char* place, GraphSyntax& graph) {
  if (!declared.type) in_.fail_at(place, fmt::format("initializer {} needs a type", quote_name(declared.name)));
  const Annotations& annotations = declared.annotations;
  if (annotations.denotation.data() || !annotations.dim_denotations.empty()) {
    in_.fail_at(annotations.place, "an initializer has no denotations");
  }
  InitializerSyntax initializer;
  initializer.name = declared.name;
  if (declared.type->kind == Type::Kind::kSparseTensor) {
    if (annotations.place) in_.fail_at(annotations.place, "a sparse initializer has no annotations");
    initializer.sparse = parse_sparse_tensor(*declared.type, declared.name, place);
  } else {
    const bool no_strings = declared.type->element == ElementType::kString && in_.peek() == '}';
    if (!in_.starts("{") && !in_.starts("[") && !in_.starts("...") && !no_strings) {
      in_.fail(fmt::format("expected the value of initializer {}", quote_name(declared.name)),
               "a value is written {1, 2, 3}, or [\"location\": \"file\"] for external data");
    }
    initializer.tensor = parse_tensor(*declared.type, {}, place);
    initializer.tensor->doc = annotations.doc;
    initializer.tensor->metadata = in_arena(annotations.metadata);
  }
  graph.initializers.push_back(initializer);
}

std::vector<NodeSyntax> Parser::parse_nodes() {
  const char* place = in_.place();
  in_.expect('{', "to begin the nodes");
  std::vector<NodeSyntax> nodes;
  while (!in_.take('}')) {
    if (in_.at_end()) in_.fail_at(place, "the list of nodes that begins here has no closing '}'");
    nodes.push_back(parse_node());
  }
  return nodes;
}

NodeSyntax Parser::parse_node() {
  NodeSyntax node;
  node.annotations = parse_annotations(kDoc | kMetadata | kNodeConfigurations | kTensorNames, "a node");
  if (in_.take('[')) {
    if (in_.at_name()) node.name = in_.name("the node's name");
    in_.expect(']', "after the node's name");
  }
  node.outputs = parse_name_list();
  in_.expect('=', node.outputs.empty() ? "and an operator, or '}' after the last node" : "after the node's outputs");
  parse_operator(node);
  if (in_.peek() == '<') node.attributes = parse_attributes();
  in_.expect('(', fmt::format("and the inputs of {}", quote_name(node.op_type)));
  node.inputs = parse_name_list();
  in_.expect(')', fmt::format("after the inputs of {}", quote_name(node.op_type)));
  // Attributes may follow the inputs, so that bodies come last.
  if (node.attributes.empty() && in_.peek() == '<') node.attributes = parse_attributes();
  set_tensor_names(node);
  return node;
}

// The official parser does not accept quoted names for tensors in attributes, so those are annotations of the node.
void Parser::set_tensor_names(NodeSyntax& node) {
  for (const MetadataEntry& entry : node.annotations.tensor_names) {
    Tensor* tensor = nullptr;
    for (const AttributeSyntax& each : node.attributes) {
      const auto* value = std::get_if<Tensor*>(&each.attribute->value);
      if (!tensor && value && each.attribute->name == entry.key && (*value)->name.empty()) tensor = *value;
    }
    if (!tensor) {
      in_.fail_at(node.annotations.place, fmt::format("the node has no attribute {} with a tensor that has no name yet",
                                                      quote_name(entry.key)));
    }
    tensor->name = entry.value;
  }
}

// "Relu", "com.microsoft.Gelu" or "my.domain.Op:overload". Parts that are not identifiers are quoted.
void Parser::parse_operator(NodeSyntax& node) {
  const char* place = in_.place();
  node.op_type = in_.name("an operator");
  std::string domain;
  while (in_.take('.')) {
    if (!domain.empty()) domain += '.';
    domain += node.op_type;
    place = in_.place();
    node.op_type = in_.name("an operator after the domain");
  }
  if (node.op_type.empty()) in_.fail_at(place, "an operator needs a name that is not empty");
  if (!domain.empty()) node.domain = arena_.text(domain);
  if (in_.take(':')) node.overload = in_.name("the overload of the operator");
}

// Names separated by commas, each of which may be missing: "(, x)" has two, the first empty. A trailing comma does not
// count.
std::vector<std::string_view> Parser::parse_name_list() {
  std::vector<std::string_view> names;
  while (in_.at_name() || in_.peek() == ',') {
    names.push_back(in_.at_name() ? in_.name("a name") : std::string_view());
    if (!in_.take(',')) break;
  }
  return names;
}

}  // namespace onnxpress::text
