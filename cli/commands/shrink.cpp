// `onnxpress shrink`: writes the smallest file that computes the same, bit for bit; for one model or many.
#include "onnxpress/tasks/shrink/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments/given_options.h"
#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "cli/commands/several_models.h"
#include "cli/commands/shrink_together.h"
#include "cli/pages/report_page.h"
#include "cli/screens/shrink_screen.h"
#include "cli/screens/verified_text.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/passes/whole/unknown_name.h"
#include "onnxpress/tasks/files/model_files.h"
#include "onnxpress/tasks/files/shrink_file.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

using ShrinkRow = tasks::ReportRow<tasks::ShrinkReport>;
constexpr std::string_view kShrunkEnding = ".shrunk.onnx";

struct ShrinkArguments {
  std::vector<std::string> models;
  std::string output, share, page;
  bool json = false, in_place = false, allow_lossy_overwrite = false;
  tasks::ShrinkOptions options;

  bool is_lossy() const { return options.weights.is_lossy() || options.extraction.narrow_types; }
};

// If a rounded result replaced the original, the lost precision could never be restored.
void require_source_kept(const std::string& input, const std::string& output, const ShrinkArguments& arguments) {
  if (!arguments.is_lossy() || arguments.options.dry_run || arguments.allow_lossy_overwrite) return;
  if (!is_same_file(input, output)) return;
  throw UsageError(fmt::format("the result has different numbers than '{}' and would replace it", printable(input)),
                   "name another file with -o, or add --in-place --allow-lossy-overwrite");
}

std::string default_shrink_output(const std::string& input) {
  return fs::path(input).replace_extension().string() + std::string(kShrunkEnding);
}

// Said if these weights are a good part of the file.
std::string overridable_hint(const tasks::ShrinkReport& report) {
  constexpr std::uint64_t kPart = 10;
  if (report.overridable * kPart < report.before.total()) return {};
  return fmt::format(
      "hint: {} of initializers are also inputs, and were left alone because callers may override them; "
      "--freeze turns them into constants\n",
      human_bytes(report.overridable));
}

void tell_files(const tasks::ShrinkReport& report) {
  for (const tasks::WrittenFile& file : report.files) {
    if (report.unchanged)
      talk(fmt::format("copied to {}\n", printable(file.path)));
    else
      talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  }
  talk(verified_hint({&report}));
  talk(overridable_hint(report));
  talk(cost_text(report.seconds, report.peak_anonymous, report.peak_memory) + "\n");
}

tasks::ShrinkReport shrink_one(const std::string& input, const std::string& output, const tasks::ShrinkOptions& options,
                               const tasks::ConvertStreams& streams) {
  try {
    return tasks::shrink_file(input, output, options, streams);
  } catch (const passes::UnknownName& unknown) {
    const std::string guess = nearest(unknown.name, unknown.known);
    Error better("", unknown.message(),
                 guess.empty() ? unknown.hint() : fmt::format("did you mean {}?", quote_name(guess)));
    better.set_file(unknown.file());
    throw better;
  }
}

// Created before the work begins, so that a place that cannot be written to is reported at once.
class PageFile {
 public:
  PageFile(const ShrinkArguments& arguments, const std::string& input, const std::string& output)
      : path_(arguments.page) {
    if (path_.empty()) return;
    const tasks::ShrinkOptions& options = arguments.options;
    require_page_name(path_, {input, output, options.name_map, options.weights.recipe, options.weights.save_recipe});
    file_.emplace(path_);
    before_ = page_content_of(input, options.load);  // read now, because the result may replace the input
  }

  // The page shows all savings, whatever --top says.
  tasks::ShrinkOptions with_all_savings(tasks::ShrinkOptions options) const {
    if (file_) options.top = std::numeric_limits<std::uint64_t>::max();
    return options;
  }

  void write(tasks::ShrinkReport& report, const tasks::ShrinkOptions& options) {
    if (!file_) return;
    std::optional<PageFileContent> after;
    if (!report.files.empty()) after = page_content_of(report.files.front().path, options.load);
    file_->write(report_page({report, given_options(options), std::move(before_), std::move(after)}));
    file_->commit();
    if (report.largest.size() > options.top) report.largest.resize(options.top);
  }

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
  std::optional<PageFileContent> before_;
};

