// Says whose outputs were compared, and why others were not.
#include "cli/screens/verified_text.h"

#include <fmt/format.h>

#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"

namespace onnxpress::cli {

namespace {

std::string outputs_text(const OutputComparison& outputs) {
  if (!outputs.same) return "; outputs were not compared: " + printable(outputs.reason);
  return fmt::format("; {} gives the same bits in {}", outputs.runtime,
                     outputs.outputs == 1 ? "the output" : fmt::format("all {} outputs", outputs.outputs));
}

}  // namespace

std::string verified_text(const std::vector<const ShrinkReport*>& reports) {
  std::uint64_t verified = 0, same = 0;
  const OutputComparison *good = nullptr, *bad = nullptr;
  for (const ShrinkReport* report : reports) {
    if (!report->verified) continue;
    ++verified;
    if (!report->outputs) continue;
    (report->outputs->same ? good : bad) = &*report->outputs;
    same += report->outputs->same ? 1 : 0;
  }
  if (verified == 0) return {};
  const std::string text = "verified: every tensor is the same, bit for bit";
  if (reports.size() == 1) return text + (good || bad ? outputs_text(good ? *good : *bad) : "") + "\n";
  if (!good) return text + (bad ? outputs_text(*bad) : "") + "\n";
  if (!bad) return fmt::format("{}; {} gives the same bits in the outputs of all of them\n", text, good->runtime);
  return fmt::format(
      "{}; {} gives the same bits in the outputs of {}; those of {} were not compared (--json says why)\n", text,
      good->runtime, same, verified - same);
}

std::string verified_hint(const std::vector<const ShrinkReport*>& reports) {
  for (const ShrinkReport* report : reports) {
    if (report->outputs && !report->outputs->hint.empty()) return fmt::format("hint: {}\n", report->outputs->hint);
  }
  return {};
}

}  // namespace onnxpress::cli
