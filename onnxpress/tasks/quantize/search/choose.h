// Chooses a form for each weight: the one that was asked for, or the one with which the model reaches its goal.
#pragma once

#include "onnxpress/tasks/quantize/work.h"

namespace onnxpress {

// Sets `chosen` of each weight; where it stays empty, the weight stays as it is. Throws Error if a size cannot be
// reached. A quality that cannot be reached is no error: measure() says so.
void choose(Work& work);

// Compensation is decided layer by layer. Where no goal checks the outputs, this runs the whole model with and without
// it, and keeps what gives the better outputs.
void keep_better_rounding(Work& work);

}  // namespace onnxpress
