// `onnxpress expand`: undoes `shrink`, turning decoding nodes back into plain tensors.
#include "onnxpress/tasks/shrink/expand.h"

#include "cli/commands/one_model.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress::cli {

namespace {

using ExpandArguments = OneModel<ExpandOptions>;

std::string expand_screen(const ExpandReport& report) {
  const std::string text = fmt::format("{}: {} decoded, {}; {} removed\n", printable(report.file),
                                       counted(report.tensors, "tensor", "tensors"), human_bytes(report.bytes),
                                       counted(report.nodes, "node", "nodes"));
  if (!report.outputs) return text;
  if (!report.outputs->same)
    return text + fmt::format("outputs were not compared: {}\n", printable(report.outputs->reason));
  return text + fmt::format("verified: {} gives the same bits in all outputs\n", report.outputs->runtime);
}

ExpandReport expand_file(const ExpandArguments& arguments, const std::string& output, ProgressBar& bar) {
  const LoadOptions& load = arguments.options.load;
  std::optional<OutputComparison> outputs;
  SaveRequest request{.output = output, .load = load, .progress = bar.shower()};
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
  return report;
}

int run_expand(const ExpandArguments& arguments) {
  if (arguments.options.verify && arguments.input == "-")
    throw UsageError("--verify has to read the model twice, which is not possible with standard input",
                     "save it in a file first");
  return run_and_tell(
      arguments, [&](const std::string& output, ProgressBar& bar) { return expand_file(arguments, output, bar); },
      expand_screen);
}

}  // namespace

Action add_expand(Command& command) {
  auto arguments = std::make_shared<ExpandArguments>();
  add_model_and_result(command, *arguments, "the result; may be the same file; - for standard output");
  return add_task(command, arguments, run_expand);
}

}  // namespace onnxpress::cli
