// Converts arrays to ONNX Runtime's values, and back.
#pragma once

#include <memory>
#include <vector>

#include "onnxpress/engines/ort/onnx_runtime.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::engines {

// The numbers are those of ONNX, except for the newest types, which ONNX Runtime numbers in the order it added them.
int element_number(ElementType type);
ElementType element_of_number(int number);

// A value of the library and the memory that it refers to: numbers are borrowed, not copied, unless they must be
// packed.
struct GivenValue {
  ValueHandle value;
  ops::Array array;
  std::vector<char> packed;
};
GivenValue given_value(const std::shared_ptr<const OnnxRuntime>& runtime, const ops::Array& array);

// Copies a tensor, a sequence, a map or an optional; a null value gives an empty Datum. Throws Error for other kinds.
ops::Datum datum_of(const std::shared_ptr<const OnnxRuntime>& runtime, abi::Value* value);

}  // namespace onnxpress::engines
