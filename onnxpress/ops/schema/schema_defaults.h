// What a schema says about single attributes and operands, for code that removes or replaces them.
#pragma once

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// Is the attribute what the schema means when it is absent? False where the schema has no default.
bool is_default(const Schema& schema, const Attribute& attribute);
// The same, and lists that the standard fills in by rank: no padding, strides and dilations of 1.
bool means_the_same_as_absent(const Schema& schema, const Attribute& attribute);

// May the formal have this element type?
bool allows(const Schema& schema, const Formal& formal, ElementType type);
// The formal of operand (or result) i; the last one stands for all that follow when it is variadic. Null: there is
// none.
const Formal* formal_at(const std::vector<Formal>& formals, std::size_t i);

// Is the operand a parameter of the op (a shape, axes, pads, scales, ...) rather than data? It says what shape the
// result has. Importers of other runtimes want these as plain initializers.
bool is_parameter(const Schema& schema, std::size_t operand);

}  // namespace onnxpress::ops
