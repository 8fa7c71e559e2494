// Removes a Pad that adds nothing.
//
//   before: y = Pad(x, [0, 0, 0, 0])
//   after:  readers of y read x
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_pad(Node& pad, Rewriter& rw) {
  const auto params = rw.params(pad);
  auto pads = params.integers("pads");
  if (!pads) pads = params.integers("paddings");
  if (!pads) return rw.refuse("its pads are not constant");
  if (std::ranges::any_of(*pads, [](std::int64_t each) { return each != 0; })) return rw.refuse("its pads are not 0");
  return rw.replace(pad, pad.input(0));
}

constexpr std::string_view kRemovePadRoots[] = {"Pad"};

}  // namespace

extern const Rewrite remove_pad;
const Rewrite remove_pad = {.name = "remove-pad",
                            .summary = "removes a Pad that adds nothing",
                            .exactness = Exactness::kExact,
                            .group = "no_ops",
                            .roots = kRemovePadRoots,
                            .apply = apply_remove_pad};

}  // namespace onnxpress::passes
