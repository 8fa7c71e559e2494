// `onnxpress bench`: measures models and their variants side by side in ONNX Runtime.
#include "onnxpress/tasks/bench/bench.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/commands/bench_worker.h"
#include "cli/pages/bench_page.h"
#include "cli/pages/report_page.h"
#include "cli/screens/bench_screen.h"
#include "cli/terminal/screen.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/platform/child_process.h"
#include "onnxpress/tasks/files/model_files.h"

namespace onnxpress::cli {

namespace {

struct BenchArguments {
  std::vector<std::string> models;
  std::string page, csv;
  bool json = false, markdown = false, worker = false;
  BenchOptions options;
};

void write_and_tell(const std::string& path, const std::string& text) {
  write_file(path, text);
  talk(fmt::format("wrote {}\n", path));
}

int run_bench(BenchArguments& arguments) {
  BenchOptions& options = arguments.options;
  if (arguments.worker)
    return bench_worker(
        arguments.models.front(),
        {.level = options.level, .threads = static_cast<int>(options.threads), .provider = options.provider});
  if (options.seconds <= 0 || options.time_limit <= 0) throw UsageError("--seconds and --time-limit must be above 0");
  if (arguments.json && arguments.markdown) throw UsageError("--json and --markdown cannot be combined");
  if (!arguments.page.empty()) require_page_name(arguments.page, arguments.models);
  // In the Python package this process is the interpreter, so the variable says how to start the command.
  const char* named = std::getenv("ONNXPRESS_PROGRAM");
  options.program = named ? named : platform::own_program();
  const std::vector<std::string> models = expand_inputs(arguments.models).paths;
  const Screen screen = standard_error();
  const auto report = bench(models, options, [&screen](const std::string& what) {
    if (screen.is_terminal) talk(what + "\n");
  });
  if (!arguments.csv.empty()) write_and_tell(arguments.csv, to_csv(report));
  if (!arguments.page.empty()) write_and_tell(arguments.page, bench_page(report));
  print(arguments.json       ? to_json(report)
        : arguments.markdown ? bench_markdown(report)
                             : bench_screen(report, standard_output()));
  return kDone;
}

}  // namespace

Action add_bench(Command& command) {
  auto arguments = std::make_shared<BenchArguments>();
  add_file_argument(command, "MODEL", arguments->models, "models to measure; the others are compared with the first")
      .required = true;
  add_options(command, arguments->options);
  add_file(command, {"--report"}, arguments->page,
           "also write a page for a browser: times as bars, size against error");
  add_file(command, {"--csv"}, arguments->csv, "also write the table as a .csv file");
  add_flag(command, "--markdown", arguments->markdown, "print the table in Markdown, for a README");
  add_json(command, arguments->json);
  add_flag(command, "--worker", arguments->worker,
           "run one model on behalf of another process, which sends requests on standard input");
  command.find("--worker")->rare = true;
  return [arguments, &command] {
    arguments->options.threads = command.program->threads;
    return run_bench(*arguments);
  };
}

}  // namespace onnxpress::cli
