// Does a shrunk model compute with the same weights as the one it was made from?
#pragma once

#include <string>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::tasks {

// --verify: the tensors, then the outputs where the options have a runtime for that; the report says what was found.
// Throws Error as below.
void verify_result(const std::string& original, const std::string& result, const ShrinkOptions& options,
                   const std::vector<weights::Extracted>& extracted, ShrinkReport& report);

// Reads both files, decodes every chain, and walks both graphs side by side: the same nodes in the same order,
// connected in the same way, and every constant operand equal in type, dims and bits. Throws Error that names the first
// difference.
bool verify_shrunk(const std::string& original, const std::string& shrunk, const ShrinkOptions& options);

}  // namespace onnxpress::tasks
