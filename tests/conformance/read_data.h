// Reads values from the .pb files of the official tests: tensors, sequences and optionals.
#pragma once

#include <filesystem>

#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::tests {

// `type` is what the model declares for the value; `holder` must outlive the result.
ops::Datum read_datum(const std::filesystem::path& path, const Type* type, Model& holder);

}  // namespace onnxpress::tests
