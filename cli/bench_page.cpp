// Drawn as SVG here, so that the page needs no scripts. All names go through html_safe().
#include "cli/bench_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bench_screen.h"
#include "cli/cell_text.h"
#include "cli/numbers.h"
#include "cli/page_template.h"
#include "onnxpress/base/version.h"

namespace onnxpress::cli {

namespace {

using runtime::BenchReport;
using runtime::BenchRow;

constexpr const char* kStyle =
    ":root{color-scheme:light "
    "dark;--ink:#1b1f24;--faint:#6a737d;--line:#d8dee4;--bar:#3573b9;--first:#8b949e;--bad:#c0392b;"
    "--paper:#fff}@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#8b949e;--line:#30363d;--bar:#58a6ff;"
    "--first:#6e7681;--bad:#ff7b72;--paper:#0d1117}}"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1300px;margin:2rem "
    "auto;"
    "padding:0 1rem}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2.2rem}p.faint,footer{color:var(--faint)}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:right}th:first-child,td:first-child{"
    "text-align:left}td.bad{color:var(--bad);text-align:left;white-space:normal}"
    "svg{min-width:640px;max-width:100%;height:auto;overflow:visible}svg text{fill:var(--ink);font-size:13px}svg "
    ".faint{fill:var(--faint)}"
    ".axis{stroke:var(--line)}.bar{fill:var(--bar)}.first{fill:var(--first)}.spread{stroke:var(--ink);stroke-width:1."
    "5}";

std::string safe(std::string_view text) { return html_safe(printable(text)); }

// The name in at most so many characters, whole in its tooltip.
std::string short_name(const std::string& name) { return html_safe(elided(printable(name), 30)); }

std::string table_html(const BenchReport& report) {
  std::string out = "<div class=wide><table><tr>";
  const auto titles = bench_titles(report);
  for (const std::string& title : titles) out += fmt::format("<th>{}</th>", html_safe(title));
  out += "</tr>\n";
  for (const BenchRow& row : report.rows) {
    out += "<tr>";
    if (row.bytes == 0 || !row.error.empty()) {
      out += fmt::format("<td>{}</td><td class=bad colspan={}>{}</td></tr>\n", safe(row.name), titles.size() - 1,
                         safe(row.error));
      continue;
    }
    for (const std::string& cell : bench_cells(report, row)) out += fmt::format("<td>{}</td>", html_safe(cell));
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

// One bar for each model that ran: the median, and a whisker from the lower to the upper quartile.
std::string bars_svg(const BenchReport& report) {
  std::vector<const BenchRow*> rows;
  double most = 0;
  for (const BenchRow& row : report.rows) {
    if (!row.median) continue;
    rows.push_back(&row);
    most = std::max(most, row.high.value_or(*row.median));
  }
  if (rows.empty() || most <= 0) return {};
  constexpr double kLeft = 230, kWidth = 600, kStep = 34;
  std::string out = fmt::format("<svg viewBox='0 0 960 {}' width=960 role=img aria-label='time of a run'>\n",
                                static_cast<double>(rows.size()) * kStep + 10);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = *rows[i];
    const double y = static_cast<double>(i) * kStep + 6, width = *row.median / most * kWidth;
    const double low = kLeft + row.low.value_or(*row.median) / most * kWidth;
    const double high = kLeft + row.high.value_or(*row.median) / most * kWidth;
    out += fmt::format("<text x={:.1f} y={:.1f} text-anchor=end><title>{}</title>{}</text>\n", kLeft - 10, y + 17,
                       safe(row.name), short_name(row.name));
    out += fmt::format("<rect class='{}' x={} y={:.1f} width={:.1f} height=22 rx=3 />\n", i == 0 ? "first" : "bar",
                       kLeft, y, width);
    out += fmt::format(
        "<path class=spread fill=none d='M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}V{4:.1f}M{1:.1f} {3:.1f}V{4:.1f}' "
        "/>\n",
        low, high, y + 11, y + 6, y + 16);
    out += fmt::format("<text x={:.1f} y={:.1f}>{}</text>\n", std::max(kLeft + width, high) + 8, y + 17,
                       html_safe(human_seconds(*row.median) +
                                 (i == 0 || !row.speed ? ""
                                                       : fmt::format("  ({:.2f}x{})", *row.speed,
                                                                     row.in_noise ? ", inside the noise" : ""))));
  }
  return "<h2>Time of a run</h2><p class=faint>Median of all runs; the line is the middle half of them.</p>\n<div "
         "class=wide>" +
         out + "</svg></div>\n";
}

// Size across, signal-to-noise ratio up. Models with the same bits have no error: they stand on the upper edge.
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
    out += fmt::format(
        "<path class=axis d='M{} {:.1f}H{}' /><text class=faint x={} y={:.1f} text-anchor=end>{} dB</text>\n", kLeft, y,
        kLeft + kWidth, kLeft - 8, y + 4, db);
  }
  out += fmt::format("<path class=axis d='M{0} {1}H{2}' /><text class=faint x={3} y={4} text-anchor=end>exact</text>\n",
                     kLeft, kTop, kLeft + kWidth, kLeft - 8, kTop + 4);
  for (int i = 0; i <= 4; ++i) {
    const double x = kLeft + kWidth * i / 4;
    out += fmt::format("<text class=faint x={:.1f} y={} text-anchor=middle>{}</text>\n", x, kTop + kHeight + 22,
                       html_safe(human_bytes(static_cast<std::uint64_t>(most_bytes * i / 4))));
  }
  double last_x = -1e9, last_y = -1e9;
  std::ranges::sort(rows, {}, [](const BenchRow* row) { return row->bytes; });
  for (const BenchRow* row : rows) {
    const double x = kLeft + static_cast<double>(row->bytes) / most_bytes * kWidth;
    const double snr = row->same_bits || !row->snr ? highest : std::clamp(*row->snr, 0.0, highest);
    const double y = kTop + kHeight - snr / highest * kHeight;
    // Names of models of about the same size and error go below each other.
    double label = y + 20;
    if (std::abs(x - last_x) < 150 && label - last_y < 16) label = last_y + 16;
    last_x = x, last_y = label;
    out += fmt::format(
        "<circle class='{}' cx={:.1f} cy={:.1f} r=5><title>{}</title></circle><text x={:.1f} y={:.1f}>{}</text>\n",
        row == &report.rows.front() ? "first" : "bar", x, y, safe(row->name), x - 4, label, short_name(row->name));
  }
  return "<h2>Size and error</h2><p class=faint>Bytes of the file, and the outputs against those of the first model: "
         "further "
         "left and further up is better.</p>\n<div class=wide>" +
         out + "</svg></div>\n";
}

std::string nodes_html(const runtime::NodeTimes& times) {
  std::string out = fmt::format(
      "<h2>Where the time goes</h2><p class=faint>{} a run, in {} nodes of the first model.</p><div class=wide><table>"
      "<tr><th>node</th><th>op</th><th>time</th><th>share</th><th>MACs</th><th>bytes</th><th>GFLOP/s</th><th>GB/s</"
      "th></tr>\n",
      human_seconds(times.seconds), times.nodes.size());
  constexpr std::size_t kShown = 40;
  for (std::size_t i = 0; i < times.nodes.size() && i < kShown; ++i) {
    const runtime::NodeTime& each = times.nodes[i];
    out += fmt::format(
        "<tr><td title='{}'>{}</td><td>{}</td><td>{}</td><td>{:.1f} "
        "%</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        safe(each.node), short_name(each.node), safe(each.op), human_seconds(each.seconds), each.share * 100,
        each.macs ? human_count(*each.macs) : "", each.bytes ? human_bytes(*each.bytes) : "",
        each.gflops ? fmt::format("{:.1f}", *each.gflops) : "", each.gbytes ? fmt::format("{:.1f}", *each.gbytes) : "");
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string bench_page(const BenchReport& report) {
  const std::string title = safe(report.rows.front().name);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>"
      "<title>{0}: bench</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      title, kStyle);
  if (!report.runtime.empty())
    out += fmt::format(
        "<p class=faint>{}, {} rounds in turns, inputs: {}.{}</p>\n", safe(report.runtime), report.rounds,
        safe(report.inputs),
        report.noise
            ? fmt::format(
                  " Two processes of the first model were {:.1f} % apart{}; ~ marks differences inside the noise.",
                  *report.noise * 100, report.noisy ? ": the machine was noisy" : "")
            : "");
  for (const std::string& note : report.notes) out += fmt::format("<p>{}</p>\n", safe(note));
  out += table_html(report) + bars_svg(report) + scatter_svg(report);
  if (report.nodes) out += nodes_html(*report.nodes);
  return out + fmt::format("<footer><p>onnxpress {}</p></footer></body></html>\n", safe(version()));
}

}  // namespace onnxpress::cli
