// What `shrink` and `quantize` have in common: where results go, one model or many, the page of a report.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments/given_options.h"
#include "cli/cli.h"
#include "cli/commands/several_models.h"
#include "cli/pages/report_page.h"
#include "cli/screens/shrink_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/model_files.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::cli {

struct SmallerArguments {
  std::vector<std::string> models;
  std::string output, page;
  bool json = false, in_place = false;
  std::uint64_t top = 10;
};

// What a command does with one model, and how it tells about it.
template <typename Options, typename Report>
struct SmallerCommand {
  std::string_view name, doing, ending;  // "shrink", "shrinking", ".shrunk.onnx"
  Report (*run)(const std::string& input, const std::string& output, const Options& options,
                const ConvertStreams& streams);
  std::string (*screen)(const Report& report, std::uint64_t top, const Screen& screen);
  std::string (*hints)(const Report& report);  // after the files that were written
  std::string_view how_to_write_anyway = {};   // hint if the report refuses to write
  // Throws UsageError if the result may not replace the input. Null: it may.
  void (*require_kept)(const std::string& input, const std::string& output) = nullptr;
  std::vector<std::string> (*files_of)(const Options& options) = nullptr;  // which the page may not replace
};

// -o, --in-place, --top, --report, --json and the models.
void add_smaller_arguments(Command& command, SmallerArguments& arguments, std::string_view ending);
// Throws UsageError for options about places that exclude each other.
void require_place(const SmallerArguments& arguments, std::string_view command, bool dry_run);
std::string default_output(const std::string& input, std::string_view ending);
// For one of several models: next to it, or in one folder.
std::string output_of(const std::string& input, const SmallerArguments& arguments, std::string_view ending);

std::string overridable_hint(std::uint64_t overridable, const ModelBytes& before);

// The rows of several reports, and their sums.
class SmallerSummary {
 public:
  void add(const std::string& file, const ModelBytes& before, const ModelBytes& after, const std::string& saved);
  void add_failed(const std::string& file);
  std::string text(const Screen& screen) const;

 private:
  Table table_{{{"file", Table::Align::kLeft, true},
                {"before", Table::Align::kRight},
                {"after", Table::Align::kRight},
                {"saved", Table::Align::kRight}}};
  std::uint64_t before_ = 0, after_ = 0, models_ = 0, failed_ = 0;
};

// The page is created before the work begins, so that a place that cannot be written to is reported at once.
class ReportPageFile {
 public:
  // An empty path: no page.
  ReportPageFile(const std::string& path, const std::string& input, const std::vector<std::string>& others,
                 const LoadOptions& load);
  void write(const std::string& report, const std::string& file, std::vector<std::string> asked,
             const std::vector<WrittenFile>& files, const LoadOptions& load);

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
  std::optional<PageFileContent> before_;
};

namespace detail {

template <typename Report>
std::string refusal_of(const Report& report) {
  if constexpr (requires { report.refused; }) return report.refused;
  return {};
}

template <typename Options, typename Report>
void tell_files(const SmallerCommand<Options, Report>& command, const Report& report) {
  for (const WrittenFile& file : report.files) {
    if (report.unchanged)
      talk(fmt::format("copied to {}\n", printable(file.path)));
    else
      talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
  }
  talk(command.hints(report));
  talk(cost_text(report.seconds, report.peak_anonymous, report.peak_memory) + "\n");
}

}  // namespace detail

