// `onnxpress split`: cuts a model into stages of a pipeline.

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/split_file.h"

namespace onnxpress::cli {

namespace {

using SplitArguments = OneModel<SplitOptions>;

std::string split_screen(const SplitReport& report) {
  using Align = Table::Align;
  Table table({{"stage", Align::kLeft, true},
               {"nodes", Align::kRight},
               {"macs", Align::kRight},
               {"weights", Align::kRight},
               {"inputs", Align::kRight},
               {"outgoing", Align::kRight}});
  for (const Stage& stage : report.stages) {
    table.add({printable(stage.file), with_commas(stage.nodes), with_commas(stage.macs),
               human_bytes(stage.weight_bytes), with_commas(stage.inputs.size()),
               stage.bytes_out ? human_bytes(*stage.bytes_out) : "?"});
  }
  return table.to_text(standard_output(), 0);
}

int run_split(const SplitArguments& arguments) {
  if (arguments.output.empty())
    throw UsageError("the name of the stages is missing",
                     "add -o NAME to write NAME.json, NAME.0.onnx, NAME.1.onnx, ...");
  return tell(split_file(arguments.input, arguments.output, arguments.options), arguments.json, split_screen);
}

}  // namespace

Action add_split(Command& command) {
  auto arguments = std::make_shared<SplitArguments>();
  add_file_argument(command, "MODEL", arguments->input, kAnyModel);
  add_file(command, {"-o", "--output"}, arguments->output,
           "name of the files: NAME.json, NAME.0.onnx, NAME.1.onnx, ...");
  return add_task(command, arguments, [&command](const SplitArguments& given) {
    if (command.was_given("--at") && command.was_given("--parts"))
      throw UsageError("--at and --parts cannot be combined");
    return run_split(given);
  });
}

}  // namespace onnxpress::cli
