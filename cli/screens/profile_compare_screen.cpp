// Renders several profiles in one table, and two profiles side by side.
#include <fmt/format.h>

#include "cli/screens/profile_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

using Align = Table::Align;

std::string change_text(const ChangedFigure& figure) {
  if (!figure.before) return "new";
  if (!figure.after) return "gone";
  if (figure.before == figure.after) return "same";
  const auto change = figure.change();
  return change ? fmt::format("{:+.1f} %", 100 * *change) : "";
}

std::string figure_table(std::string_view title, const std::vector<ChangedFigure>& figures, std::size_t most,
                         const Screen& screen) {
  if (figures.empty()) return "";
  Table table({{std::string(title), Align::kLeft, true},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"change", Align::kRight}});
  for (std::size_t i = 0; i < figures.size() && i < most; ++i) {
    const ChangedFigure& each = figures[i];
    table.add({printable(each.what), each.before ? with_commas(*each.before) : "-",
               each.after ? with_commas(*each.after) : "-", change_text(each)});
  }
  if (figures.size() > most) table.add_remark(fmt::format("... {} more", figures.size() - most), "--json lists all");
  return table.to_text(screen);
}

}  // namespace

std::string profile_table(const std::vector<ProfileRow>& rows, const Screen& screen) {
  Table table({{"file", Align::kLeft, true},
               {"nodes", Align::kRight},
               {"MACs", Align::kRight},
               {"FLOPs", Align::kRight},
               {"params", Align::kRight},
               {"peak", Align::kRight},
               {"pool", Align::kRight},
               {"ms", Align::kRight}});
  for (const ProfileRow& row : rows) {
    if (!row.report) {
      table.add_remark(printable(row.file), "cannot be read (see below)");
      continue;
    }
    const ProfileReport& report = *row.report;
    const auto number = [](const AmountLine& line) {
      return line.value ? (line.at_least ? ">= " : "") + short_number(*line.value) : "?";
    };
    table.add({printable(row.file), with_commas(report.nodes), number(report.macs), number(report.flops),
               short_number(report.parameters), human_bytes(report.memory.peak), human_bytes(report.memory.pool),
               fmt::format("{:.1f}", report.seconds * 1000)});
  }
  return table.to_text(screen, 0);
}

std::string difference_screen(const ProfileDifference& difference, const Screen& screen) {
  constexpr std::size_t kMostOps = 8, kMostNodes = 10;
  const std::string unit(unit_of(difference.count));
  return fmt::format("{} against {}\n", printable(difference.file), printable(difference.against)) +
         figure_table("total", difference.totals, difference.totals.size(), screen) +
         figure_table(unit + " by op", difference.ops, kMostOps, screen) +
         figure_table(unit + " by node", difference.nodes, kMostNodes, screen);
}

}  // namespace onnxpress::cli
