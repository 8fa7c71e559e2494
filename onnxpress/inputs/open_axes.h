// Sizes for dims that a model leaves open: large enough that every layer has something to work on.
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::inputs {

// The smallest size, with the given settings, of the axes inside the model whose sizes are open without them. The first
// axis of a value does not count, because it is mostly the batch. nullopt if there are none.
//
// A model of sounds that takes 512 samples may make a single frame of them: its convolutions then see little but
// padding, and its attention has nothing to choose from, so rounding their weights seems harmless.
std::optional<std::int64_t> smallest_open_axis(const Model& model, const analysis::FactSettings& open,
                                               const analysis::FactSettings& given);

}  // namespace onnxpress::inputs
