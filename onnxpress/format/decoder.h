// Decoder: turns an encoded model into a Model. Internal to format/; read_model.h is the public interface.
//
// A graph is decoded in two walks over its nodes: the first defines every output name, the second resolves operands and
// decodes bodies. So nodes may be in any order, and a body sees all names around it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/wire.h"

namespace onnxpress::format {

// A singular submessage. By protobuf's rules, two occurrences are merged, and the merged message is what their
// concatenation encodes.
class Singular {
 public:
  void add(std::string_view occurrence);
  bool present() const { return first_.data() != nullptr; }
  std::string_view view(Arena& arena) const { return more_.empty() ? first_ : arena.text(more_); }

 private:
  std::string_view first_;
  std::string more_;
};

// A list that grows while one message is decoded. It is the top of a shared vector, so that it costs no allocation.
// Messages nest, and so do these lists: the vector is a stack.
template <typename T>
class Scratch {
 public:
  explicit Scratch(std::vector<T>& stack) : stack_(stack), begin_(stack.size()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { stack_.resize(begin_); }

  void push_back(const T& item) { stack_.push_back(item); }
  std::size_t size() const { return stack_.size() - begin_; }
  // Valid until the next push onto the stack, here or in a nested message.
  std::span<const T> items() const { return std::span<const T>(stack_).subspan(begin_); }

 private:
  std::vector<T>& stack_;
  std::size_t begin_;
};

class Decoder {
 public:
  Decoder(Model& model, const ReadOptions& options, std::filesystem::path folder)
      : model_(model), arena_(model.arena()), options_(options), folder_(std::move(folder)) {}

  void decode_model(std::string_view message);
  Tensor* decode_tensor(std::string_view message);
  // Decodes only the functions of an encoded model, and adds them to those of the model.
  void decode_functions(std::string_view message);

 private:
  // The content of a GraphProto or FunctionProto, before names are resolved.
  struct GraphFields {
    std::vector<std::string_view> nodes, initializers, sparse_initializers, inputs, outputs, value_infos;
    bool plain_names = false;  // functions: inputs and outputs are names, not ValueInfoProto
  };
  // A name that a graph defined, with its meaning outside.
  struct Shadowed {
    NameTable::Id name;
    Value* outer;
  };

  // read_model.cpp
  void decode_function(std::string_view message, Function& function);
  void decode_training(std::string_view message, TrainingInfo& training);
  OpsetImport decode_opset(std::string_view message);
  MetadataEntry decode_entry(std::string_view message);
  void add_missing_opsets();
  void note(Note::Kind kind, std::string_view code, std::string where, std::string message);
  void note(Note note);

  // decode_graph.cpp
  void decode_graph(std::string_view message, Graph& graph);
  void build_graph(const GraphFields& fields, Graph& graph);
  void make_room(const GraphFields& parts);
  void declare_input(std::string_view declaration, bool plain_name, Graph& graph);
  void define_initializer(std::string_view message, Graph& graph);
  void define_sparse_initializer(std::string_view message, Graph& graph);
  std::vector<std::size_t> define_node_outputs(std::span<const std::string_view> nodes, Graph& graph);
  // The node's outputs are already defined, in node_outputs_.
  void decode_node(std::string_view message, std::size_t first_output, std::size_t end_output, Graph& graph);
  void declare_output(std::string_view declaration, bool plain_name, Graph& graph);
  void declare_value_info(std::string_view declaration, std::size_t& likely, Graph& graph);
  QuantizationAnnotation decode_annotation(std::string_view message);
  void put_in_order(Graph& graph);
  void remember_domain(std::string_view domain);
  void settle_duplicates(const GraphFields& parts, std::size_t first_output, std::span<const std::size_t> output_ends,
                         std::size_t first_duplicate, Graph& graph);
  bool is_constant_node(std::string_view message) const;
  Value* define(std::string_view name, Graph& graph);
  Value* define(NameTable::Id id, std::string_view name, Graph& graph);
  Value* meaning_of(NameTable::Id id) const { return id < scope_.size() ? scope_[id] : nullptr; }
  Value* resolve(std::string_view name, Graph& graph);
  Value* resolve_operand(std::string_view name, std::size_t first_output, Graph& graph);
  Value* declared_value(std::string_view name, std::size_t& likely, Graph& graph);
  Value* own(std::string_view name, const Graph& graph);

