// `onnxpress extract`: cuts a part out of a model and saves it as a model.
#include "onnxpress/tasks/parts/extract.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/written.h"
#include "onnxpress/tasks/files/change_file.h"

namespace onnxpress::cli {

namespace {

struct ExtractArguments {
  std::string input, output;
  bool json = false;
  ExtractOptions options;
};

std::string screen_of(const ExtractReport& report) {
  std::string out =
      fmt::format("{}: {} of {}, {}\n", printable(report.file), with_commas(report.nodes),
                  counted(report.of_nodes, "node", "nodes"), counted(report.tensors, "weight", "weights"));
  for (const PartValue& each : report.inputs)
    out += fmt::format("  input   {}  {}\n", printable(each.name), printable(each.type));
  for (const PartValue& each : report.outputs)
    out += fmt::format("  output  {}  {}\n", printable(each.name), printable(each.type));
  for (const std::string& each : report.added_inputs)
    out += fmt::format("note: the part also needs the model's input {}\n", printable(each));
  for (const std::string& each : report.unused_inputs) out += fmt::format("note: nothing reads {}\n", printable(each));
  return out;
}

int run_extract(const ExtractArguments& arguments) {
  const ModelOutput output = required_output(arguments.output, arguments.json);
  const auto extract = [&](Model& model) {
    Part part = onnxpress::extract(model, arguments.options);
    model = std::move(part.model);
    return std::move(part.report);
  };
  const ExtractReport report =
      change_file(arguments.input, {.output = output.path(), .load = arguments.options.load}, extract);
  return show_written(output, report.files, arguments.json ? to_json(report) : screen_of(report), arguments.json);
}

}  // namespace

Action add_extract(Command& command) {
  auto arguments = std::make_shared<ExtractArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the part, if -o is not given");
  add_file(command, {"-o", "--output"}, arguments->output, "the part; - for standard output");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/extract.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    return run_extract(*arguments);
  };
}

}  // namespace onnxpress::cli
