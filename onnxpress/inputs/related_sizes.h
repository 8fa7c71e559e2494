// Open dims of inputs that follow from others, such as the length of an attention mask from those of the cache and of
// the new tokens.
#pragma once

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/inputs/sizes.h"

namespace onnxpress::inputs {

// For each symbol that follows from others: the expression of them, "past + sequence". Three places show it:
// - its name, which exporters write as an expression of other names ("past_sequence_length + 1");
// - the graph, where a value with this dim is combined with one that has the expression (mask and attention scores);
// - the names of a mask's dim and of the caches, where the graph does not show it.
// These are guesses, so models should also be tried without them. Rules that must hold are in every OpenDims.
SizeRules related_sizes(const Model& model, const analysis::Facts& facts);

}  // namespace onnxpress::inputs