  // decode_attribute.cpp
  struct AttributeFields;
  Attribute* decode_attribute(std::string_view message);
  AttributeFields attribute_fields(std::string_view message, Attribute& attribute);
  Attribute::Value attribute_value(AttributeType type, const AttributeFields& fields);
  Graph* decode_body(std::string_view message);

  // decode_type.cpp
  const Type* decode_type(std::string_view message);  // shared: the same bytes give the same Type
  const Type* decode_new_type(std::string_view message, std::size_t depth);
  void decode_tensor_type(std::string_view message, Type& type);
  void decode_shape(std::string_view message, Type& type);
  const Type* decode_inner_type(std::string_view message, Type& type, std::size_t depth);
  // The content of a ValueInfoProto; the caller finds or makes the value of that name.
  struct Declaration {
    std::string_view name, doc;
    const Type* type = nullptr;
    std::span<const MetadataEntry> metadata;
  };
  Declaration decode_declaration(std::string_view message);
  static void fill(ValueInfo& info, const Declaration& read, std::string_view origin);

  // decode_tensor.cpp, with decode_tensor()
  SparseTensor* decode_sparse_tensor(std::string_view message);
  void choose_content(std::string_view message, std::uint32_t fields_seen, Tensor& tensor);
  void set_external(Tensor& tensor);
  std::shared_ptr<const ExternalFile> external_file(std::string_view location);

  WireReader cursor(std::string_view message) const { return WireReader(message, file_begin_); }
  // Counts objects made from the file, and throws Error beyond the limit.
  void count(std::size_t objects = 1);
  Bytes in_file(std::string_view view) const { return {view, model_.origin.keep_alive()}; }
  template <typename T>
  std::span<const T> in_arena(const std::vector<T>& list) {
    return arena_.copy(std::span<const T>(list));
  }
  template <typename T>
  std::span<const T> in_arena(const Scratch<T>& list) {
    return arena_.copy(list.items());
  }

  Model& model_;
  Arena& arena_;
  const ReadOptions& options_;
  std::filesystem::path folder_;
  const char* file_begin_ = nullptr;
  std::size_t objects_ = 0;
  std::size_t depth_ = 0;
  std::size_t notes_left_out_ = 0;
  std::vector<Value*> scope_;       // by name id: what the name means here
  std::vector<Shadowed> shadowed_;  // undo log of scope_, for leaving a graph
  struct Duplicate {
    NameTable::Id name;
    Value* value;
  };
  std::vector<Duplicate> duplicates_;  // later definitions of names that their graph had defined already
  std::vector<Value*> node_outputs_;
  bool repeated_value_ = false;            // the attribute just decoded has its only value several times
  bool names_are_unique_ = true;           // so far: no graph defines a name twice
  bool reads_before_definition_ = false;   // so far: some node reads a value that no earlier node computes
  NameTable domain_names_;                 // of the nodes so far
  std::vector<std::string_view> domains_;  // the same, in order of appearance
  std::string_view last_domain_;           // the last one: nearly every node has the domain of the one before it
  NameTable type_names_;                   // encoded types, each once: most values of a model share a few types
  std::vector<const Type*> types_;         // by id in type_names_
  std::vector<Value*> value_stack_;        // these are the stacks under Scratch
  std::vector<Attribute*> attribute_stack_;
  std::vector<MetadataEntry> entry_stack_;
  std::vector<std::string_view> view_stack_;
  std::vector<Dim> dim_stack_;
  std::vector<std::int64_t> int_stack_;
  std::unordered_map<std::string_view, std::shared_ptr<const ExternalFile>> external_files_;
};

}  // namespace onnxpress::format
