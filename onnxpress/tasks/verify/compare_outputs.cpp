// Compares outputs for shrink --verify with tasks/verify; only the same bits count as equal.
#include "onnxpress/tasks/verify/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/engines/find_engine.h"
#include "onnxpress/engines/ort/ort_engine.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::tasks {

namespace {

[[noreturn]] void fail(const std::string& runtime, const std::string& what) {
  throw Error("verify", fmt::format("{} {}", runtime, what), "this is a bug in onnxpress; please report it");
}

std::string what_differs(const tasks::VerifyReport& report, const tasks::EngineReport& found) {
  if (!found.reason.empty()) return found.reason;
  for (const tasks::VerifiedOutput& each : found.outputs) {
    if (each.verdict == tasks::Verdict::kIdentical) continue;
    return fmt::format(
        "gives different bits for output {}: {}", quote_name(each.output),
        each.why.empty() ? fmt::format("{} of {} elements differ", each.different, each.elements) : each.why);
  }
  return fmt::format("finds a different interface in the result: {}", fmt::join(report.interface, ", "));
}

}  // namespace

tasks::OutputComparison compare_outputs(const std::shared_ptr<const engines::OnnxRuntime>& runtime,
                                        const tasks::ModelPair& pair) {
  if (!runtime) return {.reason = "no ONNX Runtime was found", .hint = engines::kHowToGet};
  tasks::VerifyOptions options;
  options.load = pair.load;
  options.further = pair.further;
  options.seconds = 5;  // the structure has been compared as well
  tasks::LoadedModel first = tasks::load_model(pair.original, pair.load);
  tasks::LoadedModel second = tasks::load_model(pair.result, pair.load);
  return compare_outputs(engines::ort_engine(runtime), first.model, second.model, options);
}

tasks::OutputComparison compare_outputs(const std::shared_ptr<const engines::Engine>& engine, Model& original,
                                        Model& result, const tasks::VerifyOptions& options) {
  tasks::OutputComparison compared;
  const tasks::VerifyReport report = tasks::compare_outputs(original, result, options, {engine});
  const tasks::EngineReport& found = report.engines.front();
  compared.runtime = found.runtime;
  if (!found.verdict) {
    compared.reason = found.reason;
    return compared;
  }
  if (report.verdict != tasks::Verdict::kIdentical) {
    if (found.varies.empty() || !found.reason.empty()) fail(found.runtime, what_differs(report, found));
    compared.reason = found.varies;
    return compared;
  }
  compared.same = true;
  compared.outputs = found.outputs.size();
  compared.runs = found.runs.size();
  return compared;
}

}  // namespace onnxpress::tasks
