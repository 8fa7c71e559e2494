// `onnxpress merge`: joins two models into one.

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/report/field_lists/parts.h"

namespace onnxpress::cli {

namespace {

struct MergeArguments : OneModel<MergeOptions> {
  std::string second;
};

std::string merge_screen(const MergeReport& report) {
  std::string out = fmt::format("{} and {}: {}\n", printable(report.first), printable(report.second),
                                counted(report.nodes, "node", "nodes"));
  for (const ConnectionLine& each : report.connections)
    out += fmt::format("  {} -> {}\n", printable(each.output), printable(each.input));
  for (const PartValue& each : report.inputs)
    out += fmt::format("  input   {}  {}\n", printable(each.name), printable(each.type));
  for (const PartValue& each : report.outputs)
    out += fmt::format("  output  {}  {}\n", printable(each.name), printable(each.type));
  if (!report.renamed.empty()) {
    const RenamedLine& first = report.renamed.front();
    out += fmt::format("note: {} of the second model {} new names, such as {} for {} (--json lists them)\n",
                       counted(report.renamed.size(), "value", "values"), report.renamed.size() == 1 ? "has" : "have",
                       printable(first.after), printable(first.before));
  }
  return out;
}

MergeReport merge_files(const MergeArguments& arguments, const std::string& output) {
  const MergeOptions& options = arguments.options;
  LoadedModel first = open_model(arguments.input, options.load);
  LoadedModel second = open_model(arguments.second, options.load);
  Merged merged = merge(first.model, second.model, options);
  merged.report.first = first.name;
  merged.report.second = second.name;
  merged.report.output = output;
  merged.report.files = save_checked(merged.model, {.output = output, .load = options.load}).files;
  return std::move(merged.report);
}

int run_merge(const MergeArguments& arguments) {
  return run_and_tell(
      arguments, [&](const std::string& output, ProgressBar&) { return merge_files(arguments, output); }, merge_screen);
}

}  // namespace

Action add_merge(Command& command) {
  auto arguments = std::make_shared<MergeArguments>();
  add_file_argument(command, "FIRST", arguments->input, "the model that runs first: .onnx, .onnxtxt, .json");
  add_file_argument(command, "SECOND", arguments->second, "the model that it feeds");
  add_file(command, {"-o", "--output"}, arguments->output, "the result; - for standard output");
  return add_task(command, arguments, run_merge);
}

}  // namespace onnxpress::cli
