// Renders a table of outputs for each runtime, the place where the difference begins, and the verdict.
#include "cli/screens/verify_screen.h"

#include <fmt/format.h>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

namespace {

std::string shown_decibels(const std::optional<double>& snr) { return snr ? fmt::format("{:.1f} dB", *snr) : ""; }
std::string share(const std::optional<double>& value) { return value ? fmt::format("{:.1f} %", *value * 100) : ""; }

std::string verdict_text(Verdict verdict, bool within_tolerance) {
  if (verdict != Verdict::kEqual) return std::string(word_of(verdict));
  return within_tolerance ? "within tolerance" : "within floor";
}

Ink ink_of(Verdict verdict) { return verdict == Verdict::kDiffers ? Ink::kBad : Ink::kGood; }

bool has_classes(const EngineReport& engine) {
  for (const VerifiedOutput& each : engine.outputs) {
    if (each.top1) return true;
  }
  return false;
}

std::string outputs_table(const EngineReport& engine, bool within_tolerance, const Screen& screen) {
  using Align = Table::Align;
  const bool classes = has_classes(engine);
  std::vector<Table::Column> columns = {{"output", Align::kLeft, true},
                                        {"type"},
                                        {"verdict"},
                                        {"max abs", Align::kRight},
                                        {"max rel", Align::kRight},
                                        {"ulps", Align::kRight},
                                        {"SNR", Align::kRight},
                                        {"cosine", Align::kRight},
                                        {"floor", Align::kRight, false, Ink::kFaint}};
  if (classes) {
    columns.push_back({"top-1", Align::kRight});
    columns.push_back({"top-5", Align::kRight});
  }
  Table table(columns);
  for (const VerifiedOutput& each : engine.outputs) {
    const bool same = each.verdict == Verdict::kIdentical;
    // Empty if nothing differs; a dash if the difference cannot be measured: other shapes, or no floats.
    const auto figure = [same](const std::optional<double>& value, const char* form) {
      if (same) return std::string();
      return value ? fmt::format(fmt::runtime(form), *value) : std::string("-");
    };
    std::vector<std::string> cells = {printable(each.output),
                                      printable(each.type),
                                      verdict_text(each.verdict, within_tolerance),
                                      figure(each.max_abs, "{:.2g}"),
                                      figure(each.max_rel, "{:.2g}"),
                                      figure(each.ulps, "{:.3g}"),
                                      each.max_abs ? shown_decibels(each.snr) : figure({}, ""),
                                      figure(each.cosine, "{:.6f}"),
                                      shown_decibels(each.floor_snr)};
    if (classes) {
      cells.push_back(share(each.top1));
      cells.push_back(share(each.top5));
    }
    table.add(std::move(cells));
  }
  return table.to_text(screen);
}

std::string engine_text(const EngineReport& engine, bool within_tolerance, const Screen& screen) {
  std::string out = fmt::format("{}, {}", inked(printable(engine.engine), Ink::kStrong, screen),
                                counted(engine.runs.size(), "set of inputs", "sets of inputs"));
  for (const std::string& size : engine.sizes) out += ", " + printable(size);
  out += '\n';
  if (!engine.reason.empty()) return out + fmt::format("  {}\n", printable(engine.reason));
  out += outputs_table(engine, within_tolerance, screen);
  if (!engine.stopped.empty()) out += fmt::format("  stopped at the time limit, {}\n", printable(engine.stopped));
  if (!engine.varies.empty()) out += fmt::format("  {}\n", printable(engine.varies));
  for (const VerifiedOutput& each : engine.outputs) {
    if (each.verdict != Verdict::kDiffers) continue;
    out += fmt::format("  {}: {}\n", printable(each.output), printable(each.why));
    if (each.not_finite > 0)
      out += fmt::format("  {}: {} infinite or not a number in one model only\n", printable(each.output),
                         counted(each.not_finite, "element", "elements"));
  }
  return out;
}

std::string location_text(const Location& location, const Screen& screen) {
  if (location.node.empty() && location.op.empty())
    return fmt::format("could not find where the difference begins: {}\n", printable(location.why));
  std::string out =
      fmt::format("the difference begins at {} ({}): {}\n", inked(printable(location.node), Ink::kStrong, screen),
                  printable(location.op), printable(location.why));
  if (location.values == 0) return out;  // found by comparing the files, because nothing could be run
  out += fmt::format("  {} of {} inner values were found in both; {} before it have the same bits\n",
                     with_commas(location.matched), with_commas(location.values), with_commas(location.same_before));
  constexpr std::size_t kShown = 12;
  Table table(
      {{"value", Table::Align::kLeft, true}, {"op"}, {"max abs", Table::Align::kRight}, {"SNR", Table::Align::kRight}});
  for (std::size_t i = 0; i < location.path.size(); ++i) {
    const bool hidden = location.path.size() > kShown && i >= kShown - 2 && i + 1 < location.path.size();
    if (hidden && i > kShown - 2) continue;
    const LocationStep& step = location.path[i];
    if (hidden) {
      table.add_remark(fmt::format("... {} more", location.path.size() - kShown + 1), "");
    } else {
      table.add({printable(step.value), printable(step.op), step.max_abs > 0 ? fmt::format("{:.2g}", step.max_abs) : "",
                 shown_decibels(step.snr)});
    }
  }
  return out + table.to_text(screen);
}

std::string verdict_line(const VerifyReport& report, const Screen& screen) {
  std::string text(word_of(report.verdict));
  if (report.verdict == Verdict::kEqual)
    text = report.within_tolerance ? "equal within the tolerance" : "equal within the floor";
  text = inked(text, ink_of(report.verdict), screen);
  if (report.verdict == Verdict::kDiffers) return text + "\n";
  if (report.structure.empty()) return text + ": both have the same nodes and constants, which proves it\n";
  return text + " on these inputs\n";
}

}  // namespace

std::string verify_screen(const VerifyReport& report, const Screen& screen) {
  std::string out;
  for (const std::string& each : report.notes) out += fmt::format("note: {}\n", printable(each));
  for (const std::string& each : report.interface) out += fmt::format("interface: {}\n", printable(each));
  for (const EngineReport& each : report.engines) out += engine_text(each, report.within_tolerance, screen);
  if (!report.metrics.empty()) {
    Table table({{""}, {"first", Table::Align::kRight}, {"second", Table::Align::kRight}});
    for (const MetricLine& each : report.metrics)
      table.add({printable(each.name), fmt::format("{:.6g}", each.first), fmt::format("{:.6g}", each.second)});
    out += table.to_text(screen);
  }
  if (!report.structure.empty()) out += fmt::format("first difference of the files: {}\n", printable(report.structure));
  if (report.location) out += location_text(*report.location, screen);
  return out + verdict_line(report, screen);
}

}  // namespace onnxpress::cli
