// Runs `shrink --share`. Results and the shared file must be in one folder, because runtimes look for external data
// next to the model.
#include "cli/commands/shrink_together.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/cli.h"
#include "cli/screens/verified_text.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "onnxpress/base/error.h"
#include "onnxpress/tasks/jobs/shrink_together.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

// The folder of all results; empty: the current folder.
fs::path folder_of(const TogetherArguments& arguments) {
  fs::path named = fs::path(arguments.share).parent_path();
  if (!arguments.output.empty()) {
    if (!named.empty())
      throw UsageError("--share takes a file name in the folder of -o, not a path",
                       "use --share NAME without a folder");
    return arguments.output;
  }
  if (!named.empty()) return named;
  std::set<fs::path> folders;
  for (const std::string& model : arguments.models)
    folders.insert(fs::absolute(model).lexically_normal().parent_path());
  if (folders.size() > 1) {
    throw UsageError("the models are in different folders, but their results must be next to the shared file",
                     "add -o FOLDER");
  }
  return fs::path(arguments.models.front()).parent_path();
}

std::vector<ShareJob> jobs_of(const TogetherArguments& arguments, const fs::path& folder) {
  std::vector<ShareJob> jobs;
  std::set<std::string> taken;
  for (const std::string& model : arguments.models) {
    if (model == "-") throw UsageError("--share cannot read a model from standard input");
    const fs::path name = fs::path(model).filename();
    const std::string ending = arguments.output.empty() ? ".shrunk.onnx" : ".onnx";
    const std::string output = (folder / name.stem()).string() + ending;
    if (!taken.insert(output).second) {
      throw UsageError(fmt::format("two of the models would become '{}'", printable(output)),
                       "rename one of them, or shrink them separately");
    }
    jobs.push_back({model, output});
  }
  return jobs;
}

std::vector<const ShrinkReport*> reports_of(const ShareReport& report) {
  std::vector<const ShrinkReport*> reports;
  for (const ShrinkReport& each : report.models) reports.push_back(&each);
  return reports;
}

std::string share_screen(const ShareReport& report, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"file", Align::kLeft, true}, {"before", Align::kRight}, {"after", Align::kRight}});
  const bool shared = !report.shared.path.empty();
  for (const ShrinkReport& each : report.models)
    table.add({printable(each.file), human_bytes(each.before.total()),
               human_bytes(shared ? each.after.file : each.after.total())});
  if (shared) table.add({printable(report.shared.path) + " (shared)", "", human_bytes(report.shared.bytes)});
  std::string out = table.to_text(screen, 0);
  if (report.unchanged)
    return out + "\nthe models cannot get smaller: copied unchanged\n" + verified_text(reports_of(report));
  out += fmt::format("\n{} -> {}, {}\n", exact_bytes(report.before), exact_bytes(report.after),
                     inked("-" + percent(report.before - report.after, report.before), Ink::kGood, screen));
  out += shared
             ? fmt::format("{} of the models are in the shared file, stored as {}\n",
                           counted(report.shared.references, "tensor", "tensors"), with_commas(report.shared.tensors))
             : "sharing would save nothing: each model is shrunk by itself\n";
  return out + verified_text(reports_of(report));
}

}  // namespace

int shrink_together(const TogetherArguments& arguments, const ShrinkOptions& options) {
  if (arguments.models.size() < 2) throw UsageError("--share needs two models or more");
  const fs::path folder = folder_of(arguments);
  if (fs::path(arguments.share).filename().empty()) throw UsageError("--share needs a file name");
  if (!folder.empty() && !options.dry_run) make_output_folder(folder.string());
  ProgressBar bar("reading");
  ConvertStreams streams;
  streams.progress = bar.shower();
  const ShareReport report = onnxpress::shrink_together(
      jobs_of(arguments, folder), fs::path(arguments.share).filename().string(), options, streams);
  bar.clear();
  print(arguments.json ? to_json(report) : share_screen(report, standard_output()));
  if (!arguments.json) talk(verified_hint(reports_of(report)));
  if (!arguments.json) talk(cost_text(report.seconds, report.peak_anonymous, report.peak_memory) + "\n");
  return kDone;
}

}  // namespace onnxpress::cli
