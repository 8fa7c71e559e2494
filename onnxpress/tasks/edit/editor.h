// Editor: single changes to a model, each checked before it is made, so that no change leaves a broken model. The
// command, the library and Python edit with these calls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {
class Facts;
}
namespace onnxpress::passes {
class Rewriter;
}

namespace onnxpress::tasks {

// What an attribute is set to; the op's schema decides which kind it becomes.
using AttributeContent = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                      std::vector<std::string>, Tensor*>;

struct NewNode {
  std::string op_type, domain, name;
  std::vector<Value*> inputs;        // null: left out
  std::vector<std::string> outputs;  // names; "" for one that is named when written
  std::vector<std::pair<std::string, AttributeContent>> attributes;
  Node* before = nullptr;  // null: at the end
};

// A call that cannot do what it is asked to throws Error and changes nothing.
class Editor {
 public:
  explicit Editor(Model& model);
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  ~Editor();

  // --- Queries, which always reflect the changes made so far
  const analysis::Facts& facts() const { return *facts_; }
  const Type* type_of(const Value& value) const;

  // --- Names
  void rename(Value& value, std::string_view name);
  void rename(Node& node, std::string_view name);

  // --- Nodes
  Node& add_node(Graph& graph, const NewNode& wanted);
  void set_attribute(Node& node, std::string_view name, const AttributeContent& content);
  // The text of a number, a list "1,2" or a word, read as the schema requires.
  void set_attribute_text(Node& node, std::string_view name, std::string_view text);
  void remove_attribute(Node& node, std::string_view name);
  void set_input(Node& node, std::size_t i, Value* value);
  // Makes all readers of `value` read `with` instead; outputs of the graph keep their names.
  void replace(Value& value, Value& with);
  // Replaces the node's result by its only operand that is not constant or, if there are several, by the one of the
  // same type.
  void bypass(Node& node);
  // Removes the node; nothing may read its results.
  void remove(Node& node);

  // --- The interface
  Value& add_input(std::string_view name, const Type* type);
  void add_output(Value& value);
  void remove_input(Value& value);  // nothing may read it, unless it has an initializer
  void set_shape(Value& value, std::span<const Dim> shape);
  // Changes the element type of an input or output by inserting a Cast between it and the nodes.
  void set_type(Value& value, ElementType type);

  // --- Weights
  Value& add_initializer(std::string_view name, Tensor* tensor);
  void set_tensor(Value& value, Tensor* tensor);  // of an initializer or Constant node

  // Removes constants that nothing reads any more, and declarations that are no longer true.
  void tidy();

 private:
  ValueInfo& declaration(const Value& value) const;
  void require_own(const Value* value) const;
  void require_free(std::string_view name) const;
  void set_input_type(Value& value, ElementType type, ElementType before);
  void set_output_type(Value& value, ElementType type);
  Value& cast_of(Graph& graph, Node* before, Value& value, ElementType type, std::string_view name);
  void infer_again();  // facts are updated when the graph changes, but not when the declared type of an input does
  std::string_view text(std::string_view text) { return model_.arena().text(text); }

  Model& model_;
  std::unique_ptr<analysis::Facts> facts_;
  std::unique_ptr<passes::Rewriter> rewriter_;
  bool shapes_changed_ = false;
};

// "float16", "fp16", "f16", ...; throws Error for a type that does not exist.
ElementType element_type_in(std::string_view text);

}  // namespace onnxpress::tasks
