// Gives a model that was written as a text without a header what the header would say: IR version and opsets.
#pragma once

#include <string>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// For a model without an IR version: sets it, and imports all domains if it imports none. Of the standard domains,
// those versions that brought the newest form of the ops that the model uses, and at least opset 17. Returns what was
// set, in words: "IR version 8, opset 17, ai.onnx.ml 3"; empty if the model has an IR version.
std::string complete_header(Model& model);

}  // namespace onnxpress
