/// \file
/// Value: one edge of a graph, with everything that refers to it: the operands that read it, the graphs that output
/// it, and its declarations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "onnxpress/ir/tensor.h"
#include "onnxpress/ir/type.h"

namespace onnxpress {

class Graph;
class Node;
class Value;

/// One operand slot of a node: the value it reads (null for an omitted optional input), linked into that value's use
/// list.
class Use {
 public:
  Value* value() const { return value_; }
  Node* user() const { return user_; }
  std::size_t index() const;  ///< which operand of user() this is
  Use* next() const { return next_; }

 private:
  friend class Graph;
  friend class ModelCloner;
  Value* value_ = nullptr;
  Node* user_ = nullptr;
  Use* next_ = nullptr;
  Use** link_ = nullptr;  // the pointer that points here: makes unlinking O(1)
};

/// A declaration in a graph's input, output or value_info list.
struct ValueInfo {
  enum class Kind : std::uint8_t { kInput, kOutput, kValueInfo };

  Value* value = nullptr;
  const Type* type = nullptr;
  std::string_view doc;
  std::span<const MetadataEntry> metadata;
  std::string_view origin;
  ValueInfo* next = nullptr;  ///< the next input or value_info that declares the same value
  Kind kind = Kind::kValueInfo;
  bool changed = false;
  bool stale = false;    ///< its value lost its definition; see Graph::value_infos()
  bool removed = false;  ///< no longer in its graph's list
};

/// One output of a graph. It uses its value as an operand does, and is linked into the value's list of outputs.
struct GraphOutput : ValueInfo {
  Graph* graph = nullptr;
  std::uint32_t index = 0;             ///< among the outputs of `graph`
  GraphOutput* next_output = nullptr;  ///< the next output, of any graph, that is the same value
  GraphOutput** link = nullptr;        ///< the pointer that points here
};

/// A graph input, an initializer, or an output of a node. Identity is the pointer.
class Value {
 public:
  std::string_view name() const { return name_; }  ///< of values that we made: empty until written
  std::uint32_t id() const { return id_; }         ///< dense per model, for side tables
  const Type* type() const { return type_; }    ///< as declared in the file (input, output or value_info); may be null
  Graph* graph() const { return graph_; }       ///< the scope that defines it
  Node* producer() const { return producer_; }  ///< null for inputs, initializers and undefined names
  std::uint32_t output_index() const { return output_index_; }

  Tensor* initializer() const { return is_sparse_ ? nullptr : static_cast<Tensor*>(tensor_); }
  SparseTensor* sparse_initializer() const { return is_sparse_ ? static_cast<SparseTensor*>(tensor_) : nullptr; }
  bool is_input() const { return is_input_; }                  ///< of the graph that defines it (or of the function)
  bool is_output() const { return first_output_ != nullptr; }  ///< of any graph: a body may return an outer value
  bool is_defined() const { return producer_ || is_input_ || tensor_; }
  /// The tensor if this is a constant initializer: null for one that is also a graph input, which callers may override.
  const Tensor* constant() const { return is_input_ ? nullptr : initializer(); }

  const Use* first_use() const { return first_use_; }                        ///< operands
  const GraphOutput* first_output() const { return first_output_; }          ///< outputs of graphs
  const ValueInfo* first_declaration() const { return first_declaration_; }  ///< inputs and value_infos
  bool is_used() const { return first_use_ != nullptr || first_output_ != nullptr; }
  std::size_t use_count() const;  ///< operand slots; graph outputs not counted

 private:
  friend class Graph;
  friend class ModelCloner;
  std::string_view name_;
  const Type* type_ = nullptr;
  Graph* graph_ = nullptr;
  Node* producer_ = nullptr;
  void* tensor_ = nullptr;  // Tensor, or SparseTensor when is_sparse_
  Use* first_use_ = nullptr;
  GraphOutput* first_output_ = nullptr;
  ValueInfo* first_declaration_ = nullptr;
  std::uint32_t id_ = 0;
  std::uint32_t output_index_ : 30 = 0;
  std::uint32_t is_input_ : 1 = 0;
  std::uint32_t is_sparse_ : 1 = 0;
};

}  // namespace onnxpress
