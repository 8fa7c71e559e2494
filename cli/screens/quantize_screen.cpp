// The sizes, the table of weights, and what became of the outputs.
#include "cli/screens/quantize_screen.h"

#include <fmt/format.h>

#include "cli/arguments/flag_text.h"
#include "cli/screens/shrink_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

std::string weight_decibels(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f} dB", *value) : "exact";
}

std::string stored_as(const WeightLine& line) {
  return line.method.empty() ? line.scheme : fmt::format("{}; {}", line.scheme, line.method);
}

std::string inputs_table(const QuantizeReport& report, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"inputs", Align::kLeft, true},
               {"SNR at worst", Align::kRight},
               {"inputs", Align::kRight},
               {"only to check", Align::kRight},
               {"worst output", Align::kLeft, true}});
  for (const InputLine& line : report.inputs) {
    if (line.inputs == 0)
      table.add_remark(printable(line.kind), printable(line.note));
    else
      table.add({printable(line.kind), weight_decibels(line.snr), with_commas(line.inputs), with_commas(line.checked),
                 printable(line.output)});
  }
  std::string out = table.to_text(screen);
  std::string asked = report.asked ? fmt::format(", {:.1f} dB requested", *report.asked) : "";
  if (report.missed > 0)
    asked += fmt::format(", missed for {} of {}", with_commas(report.missed), counted(report.tried, "input", "inputs"));
  return out + fmt::format("worst output on the worst input: {}{}\n", weight_decibels(report.reached), asked);
}

std::string outputs_table(const QuantizeReport& report, const Screen& screen) {
  using Align = Table::Align;
  std::string on = report.samples > 0 ? counted(report.samples, "sample", "samples") : "made-up inputs";
  constexpr std::size_t kMostTypes = 3;
  for (std::size_t i = 0; i < report.shapes.size() && i < kMostTypes; ++i)
    on += (i == 0 ? ": " : ", ") + printable(report.shapes[i]);
  if (report.shapes.size() > kMostTypes) on += ", ...";
  std::string out = inked("outputs", Ink::kTitle, screen) + " on " + on + "\n";
  Table table({{"output", Align::kLeft, true},
               {"SNR", Align::kRight},
               {"at worst", Align::kRight},
               {"largest error", Align::kRight},
               {"mean error", Align::kRight},
               {"cosine", Align::kRight},
               {"same top class", Align::kRight}});
  for (const OutputLine& line : report.outputs) {
    table.add({printable(line.output), weight_decibels(line.snr), weight_decibels(line.worst),
               fmt::format("{:.3g}", line.largest_error), fmt::format("{:.3g}", line.mean_error),
               line.cosine ? fmt::format("{:.6f}", *line.cosine) : "",
               line.top1 ? fmt::format("{:.1f} %", 100 * *line.top1) : ""});
  }
  out += table.to_text(screen);
  return out + inputs_table(report, screen);
}

std::string weights_table(const QuantizeReport& report, std::uint64_t top, const Screen& screen) {
  using Align = Table::Align;
  std::string out = inked("weights", Ink::kTitle, screen) + "\n";
  Table table({{"tensor", Align::kLeft, true},
               {"op"},
               {"bits", Align::kRight},
               {"SQNR", Align::kRight},
               {"stored as", Align::kLeft, true, Ink::kFaint}});
  std::uint64_t shown = 0;
  for (const WeightLine& line : report.tensors) {
    if (shown++ == top) break;
    table.add({printable(line.tensor), printable(line.op), fmt::format("{:.2f}", line.bits),
               line.kept.empty() ? weight_decibels(line.sqnr) : "",
               line.kept.empty() ? stored_as(line) : "kept: " + with_flags(line.kept)});
  }
  if (!table.empty()) out += table.to_text(screen);
  out += fmt::format("{} in fewer bits, {} kept; {:.2f} bits per weight, SQNR {}", with_commas(report.rounded),
                     with_commas(report.kept), report.bits, weight_decibels(report.sqnr));
  out += "\n";
  return out;
}

}  // namespace

std::string quantize_screen(const QuantizeReport& report, std::uint64_t top, const Screen& screen) {
  const std::string saved =
      report.refused.empty() ? saved_text(report.before, report.after, report.unchanged) : "not written";
  std::string out = sizes_heading(report.file, report.before, report.after, report.unchanged, saved, screen);
  out += methods_table(report.methods, screen);
  if (!report.tensors.empty()) out += weights_table(report, top, screen);
  if (!report.outputs.empty()) out += outputs_table(report, screen);
  if (!report.note.empty()) out += printable(with_flags(report.note)) + "\n";
  if (report.download) out += fmt::format("as a download: {}\n", exact_bytes(*report.download));
  return out;
}

}  // namespace onnxpress::cli
