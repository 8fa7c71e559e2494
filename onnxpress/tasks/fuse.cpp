// Finds the region by its names, and writes the model with the new nodes.
#include "onnxpress/tasks/fuse.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/passes/fuse_region.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::tasks {

namespace {

// "my.domain::Block", or "my.domain.Block" as ONNX text has it.
std::pair<std::string, std::string> split_op(const std::string& op) {
  std::size_t at = op.rfind("::");
  std::size_t width = 2;
  if (at == std::string::npos) {
    at = op.rfind('.');
    width = 1;
  }
  if (at == std::string::npos || at == 0 || at + width >= op.size())
    throw Error("", fmt::format("{} is no name of an op of a domain of its own", quote_name(op)),
                "such a name is my.domain::Block");
  return {op.substr(0, at), op.substr(at + width)};
}

std::vector<Node*> region_of(Model& model, const FuseOptions& options) {
  if (options.nodes) {
    const std::size_t at = options.nodes->find("..");
    if (at == std::string::npos)
      throw Error("", fmt::format("{} is no range of nodes", quote_name(*options.nodes)),
                  "such a range is first..last");
    return passes::region_of_nodes(model, options.nodes->substr(0, at), options.nodes->substr(at + 2));
  }
  return passes::region_between(model, options.from, options.to);
}

}  // namespace

FuseReport fuse(const std::string& input, const std::string& output, const FuseOptions& options,
                const ConvertStreams& streams) {
  LoadedModel loaded = load_model(input, options.load);
  try {
    const auto [domain, name] = split_op(options.as);
    const passes::FusedRegions fused =
        passes::fuse_regions(loaded.model, region_of(loaded.model, options), domain, name);
    passes::remove_dead(loaded.model);
    if (const std::string problem = onnxpress::verify(loaded.model); !problem.empty())
      throw Error("fuse", problem, "this is a defect of onnxpress; please report it");
    FuseReport report{.file = loaded.name, .output = output, .op = options.as};
    report.nodes = fused.nodes;
    report.regions = fused.regions;
    report.inputs = fused.inputs;
    report.outputs = fused.outputs;
    ConvertOptions how{.load = options.load};
    if (!loaded.model.external_files.empty()) how.weights.external_data = "";
    ConvertReport written;
    write_converted(loaded, output, how, streams, written);
    report.files = written.files;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string to_json(const FuseReport& report) { return json_text(report); }

}  // namespace onnxpress::tasks
