// Merges a Pad into the pool after it.
//
//   before: y = AveragePool(Pad(x, [0, 0, 1, 1, 0, 0, 1, 1]), kernel_shape = [3, 3])
//   after:  y = AveragePool(x, kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1)
//
// AveragePool then counts the padded zeros as elements, so it must already count its own padding, or have none, and
// must not round its size up. MaxPool pads with values that are never the maximum. A Pad with minus infinity does the
// same, and so does a Pad with a number that no element of x is below, if every window contains an element of x; pads
// smaller than the kernel ensure that. If every bit must stay, the number must be less than any element: of two zeros,
// either may be the maximum, and the standard leaves open what the maximum of NaN and a number is.
#include <algorithm>
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pads.h"

namespace onnxpress::passes {

namespace {

bool is_zero(const std::vector<std::int64_t>& list) {
  return std::ranges::all_of(list, [](std::int64_t each) { return each == 0; });
}

// Each pad must be smaller than the kernel; ONNX Runtime rejects larger ones.
bool fits(const std::vector<std::int64_t>& pads, const std::vector<std::int64_t>& kernel) {
  for (std::size_t i = 0; i < pads.size(); ++i) {
    if (kernel.size() * 2 != pads.size() || pads[i] >= kernel[i % kernel.size()]) return false;
  }
  return true;
}

// Whether no maximum can be a number of the Pad, because no element of x is below it.
bool is_never_the_maximum(double number, const Value* x, const Rewriter& rw) {
  const ops::Range& range = rw.fact(x).range;
  if (rw.must_keep_bits() && is_float(rw.element_of(x))) return range.finite && number < range.low;
  return number <= range.low;
}

bool apply_fuse_pad_pool(Node& pool, Rewriter& rw) {
  Node* pad = rw.producer(pool.input(0), "Pad");
  const auto padding = pad ? padding_of(*pad, rw) : std::nullopt;
  const auto params = rw.params(pool);
  const auto kernel = params.integers("kernel_shape"), dilations = params.integers("dilations");
  if (!padding || !kernel || params.flag("ceil_mode") || (pool.output(1) && pool.output(1)->is_used())) return false;
  if (dilations && std::ranges::any_of(*dilations, [](std::int64_t each) { return each != 1; })) return false;
  const auto pads = pads_with(pool, *padding, rw);
  if (!pads || !fits(*pads, *kernel)) return false;
  const auto own = params.integers("pads").value_or(std::vector<std::int64_t>());
  const bool averages = pool.is("AveragePool");
  if (averages) {
    const bool counts = params.flag("count_include_pad");
    if (padding->number != 0 || !(counts || is_zero(own))) return false;
    if (!counts && !rw.set_parameter(pool, {"count_include_pad", 1})) return false;
  } else {
    const bool is_least = padding->number == -std::numeric_limits<double>::infinity();
    // If the pool has pads of its own, a window may contain only numbers of the Pad and no element of x.
    if (!is_least && !(is_zero(own) && is_never_the_maximum(padding->number, pad->input(0), rw))) return false;
  }
  if (!rw.set_input(pool, 0, pad->input(0))) return false;
  set_pads(pool, *pads, rw);
  return true;
}

constexpr std::string_view kFusePadPoolRoots[] = {"AveragePool", "MaxPool"};

}  // namespace

extern const Rewrite fuse_pad_pool;
const Rewrite fuse_pad_pool = {.name = "fuse-pad-pool",
                               .summary = "merges a Pad into the pool after it, if that gives the same result",
                               .exactness = Exactness::kExact,
                               .group = "layers",
                               .large_pattern = true,
                               .roots = kFusePadPoolRoots,
                               .apply = apply_fuse_pad_pool};

}  // namespace onnxpress::passes
