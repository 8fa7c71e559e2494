// `onnxpress tensors`: exports the weights of a model to files, and imports changed ones.
#include "onnxpress/tasks/edit/tensors.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/screen.h"
#include "onnxpress/tasks/files/change_file.h"

namespace onnxpress::cli {

namespace {

struct TensorsArguments {
  std::string input, output;
  bool json = false;
  tasks::TensorOptions options;
};

tasks::TensorReport import_tensors(const TensorsArguments& arguments) {
  return tasks::change_file(arguments.input, {.output = arguments.output, .load = arguments.options.load},
                            [&](Model& model) { return tasks::import_tensors(model, arguments.options); });
}

tasks::TensorReport export_tensors(const TensorsArguments& arguments) {
  const tasks::LoadedModel loaded = tasks::load_model(arguments.input, arguments.options.load);
  try {
    tasks::TensorReport report = tasks::export_tensors(loaded.model, arguments.output, arguments.options);
    report.file = loaded.name;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

int run_tensors(const TensorsArguments& arguments) {
  const bool import = !arguments.options.from.empty();
  if (arguments.output.empty())
    throw UsageError("the name of the result is missing",
                     "add -o weights.safetensors, -o weights.npz or -o FOLDER; with --from, -o model.onnx");
  if (import) require_output_form(arguments.output);
  const tasks::TensorReport report = import ? import_tensors(arguments) : export_tensors(arguments);
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
  add_file(command, {"-o", "--output"}, arguments->output,
           "where to write the tensors: NAME.safetensors, NAME.npz, or a folder of .npy files; with --from, the "
           "changed model");
  add_options(command, arguments->options);
  command.find("--from")->label = "FILE";
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/tensors.md lists the fields)");
  return [arguments] { return run_tensors(*arguments); };
}

}  // namespace onnxpress::cli
