// Merges two Pads into one.
//
//   before: y = Pad(Pad(x, [0, 1, 0, 1]), [1, 0, 1, 0])
//   after:  y = Pad(x, [1, 1, 1, 1])
//
// Both pad with the same number, and neither takes anything away.
#include <algorithm>
#include <cmath>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"

namespace onnxpress::passes {

namespace {

// A number is read as a double, which may not hold a large integer.
bool is_known(double number) { return std::isinf(number) || std::abs(number) < 0x1p53; }

bool same(double a, double b) { return is_known(a) && a == b && std::signbit(a) == std::signbit(b); }

bool apply_merge_pads(Node& pad, Rewriter& rw) {
  Node* inner = rw.sole_producer(pad.input(0), "Pad");
  if (!inner) return false;
  const auto first = padding_of(*inner, rw), second = padding_of(pad, rw);
  if (!first || !second || !same(first->number, second->number) || first->begin.size() != second->begin.size())
    return false;
  std::vector<std::int64_t> pads;
  const auto add = [&](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) pads.push_back(a[i] < 0 || b[i] < 0 ? -1 : a[i] + b[i]);
  };
  add(first->begin, second->begin);
  add(first->end, second->end);
  if (std::ranges::any_of(pads, [](std::int64_t each) { return each < 0; })) return false;
  std::vector<Parameter> parameters = {{"pads", pads}};
  if (first->number != 0 || std::signbit(first->number))
    parameters.emplace_back(pad_number_name(*pad.graph(), rw), first->number);
  Value* const operands[] = {inner->input(0)};
  return rw.replace(pad, rw.make("Pad", operands, parameters));
}

constexpr std::string_view kMergePadsRoots[] = {"Pad"};

}  // namespace

extern const Rewrite merge_pads;
const Rewrite merge_pads = {.name = "merge-pads",
                            .summary = "merges two Pads into one",
                            .exactness = Exactness::kExact,
                            .group = "moving_data",
                            .roots = kMergePadsRoots,
                            .apply = apply_merge_pads};

}  // namespace onnxpress::passes
