// Replaces a region of a graph, and all regions like it, by one node: the work behind `onnxpress fuse`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// "my.domain::Block", or "my.domain.Block" as ONNX text has it: domain and name. Throws Error.
std::pair<std::string, std::string> split_op_name(const std::string& op);

// The region as nodes of the main graph, in any order; Constant nodes among them are left out. Returns the new nodes.
std::vector<Node*> fuse_nodes(Model& model, std::vector<Node*> nodes, const FuseOptions& options);

// The nodes on all paths from the values `from` to the values `to`.
std::vector<Node*> nodes_between(Model& model, const std::vector<std::string>& from,
                                 const std::vector<std::string>& to);

}  // namespace onnxpress
