// `onnxpress shapes`: exports every shape of a model as a formula, for engines in C++, Python or any language that
// reads JSON.
#include "onnxpress/tasks/shapes/shapes.h"

#include "cli/commands/one_model.h"

namespace onnxpress::cli {

namespace {

using ShapesArguments = OneModel<ShapesOptions>;

constexpr std::size_t kMostListed = 10;  // symbols that depend on data

ShapesReport export_shapes(const ShapesArguments& arguments) {
  SaveRequest request{.output = arguments.output + ".onnx", .load = arguments.options.load};
  const auto add = [&](const std::string& ending, std::string text) {
    request.beside.push_back(
        {arguments.output + ending, [text = std::move(text)](AtomicFile& file) { file.write(text); }, true});
  };
  LoadedModel loaded = open_model(arguments.input, request.load);
  try {
    Model graph;
    ShapesReport report = shapes(loaded.model, arguments.options, graph);
    report.file = loaded.name;
    add(".json", to_json(report));
    add(".h", header_of(report, arguments.options.name));
    request.original = original_in(arguments.input, request.load);
    report.files = save_checked(graph, request).files;
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string shapes_screen(const ShapesReport& report, const std::string& output) {
  std::string out = fmt::format(
      "{}: {} in {}, {} given by the engine, {} removed\n", printable(report.file),
      counted(report.values.size(), "shape", "shapes"), counted(report.steps.size(), "step", "steps"),
      counted(report.operands.size(), "operand", "operands"), counted(report.removed_nodes, "node", "nodes"));
  std::size_t listed = 0;
  for (const EngineSymbol& each : report.symbols) {
    if (!each.is_input && ++listed > kMostListed) continue;
    out += fmt::format(
        "  {}{}\n", printable(each.name),
        each.is_input ? "" : fmt::format("  depends on the data: see the shape of {}", printable(each.from)));
  }
  if (listed > kMostListed)
    out += fmt::format("  and {} more that depend on the data ({}.json lists all)\n", listed - kMostListed,
                       printable(output));
  if (report.unknown > 0) out += fmt::format("note: {} not known\n", counted(report.unknown, "shape is", "shapes are"));
  return out;
}

int run_shapes(const ShapesArguments& arguments) {
  if (arguments.output.empty())
    throw UsageError("the name of the engine is missing", "add -o NAME to write NAME.json, NAME.h and NAME.onnx");
  return tell(export_shapes(arguments), arguments.json,
              [&](const ShapesReport& report) { return shapes_screen(report, arguments.output); });
}

}  // namespace

Action add_shapes(Command& command) {
  auto arguments = std::make_shared<ShapesArguments>();
  add_file_argument(command, "MODEL", arguments->input, kAnyModel);
  add_file(command, {"-o", "--output"}, arguments->output, "name of the files: NAME.json, NAME.h and NAME.onnx");
  return add_task(command, arguments, run_shapes);
}

}  // namespace onnxpress::cli
