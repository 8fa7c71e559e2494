// `onnxpress extract`: cuts a part out of a model and saves it as a model.
#include "onnxpress/tasks/parts/extract.h"

#include "cli/commands/one_model.h"

namespace onnxpress::cli {

namespace {

using ExtractArguments = OneModel<ExtractOptions>;

std::string extract_screen(const ExtractReport& report) {
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
  const auto cut = [&](Model& model) {
    Part part = extract(model, arguments.options);
    model = std::move(part.model);
    return std::move(part.report);
  };
  return change_and_tell(arguments, cut, extract_screen);
}

}  // namespace

Action add_extract(Command& command) {
  auto arguments = std::make_shared<ExtractArguments>();
  add_model_and_result(command, *arguments, "the part; - for standard output", "the part, if -o is not given");
  return add_task(command, arguments, run_extract);
}

}  // namespace onnxpress::cli
