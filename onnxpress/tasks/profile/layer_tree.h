// The tree of layers derived from the names of nodes, with equal layers on one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/node.h"
#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress {

// "encoder.layers.0", from what PyTorch's exporter writes into the metadata of a node; empty when there is nothing.
std::string scope_in_metadata(const Node& node);

// Lines in the order of the model. `nodes` are the rows of a profile, bodies after their node; names are split at '/'
// and '.'. A layer with a single part is merged into one line with it. Parts of a layer whose names differ only in
// numbers, and which have the same structure and work, share one line with `repeats`.
std::vector<LayerLine> layers_of(const std::vector<NodeProfile>& nodes);

}  // namespace onnxpress
