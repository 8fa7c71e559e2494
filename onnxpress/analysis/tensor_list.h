// Lists every weight of a model: initializers, Constant nodes and tensors in attributes, including bodies and
// functions.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

enum class TensorRole : std::uint8_t {
  kInitializer,
  kSparseValues,  // of a sparse initializer or attribute
  kSparseIndices,
  kConstant,   // the value of a Constant node, in any of its seven attributes
  kAttribute,  // a tensor in an attribute of another node, or the default of a function's attribute
};
// "initializer", "sparse values", "sparse indices", "Constant node", "attribute"
std::string_view name_of(TensorRole role);

struct TensorEntry {
  const Tensor* tensor = nullptr;
  std::string_view name;  // of the initializer or Constant output; otherwise the tensor's own name, which may be empty
  TensorRole role = TensorRole::kInitializer;
  std::uint32_t scope = 0;     // index into TensorList::scopes
  Value* value = nullptr;      // the initializer, or the output of a Constant node; null for others
  const Node* node = nullptr;  // null for initializers and defaults of functions
  const Attribute* attribute = nullptr;
  std::optional<std::uint64_t> elements;  // absent when the shape is damaged
  std::uint64_t bytes = 0;                // of its content, without the encoding around it
  bool wrong_size = false;  // `bytes` is not what type and shape need, as far as that shows without reading data
};

// A graph that can hold tensors. Its text is built on request, because a file can have very many, very deep bodies.
struct TensorScope {
  std::string root;             // "function my:f", "training 0 algorithm"; empty for the main graph
  std::uint32_t parent = 0;     // bodies: the scope around it
  const Node* owner = nullptr;  // bodies: the node and its attribute; null for other graphs
  const Attribute* attribute = nullptr;
  std::uint32_t number = 0;  // bodies: position in a list of graphs
};

struct TensorList {
  std::vector<TensorEntry> entries;  // main graph, functions, training graphs; each in file order
  std::vector<TensorScope> scopes;   // the first is the main graph
  // Tensors for Constant nodes that hold a plain number, text or list instead of a tensor, and the lengths of such
  // lists.
  std::deque<Tensor> made;
  std::deque<std::int64_t> made_lengths;
};

// "" for the main graph; "if1/then_branch"; "function my:f/l/body". The middle of very deep ones is left out.
std::string scope_text(const TensorList& list, std::uint32_t scope);

// Reads no weights. The list points into the model.
TensorList list_tensors(const Model& model);

}  // namespace onnxpress::analysis
