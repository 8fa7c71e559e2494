// Renders a table of models, a table of nodes, and the notes about both.
#include "cli/screens/bench_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

template <typename T, typename Show>
std::string if_any(const std::optional<T>& value, const Show& show) {
  return value ? show(*value) : "";
}

std::string speed_text(const BenchReport& report, const BenchRow& row) {
  if (!row.speed || &row == &report.rows.front()) return "";
  return fmt::format("{:.2f}x{}", *row.speed, row.in_noise ? " ~" : "");
}

std::string error_text(const BenchReport& report, const BenchRow& row) {
  if (!row.median || &row == &report.rows.front()) return "";
  if (row.same_bits) return "same bits";
  return row.snr ? fmt::format("{:.1f} dB{}", *row.snr, row.in_floor ? " ~" : "") : "differs";
}

bool any(const BenchReport& report, const std::function<bool(const BenchRow&)>& has) {
  return std::ranges::any_of(report.rows, has);
}
bool has_brotli(const BenchReport& report) {
  return any(report, [](const BenchRow& row) { return row.brotli.has_value(); });
}
bool has_top1(const BenchReport& report) {
  return any(report, [](const BenchRow& row) { return row.top1.has_value(); });
}
bool has_variants(const BenchReport& report) {
  return any(report, [](const BenchRow& row) { return row.made_seconds.has_value(); });
}

std::string nodes_text(const NodeTimes& times, const Screen& screen) {
  using Align = Table::Align;
  constexpr std::size_t kShown = 20;
  Table table({{"node", Align::kLeft, true},
               {"op"},
               {"time", Align::kRight},
               {"share", Align::kRight},
               {"MACs", Align::kRight},
               {"bytes", Align::kRight},
               {"GFLOP/s", Align::kRight},
               {"GB/s", Align::kRight}});
  for (std::size_t i = 0; i < times.nodes.size() && i < kShown; ++i) {
    const NodeTime& each = times.nodes[i];
    const auto one_digit = [](double number) { return fmt::format("{:.1f}", number); };
    table.add({printable(each.node), printable(each.op), human_seconds(each.seconds),
               fmt::format("{:.1f} %", each.share * 100), if_any(each.macs, human_count),
               if_any(each.bytes, human_bytes), if_any(each.gflops, one_digit), if_any(each.gbytes, one_digit)});
  }
  if (times.nodes.size() > kShown) table.add_remark(fmt::format("... {} more", times.nodes.size() - kShown), "");
  return fmt::format("nodes of the first model: {} a run, {} of {} found in the model\n", human_seconds(times.seconds),
                     times.joined, times.nodes.size()) +
         table.to_text(screen);
}

// How reliable the measurement is.
std::string noise_text(const BenchReport& report) {
  if (!report.noise) return {};
  return fmt::format(
      "noise: two processes with the first model are {:.1f} % apart{}; ~ marks differences within the noise\n",
      *report.noise * 100, report.noisy ? ", so this machine is noisy right now" : "");
}

}  // namespace

std::string bench_floor_text(const BenchReport& report) {
  if (!report.floor_snr) return {};
  return fmt::format(
      "rounding: the first model is {:.1f} dB from itself without the runtime's optimizations and packed "
      "weights{}",
      *report.floor_snr,
      any(report, [](const BenchRow& row) { return row.in_floor; }) ? "; ~ marks errors that this explains" : "");
}

std::string human_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

std::vector<std::string> bench_titles(const BenchReport& report) {
  std::vector<std::string> titles = {"model", "size", "gzip"};
  if (has_brotli(report)) titles.emplace_back("brotli");
  titles.insert(titles.end(), {"nodes", "params", "MACs", "load", "first run", "median", "p95", "runs/s", "speed",
                               "memory", "error"});
  if (has_top1(report)) titles.emplace_back("top-1");
  if (has_variants(report)) titles.emplace_back("made in");
  return titles;
}

std::vector<std::string> bench_cells(const BenchReport& report, const BenchRow& row) {
  std::vector<std::string> cells = {printable(row.name), human_bytes(row.bytes), if_any(row.gzip, human_bytes)};
  if (has_brotli(report)) cells.push_back(if_any(row.brotli, human_bytes));
  cells.insert(cells.end(),
               {row.nodes > 0 ? with_commas(row.nodes) : "", row.nodes > 0 ? human_count(row.parameters) : "",
                if_any(row.macs, human_count), if_any(row.load, human_seconds), if_any(row.first_run, human_seconds),
                if_any(row.median, human_seconds), if_any(row.p95, human_seconds),
                if_any(row.throughput, [](double number) { return fmt::format("{:.4g}", number); }),
                speed_text(report, row), if_any(row.memory, human_bytes), error_text(report, row)});
  if (has_top1(report))
    cells.push_back(if_any(row.top1, [](double share) { return fmt::format("{:.1f} %", share * 100); }));
  if (has_variants(report)) cells.push_back(if_any(row.made_seconds, human_seconds));
  return cells;
}

std::string bench_screen(const BenchReport& report, const Screen& screen) {
  std::vector<Table::Column> columns;
  for (const std::string& title : bench_titles(report))
    columns.push_back({title, columns.empty() ? Table::Align::kLeft : Table::Align::kRight, columns.empty()});
  Table table(columns);
  for (const BenchRow& row : report.rows) {
    if (row.bytes == 0)
      table.add_remark(printable(row.name), printable(row.error));
    else
      table.add(bench_cells(report, row));
  }
  std::string out = table.to_text(screen, 0);
  for (const BenchRow& row : report.rows) {
    if (!row.error.empty() && row.bytes > 0) out += fmt::format("{}: {}\n", printable(row.name), printable(row.error));
    if (row.errors > 0)
      out += fmt::format("{}: check finds {}\n", printable(row.name), counted(row.errors, "error", "errors"));
  }
  for (const std::string& note : report.notes) out += fmt::format("note: {}\n", printable(note));
  if (!report.runtime.empty())
    out += fmt::format("{}, {}, {} in turns, inputs: {}\n", printable(report.runtime),
                       report.threads == 0 ? "default threads" : counted(report.threads, "thread", "threads"),
                       counted(report.rounds, "round", "rounds"), printable(report.inputs));
  out += noise_text(report);
  if (const std::string floor = bench_floor_text(report); !floor.empty()) out += floor + "\n";
  if (report.nodes) out += nodes_text(*report.nodes, screen);
  return out;
}

std::string bench_markdown(const BenchReport& report) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) {
      out += ' ';
      for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c);
      out += " |";
    }
    return out + "\n";
  };
  const std::vector<std::string> titles = bench_titles(report);
  std::string out = line(titles) + "|---|";
  for (std::size_t i = 1; i < titles.size(); ++i) out += "---:|";
  out += "\n";
  for (const BenchRow& row : report.rows) {
    out += row.bytes > 0 ? line(bench_cells(report, row)) : line({printable(row.name), printable(row.error)});
  }
  if (!report.runtime.empty()) out += fmt::format("\n{}; {}", report.runtime, noise_text(report));
  if (const std::string floor = bench_floor_text(report); !floor.empty()) out += fmt::format("\n{}\n", floor);
  return out;
}

}  // namespace onnxpress::cli
