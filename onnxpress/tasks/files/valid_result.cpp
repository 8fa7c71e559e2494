// Runs the check on a result, and on the original if there are findings.
#include "onnxpress/tasks/files/valid_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "onnxpress/analysis/check/check.h"
#include "onnxpress/base/error.h"

namespace onnxpress {

namespace {

using analysis::Finding;
using analysis::Findings;

// External files are compared with what was meant when the result is read back, and they may not have their final
// names yet.
Findings faults_of(Model& model) {
  return analysis::check(model, {.external_files = false, .kept_findings = std::numeric_limits<std::size_t>::max()});
}

// Warnings count, too: what a runtime sees late in the original, it may see at once in the result, which declares more
// types.
std::set<std::string_view> known_faults(const Findings& findings) {
  std::set<std::string_view> codes;
  for (const Finding& each : findings.kept) {
    if (each.severity != Severity::kNote) codes.insert(each.code);
  }
  // A value that is read outside of its body is undefined there once the body no longer defines it.
  if (codes.contains("out-of-scope")) codes.insert({"undefined-input", "undefined-output"});
  return codes;
}

// Could the same node be valid in another version of its operator?
bool depends_on_opset(std::string_view code) {
  constexpr std::array<std::string_view, 8> kCodes = {"unsupported-type",  "unknown-op",    "input-count",
                                                      "unknown-attribute", "missing-input", "missing-attribute",
                                                      "attribute-type",    "deprecated-op"};
  return std::ranges::find(kCodes, code) != kCodes.end();
}

}  // namespace

void require_valid_result(Model& result, const OriginalModel& original) {
  const Findings found = faults_of(result);
  if (found.count(Severity::kError) == 0) return;
  std::set<std::string_view> known;
  if (original) {
    Model before = original();
    known = known_faults(faults_of(before));
  }
  const auto is_new = [&](const Finding& each) {
    return each.severity == Severity::kError && !known.contains(each.code);
  };
  const auto fault = std::ranges::find_if(found.kept, is_new);
  if (fault == found.kept.end()) return;
  throw Error(fault->where,
              fmt::format("the result would not be a valid model, so it was not written: {}", fault->message),
              depends_on_opset(fault->code)
                  ? "this may be possible in a newer opset: raise it first (`optimize`, option `opset`)"
                  : "this is a fault of onnxpress: please report it with the model and the options");
}

}  // namespace onnxpress
