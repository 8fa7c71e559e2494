// Ops that repeat elements along axes: Expand and Tile.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

void infer_expand(Inference& in);
bool evaluate_expand(Call& call);
void infer_tile(Inference& in);
bool evaluate_tile(Call& call);
void infer_tile_one_axis(Inference& in);  // the first version of Tile: repeats along one axis
bool evaluate_tile_one_axis(Call& call);

}  // namespace onnxpress::ops
