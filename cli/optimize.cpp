// `onnxpress optimize`: the same model with fewer nodes.
#include "onnxpress/tasks/optimize/optimize.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/cell_text.h"
#include "cli/cli.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "onnxpress/tasks/inputs/model_files.h"

namespace onnxpress::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> models;
  std::string output;
  bool json = false, list = false, explain = false;
  tasks::OptimizeOptions options;
};

// model.onnx -> model.optimized.onnx
std::string default_output(const std::string& input) {
  const fs::path path(input);
  const std::string ending = tasks::format_of_name(path) ? path.extension().string() : ".onnx";
  return (path.parent_path() / (path.stem().string() + ".optimized" + ending)).string();
}

int list_rewrites() {
  Table table({{"rewrite"},
               {"group", Table::Align::kLeft, false, Ink::kFaint},
               {"keeps"},
               {"what it does", Table::Align::kLeft, true}});
  for (const tasks::RewriteInfo& each : tasks::rewrites())
    table.add(
        {std::string(each.name), std::string(each.group), std::string(each.exactness), std::string(each.summary)});
  print(table.to_text(standard_output(), 0));
  return kDone;
}

std::string op_table(const tasks::OptimizeReport& report, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"op", Align::kLeft, true},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"", Align::kRight, false, Ink::kGood}});
  std::size_t same = 0;
  for (const tasks::OpChange& each : report.ops) {
    if (each.before == each.after) {
      ++same;
      continue;
    }
    const auto change = static_cast<std::int64_t>(each.after) - static_cast<std::int64_t>(each.before);
    table.add({printable(each.op), with_commas(each.before), with_commas(each.after), fmt::format("{:+}", change)});
  }
  if (table.empty()) return {};
  if (same > 0) table.add_remark(fmt::format("... {} as before", counted(same, "op", "ops")), "");
  return table.to_text(screen);
}

std::string rewrite_table(const tasks::OptimizeReport& report, const Screen& screen) {
  if (report.rewrites.empty()) return {};
  Table table({{"rewrite"}, {"count", Table::Align::kRight}, {"", Table::Align::kLeft, true, Ink::kFaint}});
  for (const tasks::RewriteCount& each : report.rewrites)
    table.add({printable(each.rewrite), with_commas(each.count), printable(each.summary)});
  return table.to_text(screen);
}

std::string check_text(const tasks::OptimizeCheck& check) {
  std::string out;
  for (const std::string& each : check.left_out)
    out += fmt::format("left out: {}, which changed an output; please report this\n", printable(each));
  if (!check.done) return out + fmt::format("not verified: {}\n", printable(check.reason));
  return out + fmt::format(
                   "verified on {}: outputs differ by at most {:.1e} (a change of the inputs by a millionth: {:.1e})\n",
                   counted(check.runs, "input", "inputs"), check.largest_difference, check.floor);
}

std::string optimize_screen(const tasks::OptimizeReport& report, const Arguments& arguments, const Screen& screen) {
  const auto change = static_cast<std::int64_t>(report.nodes_after) - static_cast<std::int64_t>(report.nodes_before);
  std::string out = fmt::format("{}: {} -> {} ({:+}), {} -> {}\n", inked(printable(report.file), Ink::kStrong, screen),
                                counted(report.nodes_before, "node", "nodes"), with_commas(report.nodes_after), change,
                                human_bytes(report.bytes_before), human_bytes(report.bytes_after));
  out += op_table(report, screen);
  out += rewrite_table(report, screen);
  if (arguments.explain) {
    for (const tasks::RewriteLine& step : report.steps)
      out += fmt::format("  {}: {} {} {}\n", printable(step.rewrite), printable(step.op), printable(step.node),
                         printable(step.text));
  }
  if (!report.looping.empty())
    out += inked(fmt::format("stopped: {} would not end; please report this\n", printable(report.looping)),
                 Ink::kWarning, screen);
  if (report.unchanged) out += "nothing to do: the result is the original\n";
  if (report.check) out += check_text(*report.check);
  if (!report.files.empty())
    out += fmt::format("{} in {:.2f} s\n", printable(report.files.front().path), report.seconds);
  return out;
}

