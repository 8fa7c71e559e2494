// Renders the report of one model as tables.
#include "cli/screens/shrink_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/screens/verified_text.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

std::string saved_text(const ModelBytes& before, const ModelBytes& after, bool unchanged) {
  if (unchanged) return "cannot get smaller";
  if (after.total() > before.total())
    return fmt::format("+{}", percent(after.total() - before.total(), before.total()));
  return fmt::format("-{}", percent(before.total() - after.total(), before.total()));
}

std::string sizes_heading(const std::string& file, const ModelBytes& before, const ModelBytes& after, bool unchanged,
                          const std::string& saved, const Screen& screen) {
  const std::string sizes = unchanged
                                ? exact_bytes(before.total())
                                : fmt::format("{} -> {}", exact_bytes(before.total()), exact_bytes(after.total()));
  return fmt::format("{}: {}, {}\n", inked(printable(file), Ink::kStrong, screen), sizes,
                     inked(saved, unchanged ? Ink::kPlain : Ink::kGood, screen));
}

namespace {

std::string signed_bytes(std::int64_t saved) {
  return saved >= 0 ? human_bytes(static_cast<std::uint64_t>(saved))
                    : "-" + human_bytes(static_cast<std::uint64_t>(-saved));
}

}  // namespace

std::string methods_table(const std::vector<MethodLine>& methods, const Screen& screen) {
  using Align = Table::Align;
  Table table({{"method"}, {"count", Align::kRight}, {"saved", Align::kRight}, {"", Align::kLeft, true, Ink::kFaint}});
  for (const MethodLine& line : methods)
    table.add({line.method, with_commas(line.count), signed_bytes(line.saved), line.summary});
  return table.empty() ? std::string() : table.to_text(screen);
}

std::string shrink_screen(const ShrinkReport& report, std::uint64_t top, const Screen& screen) {
  using Align = Table::Align;
  std::string out = sizes_heading(report.file, report.before, report.after, report.unchanged,
                                  saved_text(report.before, report.after, report.unchanged), screen);
  out += methods_table(report.methods, screen);
  if (!report.largest.empty() && top > 0) {
    out += inked("largest savings", Ink::kTitle, screen) + "\n";
    Table largest({{"tensor", Align::kLeft, true}, {"method"}, {"before", Align::kRight}, {"after", Align::kRight}});
    std::uint64_t shown = 0;
    for (const SavingLine& line : report.largest) {
      if (shown++ == top) break;
      largest.add({printable(line.tensor), line.method, human_bytes(line.before), human_bytes(line.after)});
    }
    out += largest.to_text(screen);
  }
  if (report.load_seconds)
    out += fmt::format("loads in {:.3f} s in ONNX Runtime, {:.3f} s before ({:.1f} x)\n", report.load_seconds->after,
                       report.load_seconds->before,
                       report.load_seconds->after / std::max(report.load_seconds->before, 1e-6));
  return out + verified_text({&report});
}

}  // namespace onnxpress::cli
