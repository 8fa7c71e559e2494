// Writes the iterations of a Scan one after the other.
//
//   before: y = Scan(a, x) <body = (s, e) => {t = Add(s, e)} (t), num_scan_inputs = 1>   with x of [3, n]
//   after:  y = Add(Add(Add(a, x[0]), x[1]), x[2])
//
// The length of what is scanned is known and small: iterations times nodes. A result for each iteration becomes a
// Concat.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/passes/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

constexpr std::int64_t kMostScanNodes = 48;

// Axes or directions of what is scanned: 0 where the node does not say.
std::optional<std::vector<std::int64_t>> list_of(const Node& scan, std::string_view name, std::size_t size,
                                                 const Rewriter& rw) {
  const auto params = rw.params(scan);
  if (!params.given(name)) return std::vector<std::int64_t>(size, 0);
  const auto list = params.integers(name);
  return list && list->size() == size ? list : std::nullopt;
}

// How often the body runs: as long as all operands are that are scanned; nullopt when that is not known.
std::optional<std::int64_t> length_of(const Node& scan, std::size_t states, const std::vector<std::int64_t>& axes,
                                      const Rewriter& rw) {
  std::optional<std::int64_t> length;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto shape = rw.shape_of(scan.input(states + i));
    const auto axis = shape ? ops::normal_axis(axes[i], shape->size()) : std::nullopt;
    const auto size = axis ? (*shape)[*axis].size() : std::nullopt;
    if (!size || (length && length != size)) return std::nullopt;
    length = size;
  }
  return length;
}

bool apply_unroll_scan(Node& scan, Rewriter& rw) {
  const auto params = rw.params(scan);
  const Graph* body = params.graph("body");
  const auto scanned = params.integer("num_scan_inputs");
  // The first version has batches, and an operand more.
  if (!body || !scanned || *scanned < 1 || body->inputs().size() != scan.input_count() ||
      body->outputs().size() != scan.output_count() || scan.input_count() < static_cast<std::size_t>(*scanned))
    return false;
  const std::size_t states = scan.input_count() - static_cast<std::size_t>(*scanned);
  if (scan.output_count() < states) return false;
  const std::size_t collects = scan.output_count() - states;
  const auto axes = list_of(scan, "scan_input_axes", scan.input_count() - states, rw),
             backwards = list_of(scan, "scan_input_directions", scan.input_count() - states, rw),
             result_axes = list_of(scan, "scan_output_axes", collects, rw),
             result_backwards = list_of(scan, "scan_output_directions", collects, rw);
  if (!axes || !backwards || !result_axes || !result_backwards) return false;
  const auto length = length_of(scan, states, *axes, rw);
  if (!length || *length < 1 || *length * (nodes_in(*body) + *scanned) > kMostScanNodes) return false;
  Unroller unroller(*body, scan, rw);
  if (!unroller.can_copy()) return false;

  std::vector<Value*> results;
  for (std::size_t i = 0; i < states; ++i) results.push_back(scan.input(i));
  std::vector<std::vector<Value*>> collected(collects);
  for (std::int64_t i = 0; i < *length; ++i) {
    std::vector<Value*> inputs = results;
    for (std::size_t k = 0; k < axes->size(); ++k) {
      Value* at = rw.scalar(ElementType::kInt64, static_cast<double>((*backwards)[k] ? *length - 1 - i : i));
      inputs.push_back(rw.make("Gather", {scan.input(states + k), at}, {{"axis", (*axes)[k]}}));
    }
    if (std::ranges::find(inputs, nullptr) != inputs.end()) return false;
    const auto outputs = unroller.copy(inputs, *length > 1 ? fmt::format("iteration {} of ", i) : "");
    results.assign(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(states));
    for (std::size_t k = 0; k < collects; ++k)
      collected[k].push_back(
          rw.make("Unsqueeze", {outputs[states + k]}, {{"axes", std::vector<std::int64_t>{(*result_axes)[k]}}}));
  }
  for (std::size_t k = 0; k < collects; ++k) {
    if ((*result_backwards)[k]) std::ranges::reverse(collected[k]);
    const Parameter parameters[] = {{"axis", (*result_axes)[k]}};
    results.push_back(*length == 1 ? collected[k].front() : rw.make("Concat", collected[k], parameters));
  }
  return unroller.finish(results);
}

constexpr std::string_view kUnrollScanRoots[] = {"Scan"};

}  // namespace

extern const Rewrite unroll_scan;
const Rewrite unroll_scan = {.name = "unroll-scan",
                             .summary = "writes the iterations of a short Scan one after the other",
                             .exactness = Exactness::kExact,
                             .group = "control flow",
                             .roots = kUnrollScanRoots,
                             .apply = apply_unroll_scan};

}  // namespace onnxpress::passes
