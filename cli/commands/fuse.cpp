// `onnxpress fuse`: replaces a region, and all regions like it, by one node.
#include "onnxpress/tasks/edit/fuse.h"

#include "cli/commands/one_model.h"

namespace onnxpress::cli {

namespace {

using FuseArguments = OneModel<FuseOptions>;

std::string fuse_screen(const FuseReport& report) {
  return fmt::format("{}: {} of {} became {} ({}) => ({})\n", printable(report.file),
                     counted(report.regions, "region", "regions"), counted(report.nodes, "node", "nodes"),
                     printable(report.op), printable(fmt::format("{}", fmt::join(report.inputs, ", "))),
                     printable(fmt::format("{}", fmt::join(report.outputs, ", "))));
}

int run_fuse(const FuseArguments& arguments) {
  const FuseOptions& options = arguments.options;
  if (arguments.output.empty()) throw UsageError("the name of the result is missing", "add -o FILE");
  if (options.as.empty()) throw UsageError("the name of the new op is missing", "add --as my.domain::Block");
  if (!options.nodes && options.to.empty())
    throw UsageError("the region is missing", "add --nodes first..last, or --from x --to y");
  if (options.nodes && (!options.to.empty() || !options.from.empty()))
    throw UsageError("--nodes cannot be combined with --from and --to");
  return change_and_tell(
      arguments, [&](Model& model) { return fuse(model, options); }, fuse_screen);
}

}  // namespace

Action add_fuse(Command& command) {
  auto arguments = std::make_shared<FuseArguments>();
  add_model_and_result(command, *arguments, "the result; may be the same file; - for standard output");
  return add_task(command, arguments, run_fuse);
}

}  // namespace onnxpress::cli
