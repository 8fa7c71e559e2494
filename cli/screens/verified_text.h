// The line that reports the result of `onnxpress shrink --verify`.
#pragma once

#include <string>
#include <vector>

#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

// One line about one model or all of them; empty when none was verified.
std::string verified_text(const std::vector<const ShrinkReport*>& reports);
// "hint: ..." when there was no runtime; else empty.
std::string verified_hint(const std::vector<const ShrinkReport*>& reports);

}  // namespace onnxpress::cli
