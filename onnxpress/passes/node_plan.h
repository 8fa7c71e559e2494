// NodePlan: a node in the form that the schema of one opset requires, worked out before anything is built. The reverse
// of ops::Params: each named parameter becomes an attribute or an operand.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/parameter.h"

namespace onnxpress::passes {

struct NodePlan {
  struct Operand {
    Value* value = nullptr;              // null without `constant`: omitted
    std::optional<ops::Array> constant;  // a parameter that becomes an operand
    bool given() const { return value || constant; }
  };
  std::vector<Operand> operands;
  std::vector<Attribute*> attributes;  // those that differ from the default
};

// The parameter as the attribute that the schema declares; null when it declares none of that name and kind.
Attribute* make_parameter_attribute(const ops::Schema& schema, const Parameter& parameter, Arena& arena);
// The elements of a parameter that becomes an operand: a scalar, or a list of one dim.
ops::Array array_of(const Parameter& parameter);

// nullopt when this version of the op cannot express it: it lacks a parameter, needs another operand, takes fewer, or
// does not allow a type. `element_of(value)` is the element type of an operand where it is known; parameters with the
// same type variable get that type.
std::optional<NodePlan> plan_node(const ops::Schema& schema, std::span<Value* const> operands,
                                  std::span<const Parameter> parameters, Arena& arena,
                                  const std::function<ElementType(const Value&)>& element_of);

}  // namespace onnxpress::passes
