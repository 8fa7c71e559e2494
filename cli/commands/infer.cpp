// `onnxpress infer`: infers types and symbolic shapes of every value, and says why some stay unknown.
#include "onnxpress/tasks/inspect/infer.h"

#include <optional>

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

struct InferArguments : OneModel<InferOptions> {
  std::vector<std::string> models;
};

std::string value_table(std::string_view title, const std::vector<ValueLine>& lines, const Screen& screen) {
  if (lines.empty()) return {};
  Table table({{"", Table::Align::kLeft, true}, {""}});
  for (const ValueLine& line : lines) table.add({printable(line.name), printable(line.type)});
  return fmt::format("{}\n{}", inked(std::string(title), Ink::kStrong, screen), table.to_text(screen));
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{} ({:.1f} %)", part,
                     whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// How many other values are unknown for the same reason.
std::string others(std::uint64_t values) {
  return values < 2 ? "" : fmt::format(" ({} after it)", counted(values - 1, "value", "values"));
}

std::string infer_screen(const InferReport& report, const Screen& screen) {
  std::string out = fmt::format("{}: {}\n", inked(printable(report.file), Ink::kStrong, screen),
                                counted(report.values, "value", "values"));
  Table counts({{""}, {""}});
  counts.add({"rank known", share(report.with_rank, report.values)});
  counts.add({"every dim known", share(report.complete, report.values)});
  counts.add({"  as sizes", share(report.with_sizes, report.values)});
  counts.add({"constant", share(report.constant, report.values)});
  out += counts.to_text(screen);
  out += value_table("inputs", report.inputs, screen);
  out += value_table("outputs", report.outputs, screen);
  out += value_table("values", report.all, screen);
  if (!report.losses.empty()) {
    out += inked("unknown, and why", Ink::kStrong, screen) + "\n";
    for (const LossLine& line : report.losses)
      out += fmt::format("  {}: {}{}\n", printable(line.value), printable(line.why), others(line.values));
    if (report.losses_left_out > 0)
      out += fmt::format("  ... and {} more; use --limit to show more\n", report.losses_left_out);
  }
  if (!report.contradictions.empty()) {
    out += inked("declared types that cannot be true", Ink::kWarning, screen) + "\n";
    for (const ContradictionLine& line : report.contradictions) {
      out += fmt::format("  {}: the file says {}, but the ops give {}\n", printable(line.value),
                         printable(line.declared), printable(line.inferred));
    }
  }
  if (!report.broken_rules.empty()) {
    out += inked("nodes that cannot be computed", Ink::kWarning, screen) + "\n";
    for (const BrokenRuleLine& line : report.broken_rules)
      out += fmt::format("  {} ({}): {}\n", printable(line.value), printable(line.op), printable(line.why));
  }
  return out;
}

std::string comparison_screen(const std::vector<InferRow>& rows, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"file", Align::kLeft, true},
               {"values", Align::kRight},
               {"rank known", Align::kRight},
               {"every dim known", Align::kRight},
               {"as sizes", Align::kRight},
               {"lost at", Align::kRight},
               {"ms", Align::kRight}});
  for (const InferRow& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "cannot be read (see below)");
      continue;
    }
    const InferReport& report = *row.report;
    table.add({printable(row.file), with_commas(report.values), with_commas(report.with_rank),
               with_commas(report.complete), with_commas(report.with_sizes),
               counted(report.losses.size() + report.losses_left_out, "node", "nodes"),
               fmt::format("{:.1f}", report.seconds * 1000)});
  }
  return table.to_text(screen, 0);
}

int show_several(const std::vector<std::string>& paths, const InferArguments& arguments) {
  if (!arguments.output.empty()) throw UsageError("-o works for one model only", "name one model");
  const std::vector<InferRow> rows =
      report_on_each(paths, [&](const std::string& path) { return infer_file(path, arguments.options); });
  return tell_rows(rows, arguments.json, comparison_screen);
}

int run_infer(InferArguments& arguments) {
  take_output_argument(arguments.models, arguments.output);
  const Inputs inputs = expand_inputs(arguments.models);
  if (inputs.several) return show_several(inputs.paths, arguments);
  std::optional<ModelOutput> output;
  if (!arguments.output.empty()) output.emplace(arguments.output, arguments.json);
  ProgressBar bar("reading");
  const std::string& model = inputs.paths.front();
  const InferOptions& options = arguments.options;
  const InferReport report =
      output ? change_file(model, {.output = output->path(), .load = options.load, .progress = bar.shower()},
                           [&](Model& each) { return declare_types(each, options); })
             : infer_file(model, options);
  bar.clear();
  if (output && output->is_standard_output()) {
    output->deliver(report.files);
    output->report(infer_screen(report, standard_error()));
    return kDone;
  }
  print(arguments.json ? to_json(report) : infer_screen(report, standard_output()));
  tell_files(report.files);
  return kDone;
}

}  // namespace

Action add_infer(Command& command) {
  auto arguments = std::make_shared<InferArguments>();
  add_file_argument(command, "MODEL", arguments->models, kTableOfModels);
  add_file(command, {"-o", "--output"}, arguments->output,
           "write the model with the types of all its values; - for standard output");
  return add_task(command, arguments, run_infer);
}

}  // namespace onnxpress::cli