int show_one(const std::string& input, const ShrinkArguments& arguments) {
  std::string output = arguments.output;
  if (arguments.in_place) output = input;
  if (output.empty()) {
    if (input == "-")
      throw UsageError("a model from standard input needs an explicit name for the result", "add -o FILE");
    output = default_shrink_output(input);
  }
  require_source_kept(input, output, arguments);
  const ModelOutput target(output, arguments.json);
  if (input == "-" && arguments.options.verify)
    throw UsageError("--verify has to read the model twice, which is not possible with standard input",
                     "save it in a file first");
  PageFile page(arguments, input, target.path());
  ProgressBar bar("reading");
  tasks::ConvertStreams streams;
  streams.progress = bar.shower();
  tasks::ShrinkReport report = shrink_one(input, target.path(), page.with_all_savings(arguments.options), streams);
  bar.clear();
  target.deliver(report.files);
  page.write(report, arguments.options);
  const Screen screen = target.is_standard_output() ? standard_error() : standard_output();
  target.report(arguments.json ? to_json(report) : shrink_screen(report, arguments.options.top, screen));
  if (!arguments.json && !target.is_standard_output()) tell_files(report);
  if (!arguments.json && !arguments.page.empty()) talk(fmt::format("report in {}\n", printable(arguments.page)));
  if (report.refused.empty()) return kDone;
  if (!arguments.json) talk_error(fmt::format("{}: {}", printable(report.file), report.refused), kHowToWriteAnyway);
  return kNo;
}

std::string summary_screen(const std::vector<ShrinkRow>& rows, const Screen& screen) {
  using Align = Table::Align;
  Table table(
      {{"file", Align::kLeft, true}, {"before", Align::kRight}, {"after", Align::kRight}, {"saved", Align::kRight}});
  std::uint64_t before = 0, after = 0, failed = 0;
  std::vector<const tasks::ShrinkReport*> reports;
  for (const ShrinkRow& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "failed (see below)");
      ++failed;
      continue;
    }
    reports.push_back(&*row.report);
    before += row.report->before.total();
    after += row.report->after.total();
    table.add({printable(row.file), human_bytes(row.report->before.total()), human_bytes(row.report->after.total()),
               saved_text(*row.report)});
  }
  return fmt::format("{}\n{}, {} -> {}{}\n{}", table.to_text(screen, 0), counted(rows.size(), "model", "models"),
                     human_bytes(before), human_bytes(after), failed ? fmt::format("; {} failed", failed) : "",
                     verified_text(reports));
}

// Next to each model, or all in one folder.
std::string output_of(const std::string& input, const ShrinkArguments& arguments) {
  if (arguments.in_place) return input;
  if (arguments.output.empty()) return default_shrink_output(input);
  return (fs::path(arguments.output) / fs::path(input).filename().replace_extension(".onnx")).string();
}

int show_several(const std::vector<std::string>& paths, const ShrinkArguments& arguments) {
  if (!arguments.output.empty() && !arguments.options.dry_run) make_output_folder(arguments.output);
  ResultNames results;
  const auto prepare = [&](const std::string& path) {
    std::string output = results.take(output_of(path, arguments));
    require_source_kept(path, output, arguments);
    return output;
  };
  const auto rows = report_in_parallel<tasks::ShrinkReport>(paths, "shrinking", prepare,
                                                            [&](const std::string& path, const std::string& output) {
                                                              return shrink_one(path, output, arguments.options, {});
                                                            });
  print(arguments.json ? to_json(rows) : summary_screen(rows, standard_output()));
  int code = kDone;
  for (const ShrinkRow& row : rows) {
    if (row.report && !row.report->refused.empty()) {
      code = std::max(code, kNo);
      if (!arguments.json)
        talk_error(fmt::format("{}: {}", printable(row.file), row.report->refused), kHowToWriteAnyway);
    }
    if (row.report) continue;
    code = kBadInput;
    if (!arguments.json) talk_error(row.error, row.hint);
  }
  return code;
}

void require_methods(const ShrinkArguments& arguments) {
  for (const auto* names : {&arguments.options.only, &arguments.options.skip}) {
    for (const std::string& name : *names) {
      std::vector<std::string> known;
      for (const tasks::MethodName& each : tasks::shrink_methods()) known.emplace_back(each.name);
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string guess = nearest(name, known);
      throw UsageError(fmt::format("there is no method '{}'", printable(name)),
                       guess.empty() ? fmt::format("known methods: {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean '{}'?", guess));
    }
  }
}

