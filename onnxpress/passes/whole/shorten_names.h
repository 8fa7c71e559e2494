// Shortens all names inside a model.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Inputs and outputs of the model and values of functions keep their names; nodes lose theirs. New names are letters
// and digits, and clash with no name in the file. Models with training graphs stay as they are. Returns {new name, old
// name} of each renamed value, in order of appearance.
std::vector<std::pair<std::string_view, std::string_view>> shorten_names(Model& model);

}  // namespace onnxpress::passes
