// `onnxpress shrink`: writes the smallest file that computes the same, bit for bit; for one model or many.
#include "onnxpress/tasks/shrink/shrink.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/commands/shrink_together.h"
#include "cli/commands/smaller_models.h"
#include "cli/screens/shrink_screen.h"
#include "cli/screens/verified_text.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/shrink/pipeline.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kShrunkEnding = ".shrunk.onnx";

struct ShrinkArguments : SmallerArguments {
  std::string share;
  ShrinkOptions options;
};

using ShrinkReports = std::vector<const ShrinkReport*>;

constexpr SmallerCommand<ShrinkOptions, ShrinkReport> kShrink = {
    .name = "shrink",
    .doing = "shrinking",
    .ending = kShrunkEnding,
    .run = shrink_file,
    .screen = shrink_screen,
    .hints =
        [](const ShrinkReport& report) {
          return verified_hint({&report}) + overridable_hint(report.overridable, report.before);
        },
    .files_of = [](const ShrinkOptions& options) { return std::vector<std::string>{options.name_map}; }};

int run_shared(ShrinkArguments& arguments) {
  if (arguments.in_place) throw UsageError("--in-place and --share cannot be combined");
  if (!arguments.options.name_map.empty()) throw UsageError("--name-map works for one model only");
  if (!arguments.page.empty()) throw UsageError("--report cannot be combined with --share");
  const Inputs inputs = expand_inputs(arguments.models);
  require_output_folder(arguments.output);
  return shrink_together({inputs.paths, arguments.share, arguments.output, arguments.json}, arguments.options);
}

int run_shrink(ShrinkArguments& arguments) {
  take_output_argument(arguments.models, arguments.output);
  require_place(arguments, "shrink", arguments.options.dry_run || !arguments.share.empty());
  require_methods(arguments.options);
  if (!arguments.share.empty()) return run_shared(arguments);
  const bool several = expand_inputs(arguments.models).several;
  if (several && !arguments.options.name_map.empty()) throw UsageError("--name-map works for one model only");
  if (arguments.options.verify && arguments.models.front() == "-")
    throw UsageError("--verify has to read the model twice, which is not possible with standard input",
                     "save it in a file first");
  return run_on_models(
      kShrink, arguments, arguments.options, +[](const ShrinkReports& reports) { return verified_text(reports); });
}

}  // namespace

Action add_shrink(Command& command) {
  auto arguments = std::make_shared<ShrinkArguments>();
  add_smaller_arguments(command, *arguments, kShrunkEnding);
  add_options(command, arguments->options);
  add_number(command, "--top", arguments->top, "how many of the largest savings to show (default 10)");
  add_file(command, {"--name-map"}, arguments->options.name_map,
           "with --shorten-names: write a file with a new name and its old name per line");
  add_file(command, {"--share"}, arguments->share,
           "for several models: put their weights into one external file of this name, each stored once");
  add_file(command, {"--report"}, arguments->page,
           "also write a page for a browser: where the bytes are before and after, and what each method saved");
  add_json(command, arguments->json);
  return [arguments] {
    ShrinkOptions& options = arguments->options;
    // The runtime is looked for before the work begins, so that a wrong path is reported at once.
    if (options.pack || options.verify) options.engine = engines::engine_for(options.asked_engine);
    return run_shrink(*arguments);
  };
}

}  // namespace onnxpress::cli
