// Finds the region by its names, and writes the model with the new nodes.
#include "onnxpress/tasks/edit/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/passes/regions/fuse_region.h"
#include "onnxpress/passes/whole/inline_functions.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/restore_on_failure.h"

namespace onnxpress {

namespace {

std::vector<Node*> region_of(Model& model, const FuseOptions& options) {
  if (options.nodes) {
    const std::size_t at = options.nodes->find("..");
    if (at == std::string::npos)
      throw OptionError(fmt::format("{} is not a range of nodes", quote_name(*options.nodes)),
                        "write it as first..last");
    return passes::region_of_nodes(model, options.nodes->substr(0, at), options.nodes->substr(at + 2));
  }
  return passes::region_between(model, options.from, options.to);
}

passes::FusedRegions fuse_region(Model& model, const std::vector<Node*>& region, const FuseOptions& options) {
  const auto [domain, name] = split_op_name(options.as);
  passes::FusedRegions fused =
      passes::fuse_regions(model, region, domain, name, {options.once, options.keep_attributes});
  passes::remove_dead(model);
  if (const std::string problem = onnxpress::verify(model); !problem.empty())
    throw Error("fuse", problem, "this is a bug in onnxpress; please report it");
  return fused;
}

}  // namespace

std::pair<std::string, std::string> split_op_name(const std::string& op) {
  std::size_t at = op.rfind("::");
  std::size_t width = 2;
  if (at == std::string::npos) {
    at = op.rfind('.');
    width = 1;
  }
  if (at == std::string::npos || at == 0 || at + width >= op.size())
    throw OptionError(fmt::format("{} is not a name of an op with its domain", quote_name(op)),
                      "write it as my.domain::Block");
  return {op.substr(0, at), op.substr(at + width)};
}

FuseReport fuse(Model& model, const FuseOptions& options) {
  RestoreOnFailure restore(model);
  const passes::FusedRegions fused = fuse_region(model, region_of(model, options), options);
  FuseReport report{.file = {}, .output = {}, .op = options.as};
  report.nodes = fused.nodes;
  report.regions = fused.regions;
  report.inputs = fused.inputs;
  report.outputs = fused.outputs;
  restore.keep();
  return report;
}

std::vector<Node*> fuse_nodes(Model& model, std::vector<Node*> nodes, const FuseOptions& options) {
  std::erase_if(nodes, [](const Node* node) { return node->erased() || node->is("Constant"); });
  std::ranges::sort(nodes, [](const Node* a, const Node* b) {
    return a->graph() == b->graph() ? a->comes_before(*b) : std::less<>()(a->graph(), b->graph());
  });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return fuse_region(model, nodes, options).calls;
}

std::vector<Node*> nodes_between(Model& model, const std::vector<std::string>& from,
                                 const std::vector<std::string>& to) {
  return passes::region_between(model, from, to);
}

std::uint64_t unfuse(Model& model, const std::string& op) {
  const std::pair<std::string, std::string> wanted = split_op_name(op);
  const auto is_meant = [&](const Function& each) { return each.domain == wanted.first && each.name == wanted.second; };
  if (std::ranges::none_of(model.functions, [&](const Function* each) { return is_meant(*each); }))
    throw Error("", fmt::format("the model has no function {}", quote_name(op)));
  RestoreOnFailure restore(model);
  const passes::Inlined done = passes::inline_functions(model, is_meant);
  if (!done.kept.empty()) throw Error("", fmt::format("cannot be undone: {}", done.kept.front()));
  passes::remove_dead(model);
  restore.keep();
  return done.calls;
}

std::string to_json(const FuseReport& report) { return json_text(report); }

}  // namespace onnxpress
