// `onnxpress expand`: undoes `shrink`, turning decoding nodes back into plain tensors.
#include "onnxpress/tasks/shrink/expand.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/files/change_file.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress::cli {

namespace {

struct ExpandArguments {
  std::string input, output;
  bool json = false;
  ExpandOptions options;
};

int run_expand(const ExpandArguments& arguments) {
  if (arguments.output.empty()) throw UsageError("the name of the result is missing", "add -o FILE");
  const ModelOutput output(arguments.output, arguments.json);
  ProgressBar bar("reading");
  const LoadOptions& load = arguments.options.load;
  std::optional<OutputComparison> outputs;
  SaveRequest request{.output = output.path(), .load = load, .progress = bar.shower()};
  request.check = [&](Model& written) {
    const std::string path = written.path.string();
    LoadedModel original = open_model(arguments.input, load);
    require_expanded(original.model, written);
    if (!arguments.options.verify || path.empty()) return;
    LoadedModel before = open_model(arguments.input, load), after = open_model(path, load);
    outputs = compare_outputs(engines::engines_for().front(), before.model, after.model);
  };
  ExpandReport report = change_file(arguments.input, request, expand);
  report.outputs = outputs;
  bar.clear();
  if (arguments.json) {
    print(to_json(report));
    return kDone;
  }
  output.deliver(report.files);
  output.report(fmt::format("{}: {} decoded, {}; {} removed\n", printable(report.file),
                            counted(report.tensors, "tensor", "tensors"), human_bytes(report.bytes),
                            counted(report.nodes, "node", "nodes")));
  if (report.outputs)
    output.report(report.outputs->same
                      ? fmt::format("verified: {} gives the same bits in all outputs\n", report.outputs->runtime)
                      : fmt::format("outputs were not compared: {}\n", printable(report.outputs->reason)));
  for (const WrittenFile& file : report.files) {
    if (output.is_standard_output()) break;
    talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  }
  return kDone;
}

}  // namespace

Action add_expand(Command& command) {
  auto arguments = std::make_shared<ExpandArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the result, if -o is not given");
  add_file(command, {"-o", "--output"}, arguments->output, "the result; may be the same file; - for standard output");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/expand.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    if (arguments->options.verify && arguments->input == "-")
      throw UsageError("--verify has to read the model twice, which is not possible with standard input",
                       "save it in a file first");
    return run_expand(*arguments);
  };
}

}  // namespace onnxpress::cli