template <typename Options, typename Report>
int show_one(const SmallerCommand<Options, Report>& command, const std::string& input,
             const SmallerArguments& arguments, const Options& options) {
  std::string output = arguments.in_place ? input : arguments.output;
  if (output.empty()) {
    if (input == "-")
      throw UsageError("a model from standard input needs an explicit name for the result", "add -o FILE");
    output = default_output(input, command.ending);
  }
  if (command.require_kept && !options.dry_run) command.require_kept(input, output);
  const ModelOutput target(output, arguments.json);
  std::vector<std::string> others{input, target.path()};
  if (command.files_of) {
    for (const std::string& each : command.files_of(options)) others.push_back(each);
  }
  ReportPageFile page(arguments.page, input, others, options.load);
  ProgressBar bar("reading");
  ConvertStreams streams;
  streams.progress = bar.shower();
  const Report report = command.run(input, target.path(), options, streams);
  bar.clear();
  target.deliver(report.files);
  page.write(to_json(report), report.file, given_options(options), report.files, options.load);
  const Screen screen = target.is_standard_output() ? standard_error() : standard_output();
  target.report(arguments.json ? to_json(report) : command.screen(report, arguments.top, screen));
  const std::string refused = detail::refusal_of(report);
  if (!arguments.json && !target.is_standard_output()) detail::tell_files(command, report);
  if (!arguments.json && !arguments.page.empty()) talk(fmt::format("report in {}\n", printable(arguments.page)));
  if (refused.empty()) return kDone;
  if (!arguments.json)
    talk_error(fmt::format("{}: {}", printable(report.file), refused), std::string(command.how_to_write_anyway));
  return kNo;
}

template <typename Options, typename Report>
int show_several(const SmallerCommand<Options, Report>& command, const std::vector<std::string>& paths,
                 const SmallerArguments& arguments, const Options& options,
                 std::string (*last_line)(const std::vector<const Report*>& reports)) {
  if (!arguments.output.empty() && !options.dry_run) make_output_folder(arguments.output);
  ResultNames results;
  const auto prepare = [&](const std::string& path) {
    std::string output = results.take(output_of(path, arguments, command.ending));
    if (command.require_kept && !options.dry_run) command.require_kept(path, output);
    return output;
  };
  const auto rows = report_in_parallel<Report>(
      paths, std::string(command.doing).c_str(), prepare,
      [&](const std::string& path, const std::string& output) { return command.run(path, output, options, {}); });
  SmallerSummary summary;
  std::vector<const Report*> reports;
  int code = kDone;
  for (const auto& row : rows) {
    if (!row.report) {
      summary.add_failed(row.file);
      code = kBadInput;
      continue;
    }
    const std::string refused = detail::refusal_of(*row.report);
    if (!refused.empty()) code = std::max(code, kNo);
    reports.push_back(&*row.report);
    summary.add(
        row.file, row.report->before, row.report->after,
        refused.empty() ? saved_text(row.report->before, row.report->after, row.report->unchanged) : "not written");
  }
  print(arguments.json ? to_json(rows) : summary.text(standard_output()) + last_line(reports));
  for (const auto& row : rows) {
    if (arguments.json) break;
    if (!row.report)
      talk_error(row.error, row.hint);
    else if (const std::string refused = detail::refusal_of(*row.report); !refused.empty())
      talk_error(fmt::format("{}: {}", printable(row.file), refused), std::string(command.how_to_write_anyway));
  }
  return code;
}

// The whole command, once its own options are known to make sense.
template <typename Options, typename Report>
int run_on_models(const SmallerCommand<Options, Report>& command, SmallerArguments& arguments, const Options& options,
                  std::string (*last_line)(const std::vector<const Report*>& reports)) {
  Inputs inputs = expand_inputs(arguments.models);
  const bool into_folder = !arguments.output.empty() && std::filesystem::is_directory(arguments.output);
  if (!inputs.several && !into_folder) return show_one(command, inputs.paths.front(), arguments, options);
  skip_earlier_results(inputs.paths, command.ending);
  if (inputs.several) require_output_folder(arguments.output);
  if (!arguments.page.empty())
    throw UsageError("--report works for one model only",
                     fmt::format("{} them one by one, with -o FILE and a page for each", command.name));
  return show_several(command, inputs.paths, arguments, options, last_line);
}

}  // namespace onnxpress::cli
