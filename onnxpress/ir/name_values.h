// Gives every value without a name a new, unique one.
#pragma once

#include <functional>
#include <optional>

#include "onnxpress/ir/model.h"

namespace onnxpress {

// Values that we made have no name until they are written. They are named in order of appearance ("v0", "v1", ...),
// skipping names that are taken, so the same model always gets the same names.
void name_values(Model& model);
// Visits the values that name_values() would name, in the order in which it would.
void for_each_unnamed(const Model& model, const std::function<void(Value&)>& visit);
// A copy whose values all have names, for readers that need names; nullopt if they all have one.
std::optional<Model> named_copy(const Model& model);
// Whether name_values() would name any value.
bool has_unnamed_values(const Model& model);

}  // namespace onnxpress
