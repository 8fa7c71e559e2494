// Replaces an If by the nodes of one of its branches.
#pragma once

#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

// The branch of an If that is taken; null when the node has no such body, or it has not one result per output.
Graph* branch_of(const Node& node, bool condition);

// Makes the constants and nodes of the branch again in front of the If; whoever used the old values, in bodies too,
// uses the new ones. Returns the results of the branch, which are visible around the If now. Names of new values are
// chosen when they are written, since a name of the branch may also occur outside. The If itself stays, and computes
// nothing any more: the caller replaces its outputs and erases it.
std::vector<Value*> move_out(Model& model, Graph& branch);

// For a condition that is known: Identity nodes give the results to whoever read the If, under the same names. False,
// and nothing changed, when the node is no If with such a branch.
bool inline_branch(Model& model, Node& node, bool condition);

}  // namespace onnxpress::passes
