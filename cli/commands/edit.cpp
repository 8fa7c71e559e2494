// `onnxpress edit`: makes common changes to a model.
#include "onnxpress/tasks/report/field_lists/edit.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/written.h"
#include "onnxpress/tasks/files/change_file.h"

namespace onnxpress::cli {

namespace {

struct EditArguments {
  std::string input, output;
  bool json = false, in_place = false;
  EditOptions options;
};

int run_edit(const EditArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) throw UsageError("--in-place and -o cannot be combined");
  const ModelOutput output = required_output(arguments.in_place ? arguments.input : arguments.output, arguments.json);
  const EditReport report = change_file(arguments.input, {.output = output.path(), .load = arguments.options.load},
                                        [&](Model& model) { return edit(model, arguments.options); });
  std::string text;
  for (const std::string& each : report.changes) text += printable(each) + "\n";
  if (report.changes.empty()) text = "no change was requested: the result is the original\n";
  return show_written(output, report.files, arguments.json ? to_json(report) : text, arguments.json);
}

}  // namespace

Action add_edit(Command& command) {
  auto arguments = std::make_shared<EditArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the result, if -o is not given");
  add_file(command, {"-o", "--output"}, arguments->output, "the result; - for standard output");
  add_flag(command, "--in-place", arguments->in_place, "replace the model with the result");
  add_options(command, arguments->options);
  // The text is the documentation itself, so it cannot be left out like the value of other options.
  Option& doc = *command.find("--doc");
  doc.label = "TEXT";
  doc.takes = Takes::kValue;
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/edit.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    return run_edit(*arguments);
  };
}

}  // namespace onnxpress::cli
