// Printer: makes the text of a model and passes it piece by piece to the sink, if there is one. Internal to text/;
// print_model.h is the public interface.
#pragma once

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "onnxpress/ir/release_pages.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::text {

class Printer {
 public:
  explicit Printer(const PrintOptions& options, std::vector<std::string>* lost = nullptr,
                   const TextSink* sink = nullptr)
      : options_(options), lost_(lost), sink_(sink) {}

  // print_model.cpp
  void print_model(const Model& model);
  void flush();  // passes the text so far to the sink

  // print_graph.cpp
  void print_graph(const Graph& graph, const Model* model = nullptr);  // `model`: only for the main graph
  void print_node(const Node& node);

  // print_type.cpp
  void print_type(const Type* type);

  std::string take() { return std::move(out_); }

 private:
  // print_model.cpp
  void print_header(const Model& model);
  void print_function(const Function& function);
  void print_function_attributes(const Function& function);
  void print_opsets(const std::vector<OpsetImport>& opsets);
  void print_entries(std::span<const MetadataEntry> entries, bool one_line = false);
  void make_names(const Model& model);
  void flush_if_full();
  void lose(const std::string& what);

  // print_graph.cpp
  enum class Types { kShown, kLeftOut };  // a function's inputs and outputs are only names
  void print_signature(const Graph& graph, Types types);
  void print_declarations(std::span<ValueInfo* const> infos, Types types, bool broken);
  void print_declaration(const ValueInfo& info);
  void print_graph_after_name(const Graph& graph);
  void print_block(const Graph& graph);
  void print_body(const Graph& body);
  void print_nodes(const Graph& graph);
  void print_operator(const Node& node);
  void print_value(const Value* value);
  const std::string& made_name(const Value& value);
  void print_tensor_names(const Node& node);
  void print_graph_annotations(const Graph& graph, const Model* model);
  void print_annotation(std::string_view key);
  void print_doc_and_metadata(std::string_view doc, std::span<const MetadataEntry> metadata);
  void print_blobs(std::string_view key, std::span<const std::string_view> blobs);

  // print_attribute.cpp
  void print_attributes(const Node& node, bool has_bodies);
  bool can_print(const Attribute& attribute);
  void print_attribute(const Attribute& attribute);
  void print_attribute_value(const Attribute& attribute);
  void print_float(float value);

  // print_type.cpp
  void print_element_type(ElementType type);
  void lose_denotations(const Type& type, bool top);

  // print_tensor.cpp
  void print_tensor(const Tensor& tensor, std::string_view name);  // as an attribute
  void print_tensor_type(const Tensor& tensor);
  void print_data(const Tensor& tensor);
  void print_external(const Tensor& tensor);
  void print_elided(const Tensor& tensor, std::string_view shown, std::optional<std::uint64_t> hash);
  void print_elements(const Tensor& tensor, const Bytes& bytes);
  void print_sparse(const SparseTensor& sparse, const Value* value = nullptr);  // `value`: of an initializer

  template <typename List, typename Print>
  void print_list(const List& list, Print&& print, std::string_view separator = ", ") {
    bool first = true;
    for (const auto& item : list) {
      if (!first) out_ += separator;
      first = false;
      print(item);
    }
  }
  void line() {
    out_ += '\n';
    out_.append(indent_, ' ');
  }

  const PrintOptions& options_;
  std::vector<std::string>* lost_;
  const TextSink* sink_;             // null: all text stays in out_
  std::string out_;                  // text that the sink has not received yet
  std::size_t flushed_of_line_ = 0;  // how much of the current line the sink has received
  MappedFiles files_;
  std::size_t indent_ = 0;
  std::size_t lost_count_ = 0;
  const Node* node_ = nullptr;  // the node being printed, for messages
  std::unordered_map<const Value*, std::string> made_names_;
  std::size_t next_made_name_ = 0;
};

}  // namespace onnxpress::text
