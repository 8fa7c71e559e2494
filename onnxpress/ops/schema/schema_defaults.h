// What a schema says about single attributes and operands, for code that removes or replaces them.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// Does the attribute have its default value? False if the schema has no default.
bool is_default(const Schema& schema, const Attribute& attribute);
// The same, and also true for lists that the standard fills in by rank: no padding, strides and dilations of 1.
bool means_the_same_as_absent(const Schema& schema, const Attribute& attribute);

// May the formal have this element type?
bool allows(const Schema& schema, const Formal& formal, ElementType type);
// The formal of operand (or result) i; a variadic last one stands for all that follow. Null if there is none.
const Formal* formal_at(const std::vector<Formal>& formals, std::size_t i);

// Is the operand a parameter of the op (a shape, axes, pads, scales, ...) rather than data? Such operands determine the
// shape of the result, and importers of other runtimes expect them to be plain initializers.
bool is_parameter(const Schema& schema, std::size_t operand);

}  // namespace onnxpress::ops
