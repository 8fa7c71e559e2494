// Renders the report of one model as tables.
#include "cli/screens/shrink_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/screens/verified_text.h"
#include "cli/screens/weights_screen.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/table.h"

namespace onnxpress::cli {

std::string saved_text(const tasks::ShrinkReport& report) {
  if (!report.refused.empty()) return "not written";
  if (report.unchanged) return "cannot get smaller";
  const std::uint64_t before = report.before.total(), after = report.after.total();
  if (after > before)
    return fmt::format("+{}", percent(after - before, before));  // by the names of new inputs, for example
  return fmt::format("-{}", percent(before - after, before));
}

namespace {

std::string heading(const tasks::ShrinkReport& report, const Screen& screen) {
  const std::string sizes =
      report.unchanged ? exact_bytes(report.before.total())
                       : fmt::format("{} -> {}", exact_bytes(report.before.total()), exact_bytes(report.after.total()));
  return fmt::format("{}: {}, {}\n", inked(printable(report.file), Ink::kStrong, screen), sizes,
                     inked(saved_text(report), report.unchanged ? Ink::kPlain : Ink::kGood, screen));
}

std::string signed_bytes(std::int64_t saved) {
  return saved >= 0 ? human_bytes(static_cast<std::uint64_t>(saved))
                    : "-" + human_bytes(static_cast<std::uint64_t>(-saved));
}

}  // namespace

std::string shrink_screen(const tasks::ShrinkReport& report, std::uint64_t top, const Screen& screen) {
  using Align = Table::Align;
  std::string out = heading(report, screen);
  Table methods(
      {{"method"}, {"count", Align::kRight}, {"saved", Align::kRight}, {"", Align::kLeft, true, Ink::kFaint}});
  for (const tasks::MethodLine& line : report.methods)
    methods.add({line.method, with_commas(line.count), signed_bytes(line.saved), line.summary});
  if (!methods.empty()) out += methods.to_text(screen);
  if (!report.largest.empty()) {
    out += inked("largest savings", Ink::kTitle, screen) + "\n";
    Table largest({{"tensor", Align::kLeft, true}, {"method"}, {"before", Align::kRight}, {"after", Align::kRight}});
    for (const tasks::SavingLine& line : report.largest)
      largest.add({printable(line.tensor), line.method, human_bytes(line.before), human_bytes(line.after)});
    out += largest.to_text(screen);
  }
  if (report.weights) out += weights_screen(*report.weights, top, screen);
  if (report.compressed_before && report.compressed_after) {
    out += inked("as a download", Ink::kTitle, screen) + "\n";
    Table sizes({{"compressed by"}, {"before", Align::kRight}, {"after", Align::kRight}, {"saved", Align::kRight}});
    const auto add = [&](const char* name, std::uint64_t before, std::uint64_t after) {
      const std::string saved =
          after <= before ? "-" + percent(before - after, before) : "+" + percent(after - before, before);
      sizes.add({name, human_bytes(before), human_bytes(after), saved});
    };
    add("gzip -9", report.compressed_before->gzip, report.compressed_after->gzip);
    add("brotli -11", report.compressed_before->brotli, report.compressed_after->brotli);
    add("zstd -19", report.compressed_before->zstd, report.compressed_after->zstd);
    out += sizes.to_text(screen);
  }
  if (report.download) out += fmt::format("as a download: {}\n", exact_bytes(*report.download));
  if (report.load_seconds)
    out += fmt::format("loads in {:.3f} s in ONNX Runtime, {:.3f} s before ({:.1f} x)\n", report.load_seconds->after,
                       report.load_seconds->before,
                       report.load_seconds->after / std::max(report.load_seconds->before, 1e-6));
  if (!report.extracted.empty()) {
    out += inked("inputs to feed", Ink::kTitle, screen) + "\n";
    Table inputs({{"input", Align::kLeft, true}, {"file", Align::kLeft, true}, {"bytes", Align::kRight}});
    for (const tasks::ExtractedLine& line : report.extracted)
      inputs.add({printable(line.input), printable(line.file), human_bytes(line.bytes)});
    out += inputs.to_text(screen);
  }
  return out + verified_text({&report});
}

}  // namespace onnxpress::cli
