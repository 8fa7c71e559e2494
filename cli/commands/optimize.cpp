// `onnxpress optimize`: writes the same model with fewer nodes.
#include <filesystem>

#include "cli/arguments/given_options.h"
#include "cli/commands/one_model.h"
#include "cli/commands/several_models.h"
#include "cli/pages/page_template.h"
#include "cli/pages/report_page.h"
#include "cli/screens/optimize_screen.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/version.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/jobs/optimize_file.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".optimized.onnx";

struct OptimizeArguments {
  std::vector<std::string> models;
  std::string output, log, page, print_after;
  bool json = false, list = false, explain = false;
  OptimizeOptions options;
};

// model.onnx -> model.optimized.onnx
std::string default_output(const std::string& input) {
  const fs::path path(input);
  const std::string ending = format_of_name(path) ? path.extension().string() : ".onnx";
  return (path.parent_path() / (path.stem().string() + ".optimized" + ending)).string();
}

// Optimizes each model by itself; a failure does not stop the others.
int optimize_several(std::vector<std::string> paths, const OptimizeArguments& arguments) {
  if (!arguments.log.empty()) throw UsageError("--log works for one model only");
  if (!arguments.page.empty()) throw UsageError("--report works for one model only");
  if (!arguments.print_after.empty()) throw UsageError("--print-after works for one model only");
  if (const std::size_t skipped = skip_earlier_results(paths, kEnding))
    talk(fmt::format("skipped {} of an earlier run\n", counted(skipped, "result", "results")));
  const bool folder = !arguments.output.empty();
  if (folder) {
    require_output_folder(arguments.output);
    make_output_folder(arguments.output);
  }
  ResultNames results;
  const auto prepare = [&](const std::string& path) {
    return results.take(folder ? (fs::path(arguments.output) / fs::path(path).filename()).string()
                               : default_output(path));
  };
  const auto rows = report_in_parallel<OptimizeReport>(paths, "optimizing", prepare,
                                                       [&](const std::string& path, const std::string& output) {
                                                         return optimize_file(path, output, arguments.options);
                                                       });
  return tell_rows(rows, arguments.json, optimize_table);
}

// The model as text on standard error, after each application of one rewrite.
StepListener printer_after(const std::string& rewrite) {
  if (rewrite.empty()) return {};
  const auto known = rewrites();
  if (std::ranges::none_of(known, [&](const RewriteInfo& each) { return each.name == rewrite; }))
    throw UsageError(fmt::format("--print-after: there is no rewrite '{}'", rewrite), "--list shows them");
  return [rewrite](const Model& model, std::string_view applied) {
    if (applied != rewrite) return;
    constexpr std::uint64_t kShort = 16;
    talk(fmt::format("// after {}\n{}", rewrite, text::print_model(model, text::PrintOptions{.elide_above = kShort})));
  };
}

std::string page_of(const OptimizeReport& report, const OptimizeOptions& options) {
  const std::string data =
      fmt::format("{{\"version\":{},\"asked\":{},\"report\":{}}}", json_text(std::string(version())),
                  json_text(given_options(options)), to_json(report));
  return filled_page(kOptimizeTemplate, fs::path(report.file).filename().string(), data);
}

int run_optimize(OptimizeArguments& arguments) {
  if (arguments.list) {
    print(rewrite_list(standard_output()));
    return kDone;
  }
  if (arguments.models.empty()) throw UsageError("MODEL is missing", "onnxpress optimize model.onnx");
  const StepListener after_step = printer_after(arguments.print_after);
  arguments.options.records_nodes = !arguments.log.empty() || !arguments.page.empty();
  arguments.options.costs |= !arguments.page.empty();
  take_output_argument(arguments.models, arguments.output);
  if (arguments.output.empty() && !arguments.options.dry_run) require_one_meaning(arguments.models, "optimize");
  const Inputs inputs = expand_inputs(arguments.models);
  const bool into_folder = !arguments.output.empty() && fs::is_directory(arguments.output);
  if (inputs.several || into_folder) return optimize_several(inputs.paths, arguments);
  const std::string& input = inputs.paths.front();
  if (input == "-" && arguments.output.empty())
    throw UsageError("a model from standard input needs an explicit name for the result", "add -o FILE");
  const std::string target = arguments.output.empty() ? default_output(input) : arguments.output;
  const ModelOutput output(target, arguments.json);
  // Created before the work begins, so that a path that cannot be written is reported at once.
  std::optional<AtomicFile> log, page;
  if (!arguments.log.empty()) log.emplace(arguments.log);
  if (!arguments.page.empty()) {
    require_page_name(arguments.page, {input, output.path(), arguments.log});
    page.emplace(arguments.page);
  }
  ProgressBar bar("reading");
  ConvertStreams streams;
  streams.progress = bar.shower();
  OptimizeReport report = optimize_file(input, output.path(), arguments.options, streams, after_step);
  bar.clear();
  if (log) {
    log->write(to_json_lines(report.steps));
    log->commit();
  }
  if (page) {
    page->write(page_of(report, arguments.options));
    page->commit();
  }
  if (output.is_standard_output()) {
    output.deliver(report.files);
    report.files.clear();  // a temporary file, which users cannot open
    output.report(optimize_screen(report, arguments.explain, standard_error()));
    return kDone;
  }
  print(arguments.json ? to_json(report) : optimize_screen(report, arguments.explain, standard_output()));
  return kDone;
}

}  // namespace

Action add_optimize(Command& command) {
  auto arguments = std::make_shared<OptimizeArguments>();
  add_file_argument(command, "MODEL", arguments->models, kTableOfModels).required = false;
  add_file(command, {"-o", "--output"}, arguments->output,
           "the result (default MODEL.optimized.onnx); for several models, a folder");
  add_options(command, arguments->options);
  add_flag(command, "--list", arguments->list, "list all rewrites and exit");
  add_flag(command, "--explain", arguments->explain, "list every rewrite that was applied, with its node");
  command.add({.names = {"--why"},
               .label = "NODE",
               .help = "say what happened to this node, and which condition ruled out each rewrite",
               .takes = Takes::kEach,
               .set = [arguments](const Texts& texts) { arguments->options.why = texts; }});
  add_file(command, {"--log"}, arguments->log, "write every rewrite with its nodes, as lines of JSON");
  add_file(command, {"--report"}, arguments->page,
           "also write a page for a browser: operators before and after with their costs, and every step");
  command.add({.names = {"--print-after"},
               .label = "REWRITE",
               .help = "print the model to standard error each time this rewrite is applied",
               .set = [arguments](const Texts& texts) { arguments->print_after = texts.back(); }});
  add_json(command, arguments->json);
  return [arguments] {
    // Find the runtime before the work begins, so that a wrong path is reported at once.
    if (arguments->options.verify) arguments->options.engine = engines::engine_for(arguments->options.asked_engine);
    return run_optimize(*arguments);
  };
}

}  // namespace onnxpress::cli
