// `onnxpress info`: what is in a model, on one screen; several models in one table.
#include "onnxpress/tasks/info.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/info_screen.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "onnxpress/tasks/inputs.h"

namespace onnxpress::cli {

namespace {

struct Arguments {
  std::vector<std::string> models;
  bool json = false;
  tasks::InfoOptions options;
};

int show_one(const std::string& path, const Arguments& arguments) {
  const tasks::InfoReport report = tasks::info(path, arguments.options);
  print(arguments.json ? to_json(report) : info_screen(report, arguments.options, standard_output()));
  const bool incomplete = report.duplicates && !report.duplicates->unreadable.empty();
  return incomplete ? kBadInput : kDone;
}

int show_several(const std::vector<std::string>& paths, const Arguments& arguments) {
  const std::vector<tasks::InfoRow> rows = tasks::info(paths, arguments.options);
  if (arguments.json) {
    print(to_json(rows));
  } else if (arguments.options.tensors) {
    for (const tasks::InfoRow& row : rows) {
      if (row.report) print(info_screen(*row.report, arguments.options, standard_output()) + "\n");
    }
  } else {
    print(comparison_screen(rows, arguments.options, standard_output()));
  }
  int code = kDone;
  for (const tasks::InfoRow& row : rows) {
    const bool incomplete = row.report && row.report->duplicates && !row.report->duplicates->unreadable.empty();
    if (incomplete || !row.report) code = kBadInput;
    if (!row.report && !arguments.json) talk_error(row.error, row.hint);
  }
  return code;
}

}  // namespace

Action add_info(CLI::App& command) {
  auto arguments = std::make_shared<Arguments>();
  command
      .add_option("MODEL", arguments->models,
                  "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns")
      ->required()
      ->type_name("FILE");
  add_options(command, arguments->options);
  command.add_flag("--json", arguments->json, "the whole report as JSON (docs/info.md lists the fields)");
  return [arguments] {
    const tasks::Inputs inputs = tasks::expand_inputs(arguments->models);
    return inputs.several ? show_several(inputs.paths, *arguments) : show_one(inputs.paths.front(), *arguments);
  };
}

}  // namespace onnxpress::cli
