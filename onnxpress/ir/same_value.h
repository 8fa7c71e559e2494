// Equality of attribute values.
#pragma once

#include "onnxpress/ir/attribute.h"

namespace onnxpress {

// Of numbers, texts and types, and of lists of these; a nan equals a nan. False for tensors and bodies, which are for
// the caller to compare.
bool same_plain_value(const Attribute::Value& a, const Attribute::Value& b);

}  // namespace onnxpress
