// Compares the outputs of the original model with those for the chosen forms, and with what was asked for.
#pragma once

#include <string>

#include "onnxpress/tasks/quantize/work.h"

namespace onnxpress {

// Fills in the report. Returns why the quality that was asked for is not reached; empty if it is, or if none was.
std::string measure(Work& work);

}  // namespace onnxpress