// Throws UsageError for an option about rounded weights if no option asks for rounding.
void require_rounding(const tasks::CompressOptions& options) {
  if (options.is_lossy()) return;
  for (const std::string& option : given_options(options)) {
    if (option.starts_with("--optimize-for")) continue;  // the report shows that size for any file
    throw UsageError(fmt::format("{} only applies to weights in fewer bits, which were not requested", option),
                     "add --weights, --scheme, --levels, --recipe, --quality, a target size or --dynamic");
  }
}

void require_place(const ShrinkArguments& arguments) {
  if (arguments.in_place && !arguments.output.empty()) throw UsageError("--in-place and -o cannot be combined");
  if (arguments.in_place && !arguments.share.empty()) throw UsageError("--in-place and --share cannot be combined");
  if (arguments.allow_lossy_overwrite && !arguments.in_place)
    throw UsageError("--allow-lossy-overwrite needs --in-place", "give both options");
  if (arguments.output.empty() && !arguments.in_place && arguments.share.empty() && !arguments.options.dry_run)
    require_one_meaning(arguments.models, "shrink");
}

int run_shrink(ShrinkArguments& arguments) {
  take_output_argument(arguments.models, arguments.output);
  require_place(arguments);
  require_methods(arguments);
  require_rounding(arguments.options.weights);
  if (arguments.options.weights.is_lossy() && arguments.options.verify)
    throw UsageError("--verify compares bits, but --weights changes them", "use --measure, which compares outputs");
  tasks::Inputs inputs = tasks::expand_inputs(arguments.models);
  if (!arguments.share.empty()) {
    if (!arguments.options.name_map.empty()) throw UsageError("--name-map works for one model only");
    if (arguments.options.extraction.extracts())
      throw UsageError("--share cannot be combined with options that extract constants");
    if (arguments.options.compressed) throw UsageError("--compressed cannot be combined with --share");
    if (!arguments.page.empty()) throw UsageError("--report cannot be combined with --share");
    require_output_folder(arguments.output);
    for (const std::string& path : inputs.paths) {
      const fs::path result = fs::path(arguments.output) / fs::path(path).filename().replace_extension(".onnx");
      if (!arguments.output.empty()) require_source_kept(path, result.string(), arguments);
    }
    return shrink_together({inputs.paths, arguments.share, arguments.output, arguments.json}, arguments.options);
  }
  const bool into_folder = !arguments.output.empty() && fs::is_directory(arguments.output);
  if (!inputs.several && !into_folder) return show_one(inputs.paths.front(), arguments);
  skip_earlier_results(inputs.paths, kShrunkEnding);
  if (inputs.several) require_output_folder(arguments.output);
  if (!arguments.options.name_map.empty()) throw UsageError("--name-map works for one model only");
  if (!arguments.page.empty())
    throw UsageError("--report works for one model only", "shrink them one by one, with -o FILE and a page for each");
  return show_several(inputs.paths, arguments);
}

}  // namespace

Action add_shrink(Command& command) {
  auto arguments = std::make_shared<ShrinkArguments>();
  add_file_argument(command, "MODEL", arguments->models,
                    "models (.onnx, .onnxtxt, .json), folders and patterns; MODEL RESULT is short for MODEL -o RESULT");
  add_file(command, {"-o", "--output"}, arguments->output,
           "the result (default MODEL.shrunk.onnx); - for standard output; for several models, a folder");
  add_flag(command, "--in-place", arguments->in_place, "replace the model with the result");
  add_flag(command, "--allow-lossy-overwrite", arguments->allow_lossy_overwrite,
           "with --in-place: overwrite the model even if --weights or a similar option changes its numbers");
  add_options(command, arguments->options);
  command.find("--recipe")->older_names = {"--keep"};
  command.find("--max-size")->older_names = {"--target-size"};
  command.find("--max-download")->older_names = {"--target-download"};
  add_file(command, {"--name-map"}, arguments->options.name_map,
           "with --shorten-names: write a file with a new name and its old name per line");
  add_file(command, {"--share"}, arguments->share,
           "for several models: put their weights into one external file of this name, each stored once");
  add_file(command, {"--report"}, arguments->page,
           "also write a page for a browser: where the bytes are before and after, and the error of every tensor");
  add_flag(command, "--json", arguments->json, "print the report as JSON (docs/commands/shrink.md lists the fields)");
  return [arguments] {
    tasks::ShrinkOptions& options = arguments->options;
    // The runtime is looked for before the work begins, so that a wrong path is reported at once.
    if (options.weights.is_lossy() || options.pack || options.verify) options.engine = engines::engines_for().front();
    return run_shrink(*arguments);
  };
}

}  // namespace onnxpress::cli
