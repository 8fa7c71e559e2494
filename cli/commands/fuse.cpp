// `onnxpress fuse`: replaces a region, and all regions like it, by one node.
#include "onnxpress/tasks/edit/fuse.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/screen.h"
#include "onnxpress/tasks/files/change_file.h"

namespace onnxpress::cli {

namespace {

struct FuseArguments {
  std::string input, output;
  bool json = false;
  FuseOptions options;
};

int run_fuse(const FuseArguments& arguments) {
  const FuseOptions& options = arguments.options;
  if (arguments.output.empty()) throw UsageError("the name of the result is missing", "add -o FILE");
  if (options.as.empty()) throw UsageError("the name of the new op is missing", "add --as my.domain::Block");
  if (!options.nodes && options.to.empty())
    throw UsageError("the region is missing", "add --nodes first..last, or --from x --to y");
  if (options.nodes && (!options.to.empty() || !options.from.empty()))
    throw UsageError("--nodes cannot be combined with --from and --to");
  const ModelOutput output(arguments.output, arguments.json);
  const FuseReport report = change_file(arguments.input, {.output = output.path(), .load = options.load},
                                        [&](Model& model) { return fuse(model, options); });
  output.deliver(report.files);
  if (arguments.json) {
    print(to_json(report));
    return kDone;
  }
  output.report(fmt::format("{}: {} of {} became {} ({}) => ({})\n", printable(report.file),
                            counted(report.regions, "region", "regions"), counted(report.nodes, "node", "nodes"),
                            printable(report.op), printable(fmt::format("{}", fmt::join(report.inputs, ", "))),
                            printable(fmt::format("{}", fmt::join(report.outputs, ", ")))));
  for (const WrittenFile& file : report.files) {
    if (output.is_standard_output()) break;
    talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  }
  return kDone;
}

}  // namespace

Action add_fuse(Command& command) {
  auto arguments = std::make_shared<FuseArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the result, if -o is not given");
  add_file(command, {"-o", "--output"}, arguments->output, "the result; may be the same file; - for standard output");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/fuse.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    return run_fuse(*arguments);
  };
}

}  // namespace onnxpress::cli
