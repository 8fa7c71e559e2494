// `onnxpress run`: runs a model with the built-in evaluator.
#include "onnxpress/tasks/run/run.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

struct RunArguments {
  std::string model;
  bool json = false;
  RunOptions options;
};

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
  const RunReport report = run_file(arguments.model, arguments.options, bar.shower());
  bar.clear();
  if (arguments.json) {
    print(to_json(report));
    return kDone;
  }
  const Screen screen = standard_output();
  print(values_text("input", report.inputs, screen));
  print(values_text("output", report.outputs, screen));
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
  add_file_argument(command, "MODEL", arguments->model, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/run.md lists the fields)");
  return [arguments] { return run_run(*arguments); };
}

}  // namespace onnxpress::cli
