// Gives inputs other sizes than the ones that the file declares.
#pragma once

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress {

// Where the settings contradict the declared shape of an input, that shape is replaced, and so are the declared types
// of all that is computed from it. Throws Error that names the first node that does not take the new sizes; the model
// may have changed by then. Settings that agree with the declared shapes change nothing here.
void resize_inputs(Model& model, const analysis::FactSettings& settings);

}  // namespace onnxpress
