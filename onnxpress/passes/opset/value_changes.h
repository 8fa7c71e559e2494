// Conversions for values of attributes that only one of two opsets has: the value is expressed otherwise, or refused.
#pragma once

#include "onnxpress/passes/opset/opset_draft.h"

namespace onnxpress::passes {

// Each changes the draft so that it no longer needs the value, if it has it, and throws Obstacle if that cannot be.

// A reduction of ScatterElements or ScatterND, as an op in front of it, where no place is written twice.
void combine_before(const ops::OpsetChange& change, Node& node, const analysis::Facts& facts, const MakeNode& make,
                    Draft& draft);
// half_pixel_symmetric of Resize, which is half_pixel where sizes times scales are whole.
void center_plainly(const ops::OpsetChange& change, const Node& node, const analysis::Facts& facts, Draft& draft);
// tf_half_pixel_for_nn of Resize: half_pixel with another rounding.
void shift_by_rounding(const ops::OpsetChange& change, Draft& draft);
// Mod that rounds down, of floats.
void require_integers(const ops::OpsetChange& change, const Node& node, const analysis::Facts& facts, Draft& draft);

}  // namespace onnxpress::passes
