// Replaces a region of a graph, and all regions like it, by one node: the work behind `onnxpress fuse`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct FuseOptions {
  std::optional<std::string> nodes;
  Names from, to;
  std::string as;
  bool once = false, keep_attributes = false;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("nodes", &FuseOptions::nodes, "the region: from one node to another, by name: first..last");
    visit("from", &FuseOptions::from, "the region: values that lead into it");
    visit("to", &FuseOptions::to, "the region: values that it computes");
    visit("as", &FuseOptions::as, "domain and name of the new op: my.domain::Block");
    visit("once", &FuseOptions::once, "fuse only this region, not others like it");
    visit("keep_attributes", &FuseOptions::keep_attributes,
          "attributes of the nodes become attributes of the new node, such as Conv0_strides; regions may then differ "
          "in them");
    visit("", &FuseOptions::load, "");
  }
};

struct FuseReport {
  std::string file, output, op;
  std::uint64_t nodes = 0, regions = 0;
  std::vector<std::string> inputs, outputs;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &FuseReport::file, "path of the input");
    visit("output", &FuseReport::output, "path of the result");
    visit("op", &FuseReport::op, "the new op, which is a function of the model");
    visit("nodes", &FuseReport::nodes, "nodes of the region");
    visit("regions", &FuseReport::regions, "regions that became a node, including the example");
    visit("inputs", &FuseReport::inputs, "operands of the new op, as the example calls them");
    visit("outputs", &FuseReport::outputs, "its results, as the example calls them");
    visit("files", &FuseReport::files, "files that were written, the model first");
  }
};

// "my.domain::Block", or "my.domain.Block" as ONNX text has it: domain and name. Throws Error.
std::pair<std::string, std::string> split_op_name(const std::string& op);

// In memory. Throws Error, and changes nothing then.
FuseReport fuse(Model& model, const FuseOptions& options);
// The region as nodes of the main graph, in any order; Constant nodes among them are left out. Returns the new nodes.
std::vector<Node*> fuse_nodes(Model& model, std::vector<Node*> nodes, const FuseOptions& options);
// The nodes on all paths from the values `from` to the values `to`.
std::vector<Node*> nodes_between(Model& model, const std::vector<std::string>& from,
                                 const std::vector<std::string>& to);
// The reverse: replaces nodes of this op, a function of the model, by the nodes of the function. Returns how many.
std::uint64_t unfuse(Model& model, const std::string& op);

std::string to_json(const FuseReport& report);

}  // namespace onnxpress::tasks
