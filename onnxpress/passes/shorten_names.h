// Shortens all names inside a model.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Inputs and outputs of the model keep their names, as do values of functions and training graphs; nodes lose theirs.
// {new name, old name} of each value, in order of appearance. New names are letters and digits, and clash with no name
// in the file.
std::vector<std::pair<std::string_view, std::string_view>> shorten_names(Model& model);

}  // namespace onnxpress::passes
