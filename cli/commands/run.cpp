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
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/files/ask_files.h"
#include "onnxpress/tasks/verify/compare_nodes.h"

namespace onnxpress::cli {

namespace {

struct RunArguments {
  std::string model;
  bool json = false, compare_nodes = false;
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

std::string decibels(const std::optional<double>& snr) { return snr ? fmt::format("{:.1f} dB", *snr) : "equal"; }

std::string nodes_text(const tasks::NodeReport& report, const Screen& screen) {
  Table table({{"node", Table::Align::kLeft, true},
               {"op"},
               {"result", Table::Align::kLeft, true},
               {"ours", Table::Align::kRight},
               {"runtime", Table::Align::kRight},
               {"ulps, ours", Table::Align::kRight},
               {"runtime", Table::Align::kRight},
               {"further off"}});
  for (const tasks::NodeLine& line : report.lines) {
    const bool counted = line.different > 0;
    table.add({printable(line.node.empty() ? line.output : line.node), printable(line.op), printable(line.type),
               counted ? "" : decibels(line.ours_snr), counted ? "" : decibels(line.runtime_snr),
               counted ? "" : fmt::format("{:.3g}", line.ours_ulps),
               counted ? "" : fmt::format("{:.3g}", line.runtime_ulps),
               counted                      ? fmt::format("{} elements differ", line.different)
               : line.verdict == "rounding" ? ""
                                            : line.verdict});
  }
  return table.to_text(screen);
}

std::string drift_text(const tasks::NodeReport& report, const Screen& screen) {
  if (report.outputs.empty()) return {};
  Table table({{"output", Table::Align::kLeft, true},
               {"ours to runtime", Table::Align::kRight},
               {"ours to double", Table::Align::kRight},
               {"runtime to double", Table::Align::kRight}});
  for (const tasks::NodeOutput& line : report.outputs)
    table.add({printable(line.output), decibels(line.snr), decibels(line.ours_snr), decibels(line.runtime_snr)});
  return table.to_text(screen);
}

int compare_nodes(const RunArguments& arguments) {
  const auto engine = engines::engines_for({.runtime = engines::RuntimeChoice::kOrt}).front();
  const tasks::NodeReport report = tasks::compare_nodes_of_file(*engine, arguments.model, arguments.options);
  if (arguments.json) {
    print(to_json(report));
    return report.suspicious == 0 ? kDone : kNo;
  }
  const Screen screen = standard_output();
  print(nodes_text(report, screen));
  print(drift_text(report, screen));
  talk(fmt::format("{} of {} nodes compared with {}, {} further off than rounding explains\n", report.compared,
                   report.nodes, report.runtime, report.suspicious));
  return report.suspicious == 0 ? kDone : kNo;
}

int run_run(const RunArguments& arguments) {
  if (arguments.compare_nodes) return compare_nodes(arguments);
  ProgressBar bar("running");
  const tasks::RunReport report = tasks::run_file(arguments.model, arguments.options, bar.shower());
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
  add_flag(command, "--compare-nodes", arguments->compare_nodes,
           "run it in ONNX Runtime, and compare each node with the built-in evaluator");
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/run.md lists the fields)");
  return [arguments] { return run_run(*arguments); };
}

}  // namespace onnxpress::cli
