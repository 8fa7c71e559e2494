// `onnxpress verify`: tests whether two models compute the same.
#include "onnxpress/tasks/verify/verify.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/run_command.h"
#include "cli/screens/verify_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/base/error.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/files/ask_files.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::cli {

namespace {

struct VerifyArguments {
  std::string first, second;
  bool json = false;
  tasks::VerifyOptions options;
};

void require_sense(const VerifyArguments& arguments) {
  const tasks::VerifyOptions& options = arguments.options;
  if (options.tolerance < 0 || options.snr < 0) throw UsageError("--tolerance and --snr must be at least 0");
  if (options.time_limit < 0) throw UsageError("--time-limit must be at least 0");
  if (options.samples && options.inputs)
    throw UsageError("--samples and --inputs cannot be combined", "use one of them");
  if (arguments.first == "-" && arguments.second == "-")
    throw UsageError("only one of the models can be standard input");
  if ((options.labels || options.metric) && !options.inputs)
    throw UsageError("--labels and --metric need your own inputs", "add --inputs DIR");
  if (!options.provider.empty() && options.runtime == tasks::RuntimeChoice::kOnnxpress)
    throw UsageError("--provider needs ONNX Runtime", "leave out --provider or --runtime onnxpress");
}

int show(const tasks::VerifyReport& report, bool json) {
  print(json ? to_json(report) : verify_screen(report, standard_output()));
  return report.verdict == tasks::Verdict::kDiffers ? kNo : kDone;
}

int run_verify(VerifyArguments& arguments) {
  require_sense(arguments);
  arguments.options.keep_outputs = arguments.options.labels || arguments.options.metric;
  const engines::Engines engines = tasks::engines_for(arguments.options);
  if (!arguments.options.runtime && engines.front()->is_evaluator())
    talk(fmt::format("note: no ONNX Runtime was found, so the built-in evaluator runs both models ({})\n",
                     engines::kHowToGet));
  tasks::VerifyReport report = tasks::verify_files(arguments.first, arguments.second, arguments.options, engines);
  tasks::add_metrics(arguments.options, report);
  return show(report, arguments.json);
}

}  // namespace

Action add_verify(Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  add_file_argument(command, "A", arguments->first,
                    "the reference model: .onnx, .onnxtxt, .json, or - for standard input")
      .required = true;
  add_file_argument(command, "B", arguments->second, "the model to compare with it").required = true;
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/verify.md lists the fields)");
  return [arguments] { return run_verify(*arguments); };
}

}  // namespace onnxpress::cli
