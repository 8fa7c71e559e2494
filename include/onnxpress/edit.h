/// \file
/// Changes models: names, nodes, interface, weights; regions that become one node; weights as files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "onnxpress/files.h"
#include "onnxpress/model.h"

namespace onnxpress {

namespace analysis {
class Facts;
}
namespace passes {
class Rewriter;
}

/// Options of edit().
struct EditOptions {
  /// give a value, or a node, another name: old=new
  std::vector<std::string> rename;
  /// remove these nodes: readers of their result read their operand instead
  Names remove_node;
  /// set an attribute: node.attribute=value
  std::vector<std::string> set_attribute;
  /// shape of an input or output: x=N,3,224,224
  std::vector<std::string> set_shape;
  /// element type of an input or output, by inserting a Cast: x=float16
  std::vector<std::string> set_type;
  /// values that also become outputs
  Names add_output;
  /// outputs to remove, with the nodes that only they need
  Names remove_output;
  /// inputs to remove; nothing may read them, or they must have an initializer
  Names remove_input;
  /// metadata of the model: key=value
  std::vector<std::string> set_metadata;
  /// documentation of the model
  std::optional<std::string> doc;
  /// [] its fields stand here
  LoadOptions load;
};

/// The report of edit().
struct EditReport {
  /// path of the model
  std::string file;
  /// path of the result
  std::string output;
  /// what was changed, in order
  std::vector<std::string> changes;
  /// files that were written
  std::vector<WrittenFile> files;
};

/// In memory: renaming comes last, so that all other options use the names of the file. Throws Error when a change
/// cannot be made, or when a valid model would not be valid any more.
EditReport edit(Model& model, const EditOptions& options);

/// The report as JSON: what the command prints with --json.
std::string to_json(const EditReport& report);

/// Options of fuse().
struct FuseOptions {
  /// the region: from one node to another, by name: first..last
  std::optional<std::string> nodes;
  /// the region: values that lead into it
  Names from;
  /// the region: values that it computes
  Names to;
  /// domain and name of the new op: my.domain::Block
  std::string as;
  /// fuse only this region, not others like it
  bool once = false;
  /// attributes of the nodes become attributes of the new node, such as Conv0_strides; regions may then differ in them
  bool keep_attributes = false;
  /// [] its fields stand here
  LoadOptions load;
};

/// The report of fuse().
struct FuseReport {
  /// path of the input
  std::string file;
  /// path of the result
  std::string output;
  /// the new op, which is a function of the model
  std::string op;
  /// nodes of the region
  std::uint64_t nodes = 0;
  /// regions that became a node, including the example
  std::uint64_t regions = 0;
  /// operands of the new op, as the example calls them
  std::vector<std::string> inputs;
  /// its results, as the example calls them
  std::vector<std::string> outputs;
  /// files that were written, the model first
  std::vector<WrittenFile> files;
};

/// In memory. Throws Error, and changes nothing then.
FuseReport fuse(Model& model, const FuseOptions& options);

/// The reverse: replaces nodes of this op, a function of the model, by the nodes of the function. Returns how many.
std::uint64_t unfuse(Model& model, const std::string& op);

/// The report as JSON: what the command prints with --json.
std::string to_json(const FuseReport& report);

/// How inputs and files are named: after the constants, or as scs4onnx does.
enum class NpyNames : std::uint8_t {
  /// [onnxpress] after the constants
  kOwn,
  kScs4onnx,  ///< as scs4onnx does
};

/// A constant that became an input of the model (TensorReport::inputs).
struct ExtractedLine {
  /// name of the new input
  std::string input;
  /// name of the .npy file, next to the model
  std::string file;
  /// element type
  std::string type;
  /// its sizes
  std::vector<std::int64_t> shape;
  /// size of the tensor
  std::uint64_t bytes = 0;
};

/// Options of tensor().
struct TensorOptions {
  /// only these tensors (default: all initializers and Constant nodes)
  Names names;
  /// replace tensors of the model by those in this file or folder, and write the model to -o
  std::string from;
  /// with option `from`: allow tensors to change their types and shapes
  bool change_types = false;
  /// turn constants into inputs of the model, fed from .npy files next to it: those of option `names` and option
  /// `nodes`, otherwise those that occur more than once; -o is the changed model
  bool as_inputs = false;
  /// with option `as_inputs`: all constants of these nodes, except scalars
  Names nodes;
  /// [] its fields stand here
  LoadOptions load;
  bool also_repeated = false;           ///< with option `as_inputs`: also the constants that occur more than once
  NpyNames npy_names = NpyNames::kOwn;  ///< how new inputs and their files are named
};

/// The report of tensor().
struct TensorReport {
  /// path of the model
  std::string file;
  /// path of the result
  std::string output;
  /// tensors that were written or replaced
  std::uint64_t tensors = 0;
  /// bytes of their content
  std::uint64_t bytes = 0;
  /// tensors that the form of the output cannot hold, with the reason
  std::vector<std::string> left_out;
  /// with option `as_inputs`: constants that became inputs of the model
  std::vector<ExtractedLine> inputs;
  /// files that were written
  std::vector<WrittenFile> files;
};

/// Writes tensors to `output`: a folder, .npz or .safetensors. Throws Error.
TensorReport export_tensors(const Model& model, const std::string& output, const TensorOptions& options = {});

/// Replaces tensors by those of `options.from`, by name. Throws Error, and changes nothing, when one does not fit.
TensorReport import_tensors(Model& model, const TensorOptions& options);

/// The report as JSON: what the command prints with --json.
std::string to_json(const TensorReport& report);

/// What an attribute is set to; the op's schema decides which kind it becomes.
using AttributeContent = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                                      std::vector<std::string>, Tensor*>;

/// What Editor::add_node() makes.
struct NewNode {
  std::string op_type;                    ///< the operator
  std::string domain = {};                ///< its domain; empty: the standard one
  std::string name = {};                  ///< of the node; may be empty
  std::vector<Value*> inputs = {};        ///< null: left out
  std::vector<std::string> outputs = {};  ///< names; "" for one that is named when written
  std::vector<std::pair<std::string, AttributeContent>> attributes = {};  ///< names and values
  Node* before = nullptr;                                                 ///< null: at the end
};

/// Changes to a model, one by one, which know the schemas of operators and keep types and shapes up to date. A call
/// that cannot do what it is asked to throws Error and changes nothing.
class Editor {
 public:
  /// The model must outlive the editor.
  explicit Editor(Model& model);
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  ~Editor();

