// Renders the page of `bench --report`. Charts are SVG, so that the page needs no scripts; all names go through
// html_safe().
#include "cli/pages/bench_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/pages/page_template.h"
#include "cli/screens/bench_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "onnxpress/base/version.h"

namespace onnxpress::cli {

namespace {

std::string safe(std::string_view text) { return html_safe(printable(text)); }

// The name in at most 30 characters; tooltips show all of it.
std::string short_name(const std::string& name) { return html_safe(elided(printable(name), 30)); }

std::string section(std::string_view id, std::string_view title, std::string_view lead, const std::string& content) {
  return fmt::format(
      "<section id='{0}' aria-labelledby='{0}-title'><h2 id='{0}-title'>{1}</h2>\n<p "
      "class=lead>{2}</p>\n{3}</section>\n",
      id, title, lead, content);
}

// The first cell is the title of its row. On a phone each row is a card, whose cells show the titles of their columns.
std::string row_html(const std::vector<std::string>& titles, const std::vector<std::string>& cells) {
  std::string out = fmt::format("<tr><th scope=row>{}</th>", html_safe(cells.front()));
  for (std::size_t i = 1; i < cells.size(); ++i)
    out += fmt::format("<td class=number data-title='{}'>{}</td>", html_safe(titles[i]), html_safe(cells[i]));
  return out + "</tr>\n";
}

std::string head_html(const std::vector<std::string>& titles) {
  std::string out = "<div class=scroll tabindex=0><table><thead><tr>";
  for (std::size_t i = 0; i < titles.size(); ++i)
    out += fmt::format("<th scope=col{}>{}</th>", i > 0 ? " class=number" : "", html_safe(titles[i]));
  return out + "</tr></thead><tbody>\n";
}

std::string table_html(const BenchReport& report) {
  const auto titles = bench_titles(report);
  std::string out = head_html(titles);
  for (const BenchRow& row : report.rows) {
    if (row.bytes > 0 && row.error.empty()) {
      out += row_html(titles, bench_cells(report, row));
      continue;
    }
    out += fmt::format("<tr><th scope=row>{}</th><td class='text bad' colspan={}>{}</td></tr>\n", safe(row.name),
                       titles.size() - 1, safe(row.error));
  }
  return out + "</tbody></table></div>\n";
}

// One bar for each model that ran: the median, and a whisker from the lower to the upper quartile.
std::string bars_html(const BenchReport& report) {
  double most = 0;
  for (const BenchRow& row : report.rows) {
    if (row.median) most = std::max(most, row.high.value_or(*row.median));
  }
  if (most <= 0) return {};
  std::string out;
  for (const BenchRow& row : report.rows) {
    if (!row.median) continue;
    const bool first = &row == &report.rows.front();
    const double low = row.low.value_or(*row.median) / most * 100, high = row.high.value_or(*row.median) / most * 100;
    out += fmt::format("<div{}><span class=name title='{}'>{}</span>", first ? " class=first" : "", safe(row.name),
                       safe(row.name));
    out += fmt::format(
        "<svg viewBox='0 0 100 22' preserveAspectRatio=none aria-hidden=true><rect width={0:.2f} height=22 /><path "
        "d='M{1:.2f} 11H{2:.2f}M{1:.2f} 5V17M{2:.2f} 5V17' /></svg>",
        *row.median / most * 100, low, high);
    const std::string speed =
        first || !row.speed ? "" : fmt::format(" ({:.2f}x{})", *row.speed, row.in_noise ? " ~" : "");
    out += fmt::format("<span class=value>{}</span></div>\n", html_safe(human_seconds(*row.median) + speed));
  }
  return section("times", "Time of a run", "Median of all runs; the line spans the middle half of them.",
                 "<div class=bars>" + out + "</div>\n");
}

// Size on the x axis, signal-to-noise ratio on the y axis. Models with the same bits have no error, so they are on the
// upper edge.
std::string scatter_svg(const BenchReport& report) {
  std::vector<const BenchRow*> rows;
  double most_bytes = 0, highest = 20;
  for (const BenchRow& row : report.rows) {
    if (!row.median || row.bytes == 0) continue;
    rows.push_back(&row);
    most_bytes = std::max(most_bytes, static_cast<double>(row.bytes));
    if (row.snr) highest = std::max(highest, *row.snr);
  }
  if (rows.size() < 2) return {};
  highest = std::ceil(highest / 20) * 20 + 20;
  constexpr double kLeft = 70, kTop = 20, kWidth = 680, kHeight = 300;
  std::string out = "<svg viewBox='0 0 960 380' width=960 role=img aria-label='size against error'>\n";
  for (double db = 0; db <= highest - 20; db += highest > 100 ? 40 : 20) {
    const double y = kTop + kHeight - db / highest * kHeight;
    out += fmt::format("<path class=grid d='M{} {:.1f}H{}' /><text x={} y={:.1f} text-anchor=end>{} dB</text>\n", kLeft,
                       y, kLeft + kWidth, kLeft - 8, y + 4, db);
  }
  out += fmt::format("<path class=grid d='M{0} {1}H{2}' /><text x={3} y={4} text-anchor=end>exact</text>\n", kLeft,
                     kTop, kLeft + kWidth, kLeft - 8, kTop + 4);
  for (int i = 0; i <= 4; ++i) {
    const double x = kLeft + kWidth * i / 4;
    out += fmt::format("<text x={:.1f} y={} text-anchor=middle>{}</text>\n", x, kTop + kHeight + 22,
                       html_safe(human_bytes(static_cast<std::uint64_t>(most_bytes * i / 4))));
  }
  std::vector<std::pair<double, double>> labels;
  std::ranges::sort(rows, {}, [](const BenchRow* row) { return row->bytes; });
  for (const BenchRow* row : rows) {
    const double x = kLeft + static_cast<double>(row->bytes) / most_bytes * kWidth;
    const double snr = row->same_bits || !row->snr ? highest : std::clamp(*row->snr, 0.0, highest);
    const double y = kTop + kHeight - snr / highest * kHeight;
    // Names of models with about the same size and error are placed below each other.
    double label = y + 20;
    const auto is_taken = [&](const auto& other) {
      return std::abs(x - other.first) < 150 && std::abs(label - other.second) < 15;
    };
    while (std::ranges::any_of(labels, is_taken)) label += 16;
    labels.emplace_back(x, label);
    out += fmt::format(
        "<circle class='dot{}' cx={:.1f} cy={:.1f} r=5><title>{}</title></circle><text class=label x={:.1f} "
        "y={:.1f}>{}</text>\n",
        row == &report.rows.front() ? " first" : "", x, y, safe(row->name), x - 4, label, short_name(row->name));
  }
  return section(
      "sizes", "Size and error",
      "File size, and the error of the outputs against the first model: further left and further up is better.",
      "<div class=chart tabindex=0>" + out + "</svg></div>\n");
}

std::string nodes_html(const NodeTimes& times) {
  const std::vector<std::string> titles = {"node", "op", "time", "share", "MACs", "bytes", "GFLOP/s", "GB/s"};
  std::string out = head_html(titles);
  constexpr std::size_t kShown = 40;
  const auto one_digit = [](const std::optional<double>& number) {
    return number ? fmt::format("{:.1f}", *number) : std::string();
  };
  for (std::size_t i = 0; i < times.nodes.size() && i < kShown; ++i) {
    const NodeTime& each = times.nodes[i];
    out +=
        row_html(titles, {printable(each.node), printable(each.op), human_seconds(each.seconds),
                          fmt::format("{:.1f} %", each.share * 100), each.macs ? human_count(*each.macs) : "",
                          each.bytes ? human_bytes(*each.bytes) : "", one_digit(each.gflops), one_digit(each.gbytes)});
  }
  return section(
      "nodes", "Where the time goes",
      fmt::format("{} a run, in {} nodes of the first model{}.", human_seconds(times.seconds), times.nodes.size(),
                  times.nodes.size() > kShown ? fmt::format("; the slowest {}", kShown) : ""),
      out + "</tbody></table></div>\n");
}

std::string how_measured(const BenchReport& report) {
  if (report.runtime.empty()) return {};
  std::string out =
      fmt::format("{}, {} rounds in turns, inputs: {}.", report.runtime, report.rounds, printable(report.inputs));
  if (report.noise)
    out +=
        fmt::format(" Two processes with the first model were {:.1f} % apart{}; ~ marks differences within the noise.",
                    *report.noise * 100, report.noisy ? ": the machine was noisy" : "");
  if (const std::string floor = bench_floor_text(report); !floor.empty()) out += fmt::format(" R{}.", floor.substr(1));
  return out;
}

}  // namespace

std::string bench_page(const BenchReport& report) {
  std::string body = section("models", "Models", html_safe(how_measured(report)), table_html(report));
  for (const std::string& note : report.notes) body += fmt::format("<p class=note>{}</p>\n", safe(note));
  body += bars_html(report) + scatter_svg(report);
  if (report.nodes) body += nodes_html(*report.nodes);
  body += fmt::format("<footer class=faint>onnxpress {}</footer>\n", safe(version()));
  return filled_body(kBenchTemplate, report.rows.front().name, body);
}

}  // namespace onnxpress::cli