std::string comparison_screen(const std::vector<tasks::ReportRow<tasks::OptimizeReport>>& rows, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"file", Align::kLeft, true},
               {"nodes", Align::kRight},
               {"after", Align::kRight},
               {"bytes", Align::kRight},
               {"after", Align::kRight},
               {"rewrites", Align::kRight},
               {"ms", Align::kRight}});
  for (const auto& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "failed (see below)");
      continue;
    }
    const tasks::OptimizeReport& report = *row.report;
    table.add({printable(row.file), with_commas(report.nodes_before), with_commas(report.nodes_after),
               human_bytes(report.bytes_before), human_bytes(report.bytes_after), with_commas(report.steps.size()),
               fmt::format("{:.1f}", report.seconds * 1000)});
  }
  return table.to_text(screen, 0);
}

// Each model by itself; a failing one never stops the rest.
int optimize_several(const std::vector<std::string>& paths, const Arguments& arguments) {
  const bool folder = !arguments.output.empty();
  if (folder) {
    require_output_folder(arguments.output);
    make_output_folder(arguments.output);
  }
  ProgressBar bar("optimizing", ProgressBar::Label::kStays);
  std::uint64_t begun = 0;
  const auto rows = tasks::report_on_each<tasks::OptimizeReport>(paths, [&](const std::string& path) {
    bar.show(begun++, paths.size());
    const std::string output =
        folder ? (fs::path(arguments.output) / fs::path(path).filename()).string() : default_output(path);
    return tasks::optimize(path, output, arguments.options);
  });
  bar.clear();
  print(arguments.json ? to_json(rows) : comparison_screen(rows, standard_output()));
  int code = kDone;
  for (const auto& row : rows) {
    if (!row.report) code = kBadInput;
    if (!row.report && !arguments.json) talk_error(row.error, row.hint);
  }
  return code;
}

int run(Arguments& arguments) {
  if (arguments.list) return list_rewrites();
  if (arguments.models.empty()) throw UsageError("MODEL is missing", "onnxpress optimize model.onnx");
  take_output_argument(arguments.models, arguments.output);
  if (arguments.output.empty() && !arguments.options.dry_run) require_one_meaning(arguments.models, "optimize");
  const tasks::Inputs inputs = tasks::expand_inputs(arguments.models);
  const bool into_folder = !arguments.output.empty() && fs::is_directory(arguments.output);
  if (inputs.several || into_folder) return optimize_several(inputs.paths, arguments);
  const std::string& input = inputs.paths.front();
  if (input == "-" && arguments.output.empty())
    throw UsageError("a model from standard input needs a name for the result", "say -o FILE");
  const std::string target = arguments.output.empty() ? default_output(input) : arguments.output;
  const ModelOutput output(target, arguments.json);
  ProgressBar bar("reading");
  tasks::ConvertStreams streams;
  streams.progress = bar.shower();
  const tasks::OptimizeReport report = tasks::optimize(input, output.path(), arguments.options, streams);
  bar.clear();
  if (output.is_standard_output()) {
    output.deliver(report.files);
    output.report(optimize_screen(report, arguments, standard_error()));
    return kDone;
  }
  print(arguments.json ? to_json(report) : optimize_screen(report, arguments, standard_output()));
  return kDone;
}

}  // namespace

Action add_optimize(Command& command) {
  auto arguments = std::make_shared<Arguments>();
  add_file_argument(command, "MODEL", arguments->models,
                    "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns: several give a table")
      .required = false;  // --list needs none
  add_file(command, {"-o", "--output"}, arguments->output,
           "the result (default MODEL.optimized.onnx); for several models a folder");
  add_options(command, arguments->options);
  add_flag(command, "--list", arguments->list, "list all rewrites, and end");
  add_flag(command, "--explain", arguments->explain, "list every rewrite that was applied, with its node");
  add_flag(command, "--json", arguments->json, "the whole report as JSON (docs/optimize.md lists the fields)");
  return [arguments] { return run(*arguments); };
}

}  // namespace onnxpress::cli