  // --- Queries, which always reflect the changes made so far
  /// For the library itself: types, shapes and values as they are known inside.
  const analysis::Facts& facts() const { return *facts_; }
  /// The type as far as it is known: inferred, or declared. Null: unknown.
  const Type* type_of(const Value& value) const;

  // --- Names
  /// Gives a value another name, everywhere. The name must be free.
  void rename(Value& value, std::string_view name);
  /// Gives a node another name.
  void rename(Node& node, std::string_view name);

  // --- Nodes
  /// Adds a node. The model must import the domain of its op, and what it reads must be computed before it.
  Node& add_node(Graph& graph, const NewNode& wanted);
  /// Sets an attribute, or adds it; the op's schema decides which kind it becomes.
  void set_attribute(Node& node, std::string_view name, const AttributeContent& content);
  /// The text of a number, a list "1,2" or a word, read as the schema requires.
  void set_attribute_text(Node& node, std::string_view name, std::string_view text);
  /// Removes an attribute, so that it has its default.
  void remove_attribute(Node& node, std::string_view name);
  /// Makes operand `i` another value; null leaves it out.
  void set_input(Node& node, std::size_t i, Value* value);
  /// Makes all readers of `value` read `with` instead; outputs of the graph keep their names.
  void replace(Value& value, Value& with);
  /// Replaces the node's result by its only operand that is not constant or, if there are several, by the one of the
  /// same type.
  void bypass(Node& node);
  /// Removes the node; nothing may read its results.
  void remove(Node& node);

  // --- The interface
  /// A new input of the model.
  Value& add_input(std::string_view name, const Type* type);
  /// Makes a value an output of the model, too.
  void add_output(Value& value);
  void remove_input(Value& value);  ///< nothing may read it, unless it has an initializer
  /// Sets the declared shape of an input or output; what follows from it is inferred again.
  void set_shape(Value& value, std::span<const Dim> shape);
  /// Changes the element type of an input or output by inserting a Cast between it and the nodes.
  void set_type(Value& value, ElementType type);

  // --- Weights
  /// A new constant of the main graph. The tensor is in the model's arena.
  Value& add_initializer(std::string_view name, Tensor* tensor);
  void set_tensor(Value& value, Tensor* tensor);  ///< of an initializer or Constant node

  /// Removes constants that nothing reads any more, and declarations that are no longer true.
  void tidy();

 private:
  ValueInfo& declaration(const Value& value) const;
  void require_own(const Value* value) const;
  void require_free(std::string_view name) const;
  void set_input_type(Value& value, ElementType type, ElementType before);
  void set_output_type(Value& value, ElementType type);
  Value& cast_of(Graph& graph, Node* before, Value& value, ElementType type, std::string_view name);
  void infer_again();  ///< facts are updated when the graph changes, but not when the declared type of an input does
  std::string_view text(std::string_view text) { return model_.arena().text(text); }

  Model& model_;
  std::unique_ptr<analysis::Facts> facts_;
  std::unique_ptr<passes::Rewriter> rewriter_;
  bool shapes_changed_ = false;
};

/// "float16", "fp16", "f16", ...; throws Error for a type that does not exist.
ElementType element_type_in(std::string_view text);

}  // namespace onnxpress
