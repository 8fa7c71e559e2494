// Lays out the comparison of nodes: suspicious ones first, then how far errors have grown at the outputs.
#include "cli/screens/nodes_screen.h"

#include <fmt/format.h>

#include <optional>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

std::string node_decibels(const std::optional<double>& snr) { return snr ? fmt::format("{:.1f} dB", *snr) : "equal"; }

std::string nodes_text(const NodeReport& report, const Screen& screen) {
  Table table({{"node", Table::Align::kLeft, true},
               {"op"},
               {"result", Table::Align::kLeft, true},
               {"ours", Table::Align::kRight},
               {"runtime", Table::Align::kRight},
               {"ulps, ours", Table::Align::kRight},
               {"runtime", Table::Align::kRight},
               {"further off"}});
  for (const NodeLine& line : report.lines) {
    const bool counted = line.different > 0;
    table.add({printable(line.node.empty() ? line.output : line.node), printable(line.op), printable(line.type),
               counted ? "" : node_decibels(line.ours_snr), counted ? "" : node_decibels(line.runtime_snr),
               counted ? "" : fmt::format("{:.3g}", line.ours_ulps),
               counted ? "" : fmt::format("{:.3g}", line.runtime_ulps),
               counted                      ? fmt::format("{} elements differ", line.different)
               : line.verdict == "rounding" ? ""
                                            : line.verdict});
  }
  return table.to_text(screen);
}

std::string drift_text(const NodeReport& report, const Screen& screen) {
  if (report.outputs.empty()) return {};
  Table table({{"output", Table::Align::kLeft, true},
               {"ours to runtime", Table::Align::kRight},
               {"ours to double", Table::Align::kRight},
               {"runtime to double", Table::Align::kRight}});
  for (const NodeOutput& line : report.outputs)
    table.add({printable(line.output), node_decibels(line.snr), node_decibels(line.ours_snr),
               node_decibels(line.runtime_snr)});
  return table.to_text(screen);
}

}  // namespace

std::string nodes_screen(const NodeReport& report, const Screen& screen) {
  return nodes_text(report, screen) + drift_text(report, screen);
}

}  // namespace onnxpress::cli
