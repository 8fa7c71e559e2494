// Converts what is known about a value to a type that a file can declare.
#pragma once

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress::tasks {

// Null where nothing is known that a declaration could say.
const Type* declared_type(const ops::Fact& fact, Arena& arena);
// Of the value, with its dims in terms of what was proved equal; what the file declares where nothing is inferred.
const Type* declared_type(const analysis::Facts& facts, const Value& value);

}  // namespace onnxpress::tasks
