// `onnxpress verify`: tests whether two models compute the same.
#include "onnxpress/tasks/verify/verify.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/run_command.h"
#include "cli/screens/nodes_screen.h"
#include "cli/screens/verify_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/base/error.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/verify/require_sense.h"
#include "onnxpress/tasks/verify/user_metric.h"

namespace onnxpress::cli {

namespace {

struct VerifyArguments {
  std::string first, second;
  bool json = false, nodes = false;
  VerifyOptions options;
};

int show(const VerifyReport& report, bool json) {
  print(json ? to_json(report) : verify_screen(report, standard_output()));
  return report.verdict == Verdict::kDiffers ? kNo : kDone;
}

// One model: its nodes in our evaluator and in ONNX Runtime.
int verify_nodes(const VerifyArguments& arguments) {
  const auto engine = engines::engines_for({.runtime = RuntimeChoice::kOrt}).front();
  const NodeReport report = compare_nodes_of_file(*engine, arguments.first, arguments.options);
  print(arguments.json ? to_json(report) : nodes_screen(report, standard_output()));
  if (!arguments.json)
    talk(fmt::format("{} of {} nodes compared with {}, {} further off than rounding explains\n", report.compared,
                     report.nodes, report.engine, report.suspicious));
  return report.suspicious == 0 ? kDone : kNo;
}

int run_verify(VerifyArguments& arguments) {
  if (arguments.second.empty() && !arguments.nodes)
    throw UsageError("B is missing", "name the model to compare with, or add --nodes to compare with ONNX Runtime");
  if (!arguments.second.empty() && arguments.nodes)
    throw UsageError("--nodes takes one model, and compares the built-in evaluator with ONNX Runtime", "leave out B");
  if (arguments.first == "-" && arguments.second == "-")
    throw UsageError("only one of the models can be standard input");
  require_sense(arguments.options);
  if (arguments.nodes) return verify_nodes(arguments);
  const engines::Engines engines = engines_for(arguments.options);
  if (!arguments.options.engine && engines.front()->is_evaluator())
    talk(fmt::format("note: no ONNX Runtime was found, so the built-in evaluator runs both models ({})\n",
                     engines::kHowToGet));
  VerifyResult report = verify_files(arguments.first, arguments.second, arguments.options, engines);
  add_metrics(arguments.options, report);
  return show(report, arguments.json);
}

}  // namespace

Action add_verify(Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  add_file_argument(command, "A", arguments->first,
                    "the reference model: .onnx, .onnxtxt, .json, or - for standard input")
      .required = true;
  add_file_argument(command, "B", arguments->second, "the model to compare with it").required = false;
  add_options(command, arguments->options);
  add_flag(command, "--nodes", arguments->nodes,
           "instead of a second model: compare each node of the first in ONNX Runtime with the built-in evaluator");
  add_json(command, arguments->json);
  return [arguments] { return run_verify(*arguments); };
}

}  // namespace onnxpress::cli
