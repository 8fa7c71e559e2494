// `onnxpress quantize`: stores weights in fewer bits, by a promise of quality or size; for one model or many.
#include "onnxpress/tasks/quantize/quantize.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/commands/smaller_models.h"
#include "cli/screens/quantize_screen.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/jobs/quantize_file.h"
#include "onnxpress/tasks/quantize/request.h"

namespace onnxpress::cli {

namespace {

constexpr std::string_view kQuantizedEnding = ".quantized.onnx";

struct QuantizeArguments : SmallerArguments {
  bool allow_lossy_overwrite = false;
  QuantizeOptions options;
};

using QuantizeCommand = SmallerCommand<QuantizeOptions, QuantizeReport>;

// If a rounded result replaced the original, the lost precision could never be restored.
void require_other_file(const std::string& input, const std::string& output) {
  if (!is_same_file(input, output)) return;
  throw UsageError(fmt::format("the result has different numbers than '{}' and would replace it", printable(input)),
                   "name another file with -o, or add --in-place --allow-lossy-overwrite");
}

constexpr QuantizeCommand kQuantize = {
    .name = "quantize",
    .doing = "quantizing",
    .ending = kQuantizedEnding,
    .run = quantize_file,
    .screen = quantize_screen,
    .hints = [](const QuantizeReport& report) { return overridable_hint(report.overridable, report.before); },
    .how_to_write_anyway = "nothing was written; lower --quality, or add --best-effort to write the result anyway",
    .require_kept = require_other_file,
    .files_of =
        [](const QuantizeOptions& options) {
          return std::vector<std::string>{options.recipe, options.save_recipe};
        }};

int run_quantize(QuantizeArguments& arguments) {
  take_output_argument(arguments.models, arguments.output);
  require_place(arguments, "quantize", arguments.options.dry_run);
  if (arguments.allow_lossy_overwrite && !arguments.in_place)
    throw UsageError("--allow-lossy-overwrite needs --in-place", "give both options");
  request_of(arguments.options);  // throws OptionError
  QuantizeCommand command = kQuantize;
  if (arguments.allow_lossy_overwrite) command.require_kept = nullptr;
  return run_on_models(
      command, arguments, arguments.options, +[](const std::vector<const QuantizeReport*>&) { return std::string(); });
}

}  // namespace

Action add_quantize(Command& command) {
  auto arguments = std::make_shared<QuantizeArguments>();
  add_smaller_arguments(command, *arguments, kQuantizedEnding);
  add_flag(command, "--allow-lossy-overwrite", arguments->allow_lossy_overwrite,
           "with --in-place: overwrite the model, although its numbers change");
  add_options(command, arguments->options);
  add_number(command, "--top", arguments->top, "how many of the largest weights to show (default 10)");
  add_file(command, {"--report"}, arguments->page,
           "also write a page for a browser: where the bytes are before and after, and the error of every tensor");
  add_json(command, arguments->json);
  return [arguments] {
    // Looked for before the work begins, so that a wrong path is reported at once.
    arguments->options.engine = engines::engine_for(arguments->options.asked_engine);
    return run_quantize(*arguments);
  };
}

}  // namespace onnxpress::cli
