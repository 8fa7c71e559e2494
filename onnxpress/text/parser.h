// Parser: reads ONNX text by recursive descent, never deeper than limits.h allows. Internal to text/; parse_model.h is
// the public interface.
#pragma once

#include <filesystem>
#include <map>
#include <string_view>

#include "onnxpress/text/cursor.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/syntax.h"

namespace onnxpress::text {

class Parser {
 public:
  Parser(std::string_view source, Model& model, std::filesystem::path folder, const ParseOptions& options)
      : in_(source, model.arena()),
        model_(model),
        arena_(model.arena()),
        folder_(std::move(folder)),
        options_(options) {}

  // Call these in the order of the text. The header goes into the model right away.
  void parse_header();
  GraphSyntax parse_main_graph();
  bool has_function() { return !in_.at_end(); }
  FunctionSyntax parse_function();
  void note_elided();  // call it last

 private:
  // parse_model.cpp
  void parse_header_entry();
  void parse_function_header(FunctionSyntax& function);
  void parse_function_attributes(FunctionSyntax& function);
  void parse_function_values(std::vector<DeclarationSyntax>& names, std::vector<DeclarationSyntax>& types,
                             std::string_view what);
  std::vector<OpsetImport> parse_opsets();
  std::vector<MetadataEntry> parse_entries(std::string_view what);
  std::int64_t parse_integer(std::string_view what);
  std::string_view parse_text(std::string_view what) { return arena_.text(in_.string(what)); }

  // parse_graph.cpp
  void parse_graph(GraphSyntax& graph);
  void parse_graph_after_name(GraphSyntax& graph);
  void parse_inputs(GraphSyntax& graph);
  void parse_outputs(GraphSyntax& graph);
  void parse_block(GraphSyntax& graph);
  void parse_initializer(const DeclarationSyntax& declared, const char* place, GraphSyntax& graph);
  std::vector<NodeSyntax> parse_nodes();
  NodeSyntax parse_node();
  void parse_operator(NodeSyntax& node);
  void set_tensor_names(NodeSyntax& node);
  std::vector<std::string_view> parse_name_list();

  // parse_attribute.cpp
  struct Item;
  std::vector<AttributeSyntax> parse_attributes();
  AttributeSyntax parse_attribute(std::string_view name);
  AttributeType parse_attribute_type();
  void parse_single(AttributeType declared, AttributeSyntax& attribute);
  void parse_list(AttributeType declared, AttributeSyntax& attribute);
  Item parse_item(AttributeType expected);
  void parse_typed_item(AttributeType expected, Item& item);
  float float_of(const Item& item);
  std::int64_t int_of(const Item& item);
  void set_list(AttributeType type, std::vector<Item>& items, AttributeSyntax& attribute);

  // parse_type.cpp
  bool at_type();
  const Type* parse_type(std::size_t depth = 0);
  void parse_tensor_type(Type& type);
  std::span<const Dim> parse_dims();
  ElementType parse_element_type(std::string_view what);
  void parse_opaque_type(Type& type);
  DeclarationSyntax parse_declaration(std::string_view what);
  const Type* with_denotations(const Type* type, const Annotations& annotations);

  // parse_tensor.cpp
  Tensor* parse_tensor(const Type& type, std::string_view name, const char* place);
  void parse_external(Tensor& tensor);
  void parse_strings(Tensor& tensor);
  SparseTensor* parse_sparse_tensor(const Type& type, std::string_view name, const char* place);
  Tensor* parse_sparse_part(std::string_view what);
  std::span<const std::int64_t> sizes_of(const Type& type, const char* place);

  // parse_numbers.cpp
  void parse_numbers(Tensor& tensor);
  void parse_elided_rest(Tensor& tensor, std::string shown, std::uint64_t shown_elements);

  // parse_annotations.cpp
  enum AnnotationKey : unsigned {
    kDoc = 1,
    kMetadata = 2,
    kDenotation = 4,
    kDimDenotations = 8,
    kQuantization = 16,
    kConfigurations = 32,  // of the model
    kNodeConfigurations = 64,
    kTensorNames = 128,  // of a node's attributes
    kName = 256,         // of a body
  };
  // Reads the `#@` comments at this place; `allowed` are the keys that `what` may have.
  Annotations parse_annotations(unsigned allowed, std::string_view what);
  void parse_annotation(unsigned allowed, std::string_view what, Annotations& annotations);
  std::vector<QuantizationAnnotation> parse_quantization();
  std::vector<std::string_view> parse_blobs();

  template <typename T>
  std::span<const T> in_arena(const std::vector<T>& list) {
    return arena_.copy(std::span<const T>(list));
  }

  Cursor in_;
  Model& model_;
  Arena& arena_;
  std::filesystem::path folder_;
  const ParseOptions& options_;
  std::size_t graph_depth_ = 0;
  std::uint64_t elided_tensors_ = 0;
  std::map<std::string_view, std::shared_ptr<const ExternalFile>> external_files_;
};

}  // namespace onnxpress::text
