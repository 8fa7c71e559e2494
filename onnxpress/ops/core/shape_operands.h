// Which operands determine shapes: sizes, axes, counts. Shape inference reads their elements.
#pragma once

#include <cstddef>

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// May the shapes of the results depend on the elements of operand `i`, not only on its type and shape? True for
// operands that allow only integer types, and a few others. Such an operand is a scalar or a list; one with more axes
// is an index table. This covers more operands than is_parameter() (schema_defaults.h): the indices of a Gather matter
// when it gathers from a shape.
bool shapes_depend_on(const Op& op, std::size_t i);

}  // namespace onnxpress::ops
