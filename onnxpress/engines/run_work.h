// How much work it takes to run a model: a count that is the same on every machine, so that decisions based on it are,
// too.
#pragma once

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::engines {

// In multiply-adds, of which ONNX Runtime does about 2e10 in a second on two cores.
double work_of_run(const Model& model, const NamedArrays& inputs);
// The work of loading the model again before a run.
double work_of_loading(const Model& model);

// Settings with the shapes of these inputs.
analysis::FactSettings settings_for(const NamedArrays& inputs);

}  // namespace onnxpress::engines
