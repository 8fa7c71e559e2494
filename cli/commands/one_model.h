// What most commands have in common: MODEL, -o, the options of the task and --json; and what happens with them: read,
// run, print the report, deliver the result, and name the files that were written. Several models make a table.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/tasks/files/change_file.h"
#include "onnxpress/tasks/files/model_files.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::cli {

template <typename Options>
struct OneModel {
  std::string input, output;
  bool json = false;
  Options options;
};

template <typename Options>
struct ModelList {
  std::vector<std::string> models;
  bool json = false;
  Options options;
};

inline constexpr const char* kAnyModel = "the model: .onnx, .onnxtxt, .json, or - for standard input";
inline constexpr const char* kAnyModels = "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns";
inline constexpr const char* kTableOfModels =
    "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns; several models make a table";

// MODEL OUT, and -o with this help.
template <typename Arguments>
void add_model_and_result(Command& command, Arguments& arguments, const char* output_help,
                          const char* out_help = "the result, if -o is not given") {
  add_file_argument(command, "MODEL", arguments.input, kAnyModel);
  add_file(command, {"OUT"}, arguments.output, out_help);
  add_file(command, {"-o", "--output"}, arguments.output, output_help);
}

// The options of the task and --json. The action runs the command on them.
template <typename Arguments, typename Run>
Action add_task(Command& command, const std::shared_ptr<Arguments>& arguments, const Run& run) {
  add_options(command, arguments->options);
  add_json(command, arguments->json);
  return [&command, arguments, run] {
    require_one_output(command);
    return run(*arguments);
  };
}

// For questions about one or several models.
template <typename Options>
Action add_question(Command& command, int (*show_one)(const std::string& path, const ModelList<Options>& arguments),
                    int (*show_several)(const std::vector<std::string>& paths, const ModelList<Options>& arguments)) {
  auto arguments = std::make_shared<ModelList<Options>>();
  add_file_argument(command, "MODEL", arguments->models, kAnyModels);
  return add_task(command, arguments, [=](const ModelList<Options>& given) {
    const Inputs inputs = expand_inputs(given.models);
    return inputs.several ? show_several(inputs.paths, given) : show_one(inputs.paths.front(), given);
  });
}

// Prints the report, and says which files were written.
template <typename Report, typename ScreenOf>
int tell(const Report& report, bool json, const ScreenOf& screen_of) {
  print(json ? to_json(report) : screen_of(report));
  if constexpr (requires { report.files; }) {
    if (!json) tell_files(report.files);
  }
  return kDone;
}

// For results that are a model: `run` writes it to the path that it gets, and returns the report.
template <typename Arguments, typename Run, typename ScreenOf>
int run_and_tell(const Arguments& arguments, const Run& run, const ScreenOf& screen_of) {
  if (arguments.output.empty()) throw UsageError("the name of the result is missing", "add -o FILE");
  const ModelOutput output(arguments.output, arguments.json);
  ProgressBar bar("reading");
  const auto report = run(output.path(), bar);
  bar.clear();
  if (!output.is_standard_output()) return tell(report, arguments.json, screen_of);
  output.deliver(report.files);
  output.report(screen_of(report));
  return kDone;
}

// The same, for tasks that change a model in memory.
template <typename Arguments, typename Change, typename ScreenOf>
int change_and_tell(const Arguments& arguments, const Change& change, const ScreenOf& screen_of) {
  const auto run = [&](const std::string& output, ProgressBar& bar) {
    return change_file(arguments.input, {.output = output, .load = arguments.options.load, .progress = bar.shower()},
                       change);
  };
  return run_and_tell(arguments, run, screen_of);
}

// Says what is wrong with models that have no report. Returns the exit code.
template <typename Row>
int tell_failures(const std::vector<Row>& rows, bool json) {
  int code = kDone;
  for (const Row& row : rows) {
    if (row.report) continue;
    code = kBadInput;
    if (!json) talk_error(row.error, row.hint);
  }
  return code;
}

// Prints a table of several models, and then the failures.
template <typename Row, typename TableOf>
int tell_rows(const std::vector<Row>& rows, bool json, const TableOf& table_of) {
  print(json ? to_json(rows) : table_of(rows, standard_output()));
  return tell_failures(rows, json);
}

}  // namespace onnxpress::cli
