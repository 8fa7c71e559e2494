// `onnxpress tensors`: exports the weights of a model to files, and imports changed ones.

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/as_inputs_file.h"
#include "onnxpress/tasks/report/field_lists/edit.h"

namespace onnxpress::cli {

namespace {

using TensorsArguments = OneModel<TensorOptions>;

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
std::string inputs_screen(const TensorReport& report) {
  const std::string count = counted(report.inputs.size(), "constant is an input", "constants are inputs");
  Table inputs({{"input", Table::Align::kLeft, true},
                {"type"},
                {"file", Table::Align::kLeft, true},
                {"bytes", Table::Align::kRight}});
  for (const ExtractedLine& line : report.inputs)
    inputs.add({printable(line.input), fmt::format("{}[{}]", line.type, fmt::join(line.shape, ",")),
                printable(line.file), human_bytes(line.bytes)});
  return fmt::format("{}: {} now\n", printable(report.file), count) +
         (report.inputs.empty() ? "" : inputs.to_text(standard_output()));
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
  const bool as_inputs = arguments.options.as_inputs;
  const TensorReport report = as_inputs ? constants_as_inputs(arguments.input, arguments.output, arguments.options)
                              : import  ? import_tensors(arguments)
                                        : export_tensors(arguments);
  print(arguments.json ? to_json(report)
        : as_inputs    ? inputs_screen(report)
                    : fmt::format("{}: {} {}\n", printable(report.file), counted(report.tensors, "tensor", "tensors"),
                                  import ? "replaced" : "written"));
  if (arguments.json) return kDone;
  if (as_inputs) {
    talk(fmt::format("wrote {}\n", printable(report.output)));
    return kDone;
  }
  for (const std::string& each : report.left_out) talk(fmt::format("note: left out {}\n", printable(each)));
  constexpr std::size_t kShown = 3;
  tell_files({report.files.begin(), report.files.begin() + std::min(report.files.size(), kShown)});
  if (report.files.size() > kShown) talk(fmt::format("wrote {} more files\n", report.files.size() - kShown));
  return kDone;
}

}  // namespace

Action add_tensors(Command& command) {
  auto arguments = std::make_shared<TensorsArguments>();
  add_model_and_result(command, *arguments,
                       "where to write the tensors: NAME.safetensors, NAME.npz, or a folder of .npy files; with --from "
                       "and --as-inputs, the changed model");
  Action action = add_task(command, arguments, run_tensors);
  command.find("--from")->label = "FILE";
  return action;
}

}  // namespace onnxpress::cli
