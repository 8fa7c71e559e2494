// `onnxpress diff`: lists what differs between two models.
#include "onnxpress/tasks/report/field_lists/diff.h"

#include <algorithm>
#include <cmath>

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/jobs/ask_files.h"

namespace onnxpress::cli {

namespace {

struct DiffArguments : OneModel<DiffOptions> {
  std::string after;
  bool summary = false;
};

// Plural of each kind, as the title of its part.
std::string_view title_of(Subject subject) {
  switch (subject) {
    case Subject::kModel:
      return "model";
    case Subject::kInput:
      return "inputs";
    case Subject::kOutput:
      return "outputs";
    case Subject::kFunction:
      return "functions";
    case Subject::kGraph:
      return "graphs";
    case Subject::kNode:
      return "nodes";
    case Subject::kTensor:
      return "tensors";
    case Subject::kValueInfo:
      return "value_info";
    case Subject::kMetadata:
      return "metadata";
    case Subject::kDoc:
      return "docs";
  }
  return "";
}

Ink ink_of(Change change) {
  switch (change) {
    case Change::kAdded:
      return Ink::kGood;
    case Change::kRemoved:
      return Ink::kBad;
    case Change::kChanged:
      return Ink::kWarning;
    default:
      return Ink::kFaint;
  }
}

// "2 added, 1 changed"
std::string count_text(const DiffCount& count) {
  std::string text;
  const auto add = [&text](std::uint64_t number, std::string_view word) {
    if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(number), word);
  };
  add(count.added, "added");
  add(count.removed, "removed");
  add(count.changed, "changed");
  add(count.renamed, "renamed");
  add(count.reordered, "reordered");
  return text;
}

std::string distance_text(const DiffDistance& distance) {
  std::string text =
      fmt::format("{} of {} {}", with_commas(distance.differing), counted(distance.elements, "element", "elements"),
                  distance.differing == 1 ? "differs" : "differ");
  if (distance.has_distance) {
    const auto number = [](const std::optional<double>& value) {
      return value ? fmt::format("{:.4g}", *value) : std::string("infinite");
    };
    text += fmt::format(", max |difference| {}", number(distance.max_absolute));
    if (!distance.at.empty()) text += fmt::format(" at [{}]", fmt::join(distance.at, ","));
    text += fmt::format(", max relative {}", number(distance.max_relative));
  }
  if (distance.one_sided_nans > 0) {
    text += fmt::format(", {} not a number on one side only", with_commas(distance.one_sided_nans));
  }
  return text;
}

// "attribute 'axis': int 1 -> int 0"; what is only on one side is shown alone.
std::string detail_text(const DiffDetail& detail) {
  const bool both = !detail.before.empty() && !detail.after.empty();
  const std::string change = printable(detail.before) + (both ? " -> " : "") + printable(detail.after);
  if (detail.what.empty() || change.empty()) return printable(detail.what) + change;
  return fmt::format("{}: {}", printable(detail.what), change);
}

// One detail is on the line itself, several are on separate lines.
std::string line_text(const DifferenceLine& line, const Screen& screen) {
  std::vector<std::string> details;
  for (const DiffDetail& detail : line.details) details.push_back(detail_text(detail));
  if (line.distance) details.push_back(distance_text(*line.distance));
  std::string out =
      fmt::format("  {}  {}{}{}", inked(fmt::format("{:<9}", word_of(line.change)), ink_of(line.change), screen),
                  printable(line.where), line.where.empty() ? "" : ", ", printable(line.what));
  if (details.size() == 1) return out + ": " + details.front() + "\n";
  out += '\n';
  for (const std::string& detail : details) out += fmt::format("{:15}{}\n", "", detail);
  return out;
}

std::string diff_screen(const DiffReport& report, bool summary, const Screen& screen) {
  const std::string files = fmt::format("{} -> {}", printable(report.before), printable(report.after));
  if (report.equal) {
    return fmt::format("{}: {}\n", files,
                       inked(report.same_bytes ? "identical, byte for byte" : "equal", Ink::kGood, screen));
  }
  std::string out =
      fmt::format("{}: {}\n", files, inked(counted(report.total, "difference", "differences"), Ink::kStrong, screen));
  for (const DiffCount& count : report.counts) {
    out += fmt::format("{}{}: {}\n", summary ? "  " : "", inked(title_of(count.subject), Ink::kTitle, screen),
                       count_text(count));
    std::uint64_t shown = 0;
    for (const DifferenceLine& line : report.differences) {
      if (summary || line.subject != count.subject) continue;
      out += line_text(line, screen);
      ++shown;
    }
    if (!summary && shown < count.total()) {
      out += fmt::format("  ... and {} more; use --limit to show more\n", with_commas(count.total() - shown));
    }
  }
  return out;
}

int show(const DiffArguments& arguments) {
  const DiffReport report = diff_files(arguments.input, arguments.after, arguments.options);
  print(arguments.json ? to_json(report) : diff_screen(report, arguments.summary, standard_output()));
  return report.equal ? kDone : kNo;
}

}  // namespace

Action add_diff(Command& command) {
  auto arguments = std::make_shared<DiffArguments>();
  add_file_argument(command, "BEFORE", arguments->input,
                    "the first model (.onnx, .onnxtxt, .json, or - for standard input)");
  add_file_argument(command, "AFTER", arguments->after, "the model to compare it with");
  add_flag(command, "--summary", arguments->summary, "print only counts of differences, by kind");
  return add_task(command, arguments, show);
}

}  // namespace onnxpress::cli
