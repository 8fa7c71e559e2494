// Compares outputs for shrink --verify with tasks/verify; only the same bits count as equal.
#include "onnxpress/tasks/verify/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

namespace {

[[noreturn]] void fail(const std::string& runtime, const std::string& what) {
  throw Error("verify", fmt::format("{} {}", runtime, what), "this is a bug in onnxpress; please report it");
}

std::string what_differs(const VerifyReport& report, const EngineReport& found) {
  if (!found.reason.empty()) return found.reason;
  for (const VerifiedOutput& each : found.outputs) {
    if (each.verdict == Verdict::kIdentical) continue;
    return fmt::format(
        "gives different bits for output {}: {}", quote_name(each.output),
        each.why.empty() ? fmt::format("{} of {} elements differ", each.different, each.elements) : each.why);
  }
  return fmt::format("finds a different interface in the result: {}", fmt::join(report.interface, ", "));
}

}  // namespace

OutputComparison compare_outputs(const std::shared_ptr<const engines::Engine>& engine, const Model& original,
                                 const Model& result) {
  if (!engine || engine->is_evaluator()) return {.reason = "no ONNX Runtime was found", .hint = engines::kHowToGet};
  VerifyCall options;
  options.engine = RuntimeChoice::kOrt;  // only its bits are of interest
  options.seconds = 5;                   // the structure has been compared as well
  OutputComparison compared;
  const VerifyResult report = verify_outputs(original, result, options, engines::Engines{engine});
  const EngineReport& found = report.engines.front();
  compared.runtime = found.engine;
  if (!found.verdict) {
    compared.reason = found.reason;
    return compared;
  }
  if (report.verdict != Verdict::kIdentical) {
    if (found.varies.empty() || !found.reason.empty()) fail(found.engine, what_differs(report, found));
    compared.reason = found.varies;
    return compared;
  }
  compared.same = true;
  compared.outputs = found.outputs.size();
  compared.runs = found.runs.size();
  return compared;
}

}  // namespace onnxpress
