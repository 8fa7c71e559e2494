// `onnxpress verify`: tests whether two models compute the same.
#include "onnxpress/tasks/verify/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/run_command.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/verify_screen.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/apart.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/engines/ort/ort_engine.h"
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

int verify_here(const VerifyArguments& arguments) {
  const engines::Engines engines =
      engines::engines_for({.runtime = arguments.options.runtime, .provider = arguments.options.provider});
  if (!arguments.options.runtime && engines.front()->name() == engines::evaluator_engine()->name())
    talk(fmt::format("note: no ONNX Runtime was found, so the built-in evaluator runs both models ({})\n",
                     engines::kHowToGet));
  tasks::VerifyReport report = tasks::verify(arguments.first, arguments.second, arguments.options, engines);
  tasks::add_metrics(arguments.options, report);
  return show(report, arguments.json);
}

// Reports how the process that ran the models ended; `during` says what it was doing.
int say_how_it_ended(const VerifyArguments& arguments, const platform::ChildEnd& end, const std::string& during) {
  const tasks::VerifyOptions& options = arguments.options;
  if (end.timed_out)
    throw Error("verify", fmt::format("no answer within {} s while {}", options.time_limit, during),
                "give it more time with --time-limit, or smaller inputs with --dim or --shape");
  const std::string how = platform::to_string(end, 0);
  const bool can_read_again = arguments.first != "-" && arguments.second != "-";
  if (during.find(tasks::kSecondModel) == std::string::npos || !can_read_again)
    throw Error("verify", fmt::format("the runtime {} while {}", how, during),
                "use --runtime onnxpress to run the built-in evaluator");
  tasks::EngineReport engine{
      .runtime = options.runtime == tasks::RuntimeChoice::kOnnxpress ? "onnxpress" : "ONNX Runtime",
      .reason = fmt::format("it {} while {}", how, during),
      .verdict = tasks::Verdict::kDiffers};
  return show(tasks::verify_without_running(arguments.first, arguments.second, options, std::move(engine)),
              arguments.json);
}

// Faulty models can crash a runtime or keep it busy forever, so they run in a separate process, whose stages tell what
// it was doing.
int run_verify(VerifyArguments& arguments) {
  constexpr double kGrace = 1;  // it stops by itself, unless it is in the middle of a run
  tasks::VerifyOptions& options = arguments.options;
  require_sense(arguments);
  options.keep_outputs = options.labels || options.metric;
  std::optional<double> seconds;
  if (options.time_limit > 0) seconds = options.time_limit + kGrace;
  for (;;) {
    const platform::ApartEnd done = platform::run_apart(
        [&](const platform::LeaveNote& leave_note) {
          leave_note("reading the models");
          const HearStages stages(leave_note);
          return safely([&] { return verify_here(arguments); });
        },
        seconds);
    if (done.end.signal == 0 && !done.end.timed_out) return done.end.exit_code;
    if (done.note != tasks::kLocating) return say_how_it_ended(arguments, done.end, done.note);
    talk(fmt::format("note: the runtime {} while {}\n", platform::to_string(done.end, seconds.value_or(0)), done.note));
    options.locate = false;
  }
}

}  // namespace

Action add_verify(Command& command) {
  auto arguments = std::make_shared<VerifyArguments>();
  add_file_argument(command, "A", arguments->first,
                    "the reference model: .onnx, .onnxtxt, .json, or - for standard input")
      .required = true;
  add_file_argument(command, "B", arguments->second, "the model to compare with it").required = true;
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/verify.md lists the fields)");
  return [arguments] { return run_verify(*arguments); };
}

}  // namespace onnxpress::cli
