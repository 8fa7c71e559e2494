// `onnxpress edit`: makes common changes to a model.
#include "onnxpress/tasks/report/field_lists/edit.h"

#include "cli/commands/one_model.h"

namespace onnxpress::cli {

namespace {

struct EditArguments : OneModel<EditOptions> {
  bool in_place = false;
};

std::string edit_screen(const EditReport& report) {
  if (report.changes.empty()) return "no change was requested: the result is the original\n";
  std::string text;
  for (const std::string& each : report.changes) text += printable(each) + "\n";
  return text;
}

int run_edit(EditArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) throw UsageError("--in-place and -o cannot be combined");
  if (arguments.in_place) arguments.output = arguments.input;
  return change_and_tell(
      arguments, [&](Model& model) { return edit(model, arguments.options); }, edit_screen);
}

}  // namespace

Action add_edit(Command& command) {
  auto arguments = std::make_shared<EditArguments>();
  add_model_and_result(command, *arguments, "the result; - for standard output");
  add_flag(command, "--in-place", arguments->in_place, "replace the model with the result");
  Action action = add_task(command, arguments, run_edit);
  // The text is the documentation itself, so it cannot be left out like the value of other options.
  Option& doc = *command.find("--doc");
  doc.label = "TEXT";
  doc.takes = Takes::kValue;
  return action;
}

}  // namespace onnxpress::cli
