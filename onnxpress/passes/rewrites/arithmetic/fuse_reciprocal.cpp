// Divides instead of multiplying by a reciprocal.
//
//   before: y = Mul(a, Reciprocal(x))   or Mul(a, Div(1, x))
//   after:  y = Div(a, x)
//
// The reciprocal must be read by nothing else.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool apply_fuse_reciprocal(Node& node, Rewriter& rw) {
  static const Pattern kPattern("Mul(a, (Reciprocal(x) | Div(1, x)))");
  const auto match = node.attributes().empty() ? kPattern.find(node, rw) : std::nullopt;
  if (!match || !is_float(rw.element_of((*match)["x"]))) return false;
  return rw.replace(node, rw.make("Div", {(*match)["a"], (*match)["x"]}));
}

constexpr std::string_view kFuseReciprocalRoots[] = {"Mul"};

}  // namespace

extern const Rewrite fuse_reciprocal;
const Rewrite fuse_reciprocal = {.name = "fuse-reciprocal",
                                 .summary = "divides instead of multiplying by a reciprocal",
                                 .exactness = Exactness::kReassociates,
                                 .group = "arithmetic",
                                 .large_pattern = true,
                                 .roots = kFuseReciprocalRoots,
                                 .apply = apply_fuse_reciprocal};

}  // namespace onnxpress::passes
