// `onnxpress split`: cuts a model into stages of a pipeline.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/tasks/jobs/split_file.h"

namespace onnxpress::cli {

namespace {

struct SplitArguments {
  std::string input, output;
  bool json = false;
  SplitOptions options;
};

std::string screen_of(const SplitReport& report) {
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
  const SplitReport report = split_file(arguments.input, arguments.output, arguments.options);
  print(arguments.json ? to_json(report) : screen_of(report));
  if (arguments.json) return kDone;
  for (const WrittenFile& file : report.files)
    talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  return kDone;
}

}  // namespace

Action add_split(Command& command) {
  auto arguments = std::make_shared<SplitArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"-o", "--output"}, arguments->output,
           "name of the files: NAME.json, NAME.0.onnx, NAME.1.onnx, ...");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/split.md lists the fields)");
  return [arguments, &command] {
    if (command.was_given("--at") && command.was_given("--parts"))
      throw UsageError("--at and --parts cannot be combined");
    return run_split(*arguments);
  };
}

}  // namespace onnxpress::cli
