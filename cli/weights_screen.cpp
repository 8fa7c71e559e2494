// The table of weights.
#include "cli/weights_screen.h"

#include <fmt/format.h>

#include "cli/cell_text.h"
#include "cli/numbers.h"
#include "cli/table.h"

namespace onnxpress::cli {

namespace {

std::string decibels(const std::optional<double>& value) { return value ? fmt::format("{:.1f} dB", *value) : "exact"; }

}  // namespace

std::string weights_screen(const tasks::WeightReport& report, std::uint64_t top, const Screen& screen) {
  using Align = Table::Align;
  std::string out = inked("weights", Ink::kTitle, screen) + "\n";
  Table table({{"tensor", Align::kLeft, true},
               {"op"},
               {"bits", Align::kRight},
               {"SQNR", Align::kRight},
               {"stored as", Align::kLeft, true, Ink::kFaint}});
  std::uint64_t shown = 0;
  for (const tasks::WeightLine& line : report.tensors) {
    if (shown++ == top) break;
    table.add({printable(line.tensor), printable(line.op), fmt::format("{:.2f}", line.bits),
               line.kept.empty() ? decibels(line.sqnr) : "", line.kept.empty() ? line.scheme : "kept: " + line.kept});
  }
  if (!table.empty()) out += table.to_text(screen);
  out += fmt::format("{} in fewer bits, {} kept; {:.2f} bits per weight, SQNR {}", with_commas(report.compressed),
                     with_commas(report.kept), report.bits, decibels(report.sqnr));
  if (report.output_snr) out += fmt::format("; outputs {:.1f} dB on random inputs", *report.output_snr);
  out += "\n";
  if (!report.note.empty()) out += printable(report.note) + "\n";
  return out;
}

}  // namespace onnxpress::cli
