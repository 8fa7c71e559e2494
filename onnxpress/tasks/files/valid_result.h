// Is a result a valid model, if the one that it was made from was? Every written file passes this check before it gets
// its final name.
#pragma once

#include <functional>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Gives the model that the result was made from, as it was at first.
using OriginalModel = std::function<Model()>;

// Throws Error with the place and the reason if the result has a kind of error that `check` does not find in the
// original, as an error or a warning. So a result of a model that was not valid is only refused for new kinds of
// errors. The original is asked for only if the result has errors; without one, every error counts. Adds symbols to the
// context of the result, and otherwise changes nothing. It reads no weights, except small ones and typed fields.
void require_valid_result(Model& result, const OriginalModel& original = {});

}  // namespace onnxpress
