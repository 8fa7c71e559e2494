// `onnxpress run`: runs a model with our evaluator.
#include "onnxpress/tasks/run.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/table.h"

namespace onnxpress::cli {

namespace {

struct Arguments {
  std::string model;
  bool json = false;
  tasks::RunOptions options;
};

std::string values_text(std::string_view title, const std::vector<tasks::RunValue>& values, const Screen& screen) {
  if (values.empty()) return {};
  Table table({{std::string(title), Table::Align::kLeft, true},
               {"type"},
               {"least", Table::Align::kRight},
               {"largest", Table::Align::kRight},
               {"mean", Table::Align::kRight},
               {"", Table::Align::kLeft, true}});
  for (const tasks::RunValue& value : values) {
    std::string remark = value.file.empty() ? value.from : value.file;
    if (value.not_finite > 0) remark += fmt::format("{}{} not finite", remark.empty() ? "" : ", ", value.not_finite);
    table.add({printable(value.name), printable(value.type), fmt::format("{:.6g}", value.low),
               fmt::format("{:.6g}", value.high), fmt::format("{:.6g}", value.mean), printable(remark)});
  }
  return table.to_text(screen);
}

int run(const Arguments& arguments) {
  ProgressBar bar("running");
  const auto progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
  const tasks::RunReport report = tasks::run(arguments.model, arguments.options, progress);
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
    talk(fmt::format("{} dims taken as 1: {}; --dim NAME=SIZE gives them a size\n",
                     inked("note:", Ink::kWarning, standard_error()), dims));
  }
  talk(fmt::format("ran in {:.3f} s\n", report.seconds));
  return kDone;
}

}  // namespace

Action add_run(Command& command) {
  auto arguments = std::make_shared<Arguments>();
  add_file_argument(command, "MODEL", arguments->model, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "the whole report as JSON (docs/run.md lists the fields)");
  return [arguments] { return run(*arguments); };
}

}  // namespace onnxpress::cli
