// Replaces an If by the nodes of one of its branches.
#pragma once

#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The branch of an If that is taken for this condition; null when the node has no such body, or when the number of the
// body's results is not that of the node's outputs.
Graph* branch_of(const Node& node, bool condition);

// Moves the constants and nodes of the branch in front of the If; users of the old values, even in bodies, now use the
// new ones. Returns the results of the branch, which are now visible around the If. New values are named when the model
// is written, since a name of the branch may also occur outside. The If itself stays but no longer computes anything:
// the caller replaces its outputs and erases it.
std::vector<Value*> move_out(Model& model, Graph& branch);

// For a condition that is known: replaces the If by its branch and Identity nodes, which keep the names of the results.
// Returns false, and changes nothing, when the node is not an If with such a branch.
bool inline_branch(Model& model, Node& node, bool condition);

}  // namespace onnxpress::passes
