// Which values the documentation of an op's version lists for its attributes, for example the modes of Pad.
#pragma once

#include <span>
#include <string_view>

#include "onnxpress/ops/core/op.h"

namespace onnxpress::ops {

// Words, or numbers as text ("2"). Empty when the documentation of that version lists none.
std::span<const std::string_view> values_of(const Schema& schema, std::string_view attribute);
// Whether the attribute may have this value: it is listed, or nothing is. Only strings and integers have lists.
bool lists_value(const Schema& schema, const Attribute& attribute);
bool lists_value(const Schema& schema, std::string_view attribute, std::string_view value);

// Whether onnx's checker and ONNX Runtime both take this value although the documentation of that version does not
// list it: that of another version, or one that they read as the default.
bool is_taken_anyway(const Node& node, const Schema& schema, std::string_view attribute, std::string_view value);

}  // namespace onnxpress::ops
