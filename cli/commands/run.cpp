// `onnxpress run`: runs a model with the built-in evaluator.
#include "onnxpress/tasks/run/run.h"

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

using RunArguments = OneModel<RunOptions>;

std::string values_text(std::string_view title, const std::vector<RunValue>& values, const Screen& screen) {
  if (values.empty()) return {};
  Table table({{std::string(title), Table::Align::kLeft, true},
               {"type"},
               {"least", Table::Align::kRight},
               {"largest", Table::Align::kRight},
               {"mean", Table::Align::kRight},
               {"", Table::Align::kLeft, true}});
  for (const RunValue& value : values) {
    std::string remark = value.file.empty() ? value.from : value.file;
    if (value.not_finite > 0) remark += fmt::format("{}{} not finite", remark.empty() ? "" : ", ", value.not_finite);
    table.add({printable(value.name), printable(value.type), fmt::format("{:.6g}", value.low),
               fmt::format("{:.6g}", value.high), fmt::format("{:.6g}", value.mean), printable(remark)});
  }
  return table.to_text(screen);
}

int run_run(const RunArguments& arguments) {
  ProgressBar bar("running");
  const RunReport report = run_file(arguments.input, arguments.options, bar.shower());
  bar.clear();
  const Screen screen = standard_output();
  print(arguments.json ? to_json(report)
                       : values_text("input", report.inputs, screen) + values_text("output", report.outputs, screen));
  if (arguments.json) return kDone;
  if (!report.assumed.empty()) {
    std::string dims;
    for (const std::string& dim : report.assumed) dims += (dims.empty() ? "" : ", ") + printable(dim);
    talk(fmt::format("{} dims taken as 1: {}; set them with --dim NAME=SIZE\n",
                     inked("note:", Ink::kWarning, standard_error()), dims));
  }
  talk(fmt::format("ran in {:.3f} s\n", report.seconds));
  return kDone;
}

}  // namespace

Action add_run(Command& command) {
  auto arguments = std::make_shared<RunArguments>();
  add_file_argument(command, "MODEL", arguments->input, kAnyModel);
  return add_task(command, arguments, run_run);
}

}  // namespace onnxpress::cli
