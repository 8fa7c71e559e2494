// Unrolls a Scan: writes its iterations one after another.
//
//   before: y = Scan(a, x) <body = (s, e) => {t = Add(s, e)} (t), num_scan_inputs = 1>   with x of [1, n]
//   after:  y = Add(a, x[0])
//
// The number of iterations must be known. Nodes that are constant in an iteration are folded, and no more may be left
// than the Scan and its body have. Scan outputs become a Concat.
#include <algorithm>
#include <optional>
#include <tuple>

#include "onnxpress/passes/regions/body_copies.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

// The axes or directions of the scanned values; 0 where the node does not give them. A direction must be 0 or 1.
std::optional<std::vector<std::int64_t>> list_of(const Node& scan, std::string_view name, std::size_t size,
                                                 const Rewriter& rw) {
  const auto params = rw.params(scan);
  if (!params.given(name)) return std::vector<std::int64_t>(size, 0);
  const auto list = params.integers(name);
  const bool is_direction = name.ends_with("directions");
  const auto is_odd = [](std::int64_t each) { return each != 0 && each != 1; };
  if (!list || list->size() != size || (is_direction && std::ranges::any_of(*list, is_odd))) return std::nullopt;
  return list;
}

struct ScanForm {
  std::size_t states = 0;
  std::vector<std::int64_t> axes, backwards, result_axes, results_backwards;
  std::int64_t length = 0;  // how often the body runs: the length of all scanned operands
};

std::optional<ScanForm> scan_form(const Node& scan, const Graph& body, const Rewriter& rw) {
  const auto count = rw.params(scan).integer("num_scan_inputs");
  // The first version has batches and one more operand, so it is rejected here.
  if (!count || *count < 1 || body.inputs().size() != scan.input_count() ||
      body.outputs().size() != scan.output_count() || scan.input_count() < static_cast<std::size_t>(*count))
    return std::nullopt;
  ScanForm form;
  const auto scanned = static_cast<std::size_t>(*count);
  form.states = scan.input_count() - scanned;
  if (scan.output_count() < form.states) return std::nullopt;
  const std::size_t collected = scan.output_count() - form.states;
  const std::tuple<std::string_view, std::size_t, std::vector<std::int64_t>*> lists[] = {
      {"scan_input_axes", scanned, &form.axes},
      {"scan_input_directions", scanned, &form.backwards},
      {"scan_output_axes", collected, &form.result_axes},
      {"scan_output_directions", collected, &form.results_backwards}};
  for (const auto& [name, size, into] : lists) {
    const auto list = list_of(scan, name, size, rw);
    if (!list) return std::nullopt;
    *into = *list;
  }
  for (std::size_t i = 0; i < scanned; ++i) {
    const auto shape = rw.shape_of(scan.input(form.states + i));
    const auto axis = shape ? ops::normal_axis(form.axes[i], shape->size()) : std::nullopt;
    const auto size = axis ? (*shape)[*axis].size() : std::nullopt;
    if (!size || (i > 0 && form.length != *size)) return std::nullopt;
    form.length = *size;
  }
  return form;
}

bool apply_unroll_scan(Node& scan, Rewriter& rw) {
  const Graph* body = rw.params(scan).graph("body");
  const auto form = body ? scan_form(scan, *body, rw) : std::nullopt;
  if (!form) return false;
  Unroller unroller(*body, scan, rw);
  if (!unroller.can_unroll(form->length, static_cast<std::int64_t>(form->axes.size()))) return false;

  Iterations iterations;
  iterations.count = form->length;
  for (std::size_t i = 0; i < form->states; ++i) iterations.states.push_back(scan.input(i));
  for (std::size_t k = 0; k < form->result_axes.size(); ++k)
    iterations.collected.push_back({form->result_axes[k], form->results_backwards[k] != 0});
  iterations.inputs = [&](std::int64_t i, std::vector<Value*> states) {
    for (std::size_t k = 0; k < form->axes.size(); ++k) {
      Value* at = rw.scalar(ElementType::kInt64, static_cast<double>(form->backwards[k] ? form->length - 1 - i : i));
      states.push_back(rw.make("Gather", {scan.input(form->states + k), at}, {{"axis", form->axes[k]}}));
    }
    return states;
  };
  return unroller.unroll(iterations);
}

constexpr std::string_view kUnrollScanRoots[] = {"Scan"};

}  // namespace

extern const Rewrite unroll_scan;
const Rewrite unroll_scan = {.name = "unroll-scan",
                             .summary = "unrolls a Scan, if that leaves no more nodes",
                             .exactness = Exactness::kExact,
                             .group = "control_flow",
                             .roots = kUnrollScanRoots,
                             .apply = apply_unroll_scan};

}  // namespace onnxpress::passes
