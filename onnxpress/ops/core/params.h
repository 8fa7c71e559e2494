// Params: the parameters of a node by name, wherever its version of the op keeps them (attribute or constant operand),
// with the defaults of the schema. So no inference and no evaluation mentions an opset number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "onnxpress/ir/graph.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// Attributes that a function call passes to the nodes inside (`ref_name`); null outside functions.
struct AttributeScope {
  std::span<Attribute* const> given;      // of the call
  std::span<Attribute* const> defaults;   // of the function
  const AttributeScope* outer = nullptr;  // the scope in which the call's own references are looked up

  const Attribute* find(std::string_view name) const;
};

// The known values of operands, for parameters that are operands.
class ConstantOperands {
 public:
  virtual ~ConstantOperands() = default;
  // The elements of operand i; null when they are not known.
  virtual const Array* constant(std::size_t i) const = 0;
};

class Params {
 public:
  Params(const Node& node, const Op& op, const ConstantOperands& operands, const AttributeScope* scope = nullptr)
      : node_(&node), op_(&op), operands_(&operands), scope_(scope) {}

  const Node& node() const { return *node_; }
  const Op& op() const { return *op_; }
  const Schema& schema() const { return *op_->schema; }
  const AttributeScope* scope() const { return scope_; }

  // Is the parameter present: an attribute that is set, or an operand that is connected? Defaults do not count.
  bool given(std::string_view name) const;
  // Each returns nullopt when the value is known only at run time, has another type, or is absent and has no default.
  // This includes lists: call given() first where absence has a meaning.
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<double> real(std::string_view name) const;  // floats, and one-element operands of any number type
  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  std::optional<std::vector<float>> reals(std::string_view name) const;
  std::optional<std::vector<std::string_view>> texts(std::string_view name) const;
  const Tensor* tensor(std::string_view name) const;  // attributes only
  const SparseTensor* sparse_tensor(std::string_view name) const;
  const Type* type(std::string_view name) const;
  Graph* graph(std::string_view name) const;
  // Shorthands for parameters that have a default, or for which absence means `otherwise`.
  std::int64_t integer_or(std::string_view name, std::int64_t otherwise) const {
    return integer(name).value_or(otherwise);
  }
  bool flag(std::string_view name) const { return integer_or(name, 0) != 0; }
  double real_or(std::string_view name, double otherwise) const { return real(name).value_or(otherwise); }
  std::string_view text_or(std::string_view name, std::string_view otherwise) const {
    return text(name).value_or(otherwise);
  }

  // The attribute itself, with references to function parameters resolved; null when absent.
  const Attribute* attribute(std::string_view name) const;

 private:
  const Array* operand_value(std::string_view name) const;

  const Node* node_;
  const Op* op_;
  const ConstantOperands* operands_;
  const AttributeScope* scope_;
};

// Maps an axis in [-rank, rank) to [0, rank); nullopt when it is out of range.
std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);
// The same for a list; nullopt when one is out of range or occurs twice.
std::optional<std::vector<std::size_t>> normal_axes(std::span<const std::int64_t> axes, std::size_t rank);

}  // namespace onnxpress::ops
