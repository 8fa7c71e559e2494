// Converts what is known about a value to a type that a file can declare.
#pragma once

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress {

// Null if nothing is known that could be declared.
const Type* declared_type(const ops::Fact& fact, Arena& arena);
// The inferred type of the value, in which dims that were proved equal are the same, or else its declared type.
const Type* declared_type(const analysis::Facts& facts, const Value& value);

}  // namespace onnxpress
