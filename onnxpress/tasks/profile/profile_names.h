// The names of nodes, operators and types in a profile.
#pragma once

#include <string>

#include "onnxpress/analysis/facts/facts.h"

namespace onnxpress {

// The operator, with its domain where that is not the standard one.
std::string op_name(const Node& node);
// The node's name, or that of its first output.
std::string name_of(const Node& node);
std::string type_text(const analysis::Facts& facts, const Value& value);
// The same with numbers instead of formulas, where `size_of` knows the sizes of the symbols.
std::string sized_type_text(const analysis::Facts& facts, const Value& value, const ops::DimMath::SizeOf& size_of);

}  // namespace onnxpress
