// Equality of attribute values.
#pragma once

#include "onnxpress/ir/attribute.h"

namespace onnxpress {

// Compares numbers, texts and types, and lists of these; a nan equals a nan. False for tensors and bodies, which the
// caller must compare.
bool same_plain_value(const Attribute::Value& a, const Attribute::Value& b);

}  // namespace onnxpress
