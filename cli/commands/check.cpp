// `onnxpress check`: tells whether a model is valid, and where it is not.
#include "onnxpress/tasks/inspect/check.h"

#include <algorithm>

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

using CheckArguments = ModelList<CheckOptions>;

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return Ink::kBad;
    case Severity::kWarning:
      return Ink::kWarning;
    default:
      return Ink::kFaint;
  }
}

// "model.onnx: ok (123 nodes, 45 tensors, 2 warnings)" or "model.onnx: 3 errors, 1 note"
std::string summary(const CheckReport& report, const Screen& screen) {
  std::string rest;
  if (report.warnings > 0) rest += ", " + counted(report.warnings, "warning", "warnings");
  if (report.notes > 0) rest += ", " + counted(report.notes, "note", "notes");
  const std::string file = inked(printable(report.file), Ink::kStrong, screen);
  if (!report.ok)
    return fmt::format("{}: {}{}\n", file, inked(counted(report.errors, "error", "errors"), Ink::kBad, screen), rest);
  return fmt::format("{}: {} ({}, {}{})\n", file, inked("ok", Ink::kGood, screen),
                     counted(report.nodes, "node", "nodes"), counted(report.tensors, "tensor", "tensors"), rest);
}

// One line per finding, so that grep shows whole findings; severity and code are aligned.
std::string check_screen(const CheckReport& report, const Screen& screen) {
  std::size_t code_width = 0;
  for (const FindingLine& line : report.findings) code_width = std::max(code_width, line.code.size());
  std::string out = summary(report, screen);
  for (const FindingLine& line : report.findings) {
    out += fmt::format("  {}  {:<{}}  {}{}{}\n",
                       inked(fmt::format("{:<7}", word_of(line.severity)), ink_of(line.severity), screen), line.code,
                       code_width, printable(line.where), line.where.empty() ? "" : ": ", printable(line.message));
  }
  if (report.left_out > 0) {
    out += fmt::format("  ... and {}; use --limit to show more\n",
                       counted(report.left_out, "more finding", "more findings"));
  }
  return out;
}

int show_one(const std::string& path, const CheckArguments& arguments) {
  const CheckReport report = check_file(path, arguments.options);
  print(arguments.json ? to_json(report) : check_screen(report, standard_output()));
  return report.ok ? kDone : kNo;
}

// A file that cannot be read does not keep the others from being checked.
int show_several(const std::vector<std::string>& paths, const CheckArguments& arguments) {
  const std::vector<CheckRow> rows =
      report_on_each(paths, [&](const std::string& path) { return check_file(path, arguments.options); });
  const auto screens = [](const std::vector<CheckRow>& all, const Screen& screen) {
    std::string text;
    for (const CheckRow& row : all) text += row.report ? check_screen(*row.report, screen) : "";
    return text;
  };
  const bool all_ok = std::ranges::all_of(rows, [](const CheckRow& row) { return !row.report || row.report->ok; });
  const int code = tell_rows(rows, arguments.json, screens);
  return code == kDone && !all_ok ? kNo : code;
}

}  // namespace

Action add_check(Command& command) { return add_question(command, show_one, show_several); }

}  // namespace onnxpress::cli
