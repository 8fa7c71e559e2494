// `onnxpress tensors`: exports the weights of a model to files, and imports changed ones.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/tasks/files/change_file.h"
#include "onnxpress/tasks/jobs/as_inputs_file.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress::cli {

namespace {

struct TensorsArguments {
  std::string input, output;
  bool json = false;
  TensorOptions options;
};

TensorReport import_tensors(const TensorsArguments& arguments) {
  return change_file(arguments.input, {.output = arguments.output, .load = arguments.options.load},
                     [&](Model& model) { return onnxpress::import_tensors(model, arguments.options); });
}

TensorReport export_tensors(const TensorsArguments& arguments) {
  const LoadedModel loaded = open_model(arguments.input, arguments.options.load);
  try {
    TensorReport report = onnxpress::export_tensors(loaded.model, arguments.output, arguments.options);
    report.file = loaded.name;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

// Constants that became inputs, with their files.
int show_inputs(const TensorReport& report, bool json) {
  if (json) {
    print(to_json(report));
    return kDone;
  }
  const std::string count = counted(report.inputs.size(), "constant is an input", "constants are inputs");
  print(fmt::format("{}: {} now\n", printable(report.file), count));
  Table inputs({{"input", Table::Align::kLeft, true},
                {"type"},
                {"file", Table::Align::kLeft, true},
                {"bytes", Table::Align::kRight}});
  for (const ExtractedLine& line : report.inputs)
    inputs.add({printable(line.input), fmt::format("{}[{}]", line.type, fmt::join(line.shape, ",")),
                printable(line.file), human_bytes(line.bytes)});
  if (!report.inputs.empty()) print(inputs.to_text(standard_output()));
  talk(fmt::format("wrote {}\n", printable(report.output)));
  return kDone;
}

void require_sense(const TensorsArguments& arguments) {
  const TensorOptions& options = arguments.options;
  if (options.as_inputs && !options.from.empty())
    throw UsageError("--as-inputs and --from cannot be combined", "import the tensors first");
  if (!options.nodes.empty() && !options.as_inputs)
    throw UsageError("--nodes needs --as-inputs", "--names chooses tensors to export");
}

int run_tensors(const TensorsArguments& arguments) {
  require_sense(arguments);
  const bool import = !arguments.options.from.empty();
  if (arguments.output.empty())
    throw UsageError(
        "the name of the result is missing",
        "add -o weights.safetensors, -o weights.npz or -o FOLDER; with --from or --as-inputs, -o model.onnx");
  if (import || arguments.options.as_inputs) require_output_form(arguments.output);
  if (arguments.options.as_inputs)
    return show_inputs(constants_as_inputs(arguments.input, arguments.output, arguments.options), arguments.json);
  const TensorReport report = import ? import_tensors(arguments) : export_tensors(arguments);
  if (arguments.json) {
    print(to_json(report));
    return kDone;
  }
  print(fmt::format("{}: {} {}\n", printable(report.file), counted(report.tensors, "tensor", "tensors"),
                    import ? "replaced" : "written"));
  for (const std::string& each : report.left_out) talk(fmt::format("note: left out {}\n", printable(each)));
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(report.files.size(), kShown); ++i)
    talk(fmt::format("wrote {}  {}\n", printable(report.files[i].path), exact_bytes(report.files[i].bytes)));
  if (report.files.size() > kShown) talk(fmt::format("wrote {} more files\n", report.files.size() - kShown));
  return kDone;
}

}  // namespace

Action add_tensors(Command& command) {
  auto arguments = std::make_shared<TensorsArguments>();
  add_file_argument(command, "MODEL", arguments->input, "the model: .onnx, .onnxtxt, .json, or - for standard input");
  add_file(command, {"OUT"}, arguments->output, "the result, if -o is not given");
  add_file(command, {"-o", "--output"}, arguments->output,
           "where to write the tensors: NAME.safetensors, NAME.npz, or a folder of .npy files; with --from and "
           "--as-inputs, the changed model");
  add_options(command, arguments->options);
  command.find("--from")->label = "FILE";
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/tensors.md lists the fields)");
  return [arguments, &command] {
    require_one_output(command);
    return run_tensors(*arguments);
  };
}

}  // namespace onnxpress::cli
