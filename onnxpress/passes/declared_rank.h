// Outputs of a model that are declared with a different rank than they have.
#pragma once

#include "onnxpress/ir/value.h"
#include "onnxpress/ops/core/fact.h"

namespace onnxpress::passes {

// As long as the shape of such an output is computed, checkers believe the declaration; nobody may show them what it
// is.
inline bool is_declared_otherwise(const Value& value, const ops::Shape& shape) {
  const Type* type = value.is_output() ? value.type() : nullptr;
  return type && type->has_shape && type->dims.size() != shape.size();
}

}  // namespace onnxpress::passes
