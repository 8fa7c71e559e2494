// Moves the content of a body out in front of the node that has it.
#pragma once

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// Constants and nodes of the body are made again in front of `position`, in their order; whoever used the old values
// uses the new ones. The names of values are free to be chosen anew, since the same name may stand outside. For bodies
// without sparse initializers.
void move_body_out(Model& model, Graph& body, Node& position);

}  // namespace onnxpress::passes
