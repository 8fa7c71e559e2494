// Fusion by example: a region of a graph, and all regions like it, become calls of one function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::passes {

struct FusedRegions {
  std::uint64_t nodes = 0;                   // of the region
  std::uint64_t regions = 0;                 // that were found, the example included
  std::vector<std::string> inputs, outputs;  // of the new op, as the example calls them
  std::vector<Node*> calls;                  // the new nodes
};

// The nodes of the main graph on all ways from the values `from` to the values `to` (no `from`: all that `to` needs).
// Throws Error for names that are not there, and for ways that do not exist.
std::vector<Node*> region_between(Model& model, const std::vector<std::string>& from,
                                  const std::vector<std::string>& to);
// From the first to the second node, both by name, in the order of the graph.
std::vector<Node*> region_of_nodes(Model& model, const std::string& first, const std::string& last);

struct FuseSettings {
  bool once = false;             // the region itself only, not those like it
  bool keep_attributes = false;  // attributes of inner nodes become attributes of the new one: Conv0_strides
};

// Values that come from outside, weights among them, are operands of the new op; single numbers stay inside. Regions
// with the same ops, attributes and single numbers, connected in the same way, become calls, too; where attributes are
// kept they may differ. Throws Error, and changes nothing then, when the region cannot be one node: nodes of other
// graphs than the main one, or a value that leads out of it and in again.
FusedRegions fuse_regions(Model& model, const std::vector<Node*>& region, std::string_view domain,
                          std::string_view name, const FuseSettings& settings = {});

}  // namespace onnxpress::passes
