// Fusion by example: a region of a graph, and all regions like it, become calls of one function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct FusedRegions {
  std::uint64_t nodes = 0;                   // nodes of the region
  std::uint64_t regions = 0;                 // regions found, including the example
  std::vector<std::string> inputs, outputs;  // of the new op, with their names in the example
  std::vector<Node*> calls;                  // the new nodes
};

// The nodes of the main graph on all paths from the values `from` to the values `to` (if `from` is empty: all that `to`
// needs). Throws Error for unknown names, and if there is no path.
std::vector<Node*> region_between(Model& model, const std::vector<std::string>& from,
                                  const std::vector<std::string>& to);
// All nodes from one to the other, both given by name, in the order of the graph.
std::vector<Node*> region_of_nodes(Model& model, const std::string& first, const std::string& last);

struct FuseSettings {
  bool once = false;             // only the region itself, not others like it
  bool keep_attributes = false;  // attributes of inner nodes become attributes of the new op, such as Conv0_strides
};

// Values from outside, including weights, become operands of the new op; single numbers stay inside. Regions with the
// same ops, attributes and single numbers, connected in the same way, become calls, too; with keep_attributes, their
// attributes may differ. Throws Error, without changing the model, if the region cannot become one node: because nodes
// are not in the main graph, or because a path leads out of the region and back into it.
FusedRegions fuse_regions(Model& model, const std::vector<Node*>& region, std::string_view domain,
                          std::string_view name, const FuseSettings& settings = {});

}  // namespace onnxpress::passes
