// Reads values stored in separate files, as in the official test data: TensorProto, SequenceProto, OptionalProto and
// MapProto in .pb files.
#pragma once

#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::format {

struct StoredValue {
  enum class Kind { kNone, kTensor, kSequence, kOptional, kMap };
  Kind kind = Kind::kNone;
  Tensor* tensor = nullptr;        // kTensor; kMap: the keys
  std::vector<StoredValue> items;  // items of a sequence; content of an optional, if any; values of a map
};

// `type` is the type of the value (null: a tensor). Everything lives in `holder`, which also owns the bytes. Throws
// Error.
StoredValue read_value(Bytes encoded, const Type* type, Model& holder);

}  // namespace onnxpress::format
