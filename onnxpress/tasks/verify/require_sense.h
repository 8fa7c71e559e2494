// Are the options of verify valid, and do they go together?
#pragma once

#include "onnxpress/tasks/report/field_lists/verify.h"

namespace onnxpress {

// Throws OptionError if not.
void require_sense(const VerifyOptions& options);

}  // namespace onnxpress
