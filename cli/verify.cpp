// `onnxpress verify`: do two models compute the same?
#include "onnxpress/tasks/verify/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/verify_screen.h"
#include "onnxpress/runtime/ort_engine.h"
#include "onnxpress/runtime/user_metric.h"
#include "onnxpress/tasks/inputs/npy.h"
#include "onnxpress/tasks/verify/label_metrics.h"

namespace onnxpress::cli {

namespace {

struct VerifyArguments {
  std::string first, second;
  bool json = false;
  tasks::VerifyOptions options;
};

// Of the outputs that both models gave for the user's inputs.
void add_metrics(const VerifyArguments& arguments, tasks::VerifyReport& report) {
  const tasks::VerifyOptions& options = arguments.options;
  if (options.labels)
    report.metrics = tasks::label_metrics(report.kept_first, report.kept_second, tasks::read_npy(*options.labels));
  if (!options.metric) return;
  runtime::UserMetric metric{.file = *options.metric, .labels = options.labels};
  for (const tasks::VerifiedOutput& each : report.engines.front().outputs) metric.names.push_back(each.output);
  for (tasks::MetricLine& line : runtime::user_metrics(metric, report)) report.metrics.push_back(std::move(line));
}

int run_verify(VerifyArguments& arguments) {
  tasks::VerifyOptions& options = arguments.options;
  options.keep_outputs = options.labels || options.metric;
  if (options.tolerance < 0 || options.snr < 0) throw UsageError("a tolerance is a number from 0");
  if (options.samples && options.inputs)
    throw UsageError("--samples makes inputs up, and --inputs has them", "give one of the two");
  if (arguments.first == "-" && arguments.second == "-")
    throw UsageError("only one of the models can be standard input");
  if ((options.labels || options.metric) && !options.inputs)
    throw UsageError("labels and metrics belong to inputs of yours", "say --inputs DIR");
  tasks::VerifyReport report =
      tasks::verify(arguments.first, arguments.second, options, runtime::engines_for(options.runtime));
  if (!report.kept_first.empty()) add_metrics(arguments, report);
  print(arguments.json ? to_json(report) : verify_screen(report, standard_output()));
  return report.verdict == tasks::Verdict::kDiffers ? kNo : kDone;
}

}  // namespace

Action add_verify(Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  add_file_argument(command, "A", arguments->first, "the model that is taken for right: .onnx, .onnxtxt, .json, or -")
      .required = true;
  add_file_argument(command, "B", arguments->second, "the model that is compared with it").required = true;
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "the whole report as JSON (docs/verify.md lists the fields)");
  return [arguments] { return run_verify(*arguments); };
}

}  // namespace onnxpress::cli
