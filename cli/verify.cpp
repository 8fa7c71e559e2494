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

namespace onnxpress::cli {

namespace {

struct Arguments {
  std::string first, second;
  bool json = false;
  tasks::VerifyOptions options;
};

int run(const Arguments& arguments) {
  const tasks::VerifyOptions& options = arguments.options;
  if (options.tolerance < 0 || options.snr < 0) throw UsageError("a tolerance is a number from 0");
  if (options.samples && options.inputs)
    throw UsageError("--samples makes inputs up, and --inputs has them", "give one of the two");
  if (arguments.first == "-" && arguments.second == "-")
    throw UsageError("only one of the models can be standard input");
  const tasks::VerifyReport report =
      tasks::verify(arguments.first, arguments.second, options, runtime::engines_for(options.runtime));
  print(arguments.json ? to_json(report) : verify_screen(report, standard_output()));
  return report.verdict == tasks::Verdict::kDiffers ? kNo : kDone;
}

}  // namespace

Action add_verify(Command& command) {
  auto arguments = std::make_shared<Arguments>();
  add_file_argument(command, "A", arguments->first, "the model that is taken for right: .onnx, .onnxtxt, .json, or -")
      .required = true;
  add_file_argument(command, "B", arguments->second, "the model that is compared with it").required = true;
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "the whole report as JSON (docs/verify.md lists the fields)");
  return [arguments] { return run(*arguments); };
}

}  // namespace onnxpress::cli
