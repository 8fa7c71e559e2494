// Uses the approximation of Gelu, which is faster. Numbers differ by up to 5e-4.
//
//   before: y = Gelu(x)
//   after:  y = Gelu(x, approximate = "tanh")
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_approximate_gelu(Node& node, Rewriter& rw) {
  if (rw.params(node).text_or("approximate", "none") != "none") return false;
  return rw.set_parameter(node, {"approximate", "tanh"});
}

constexpr std::string_view kApproximateGeluRoots[] = {"Gelu"};

}  // namespace

extern const Rewrite approximate_gelu;
const Rewrite approximate_gelu = {.name = "approximate-gelu",
                                  .summary = "uses the approximation of Gelu, which is faster",
                                  .exactness = Exactness::kApproximate,
                                  .group = "approximate",
                                  .large_pattern = true,
                                  .roots = kApproximateGeluRoots,
                                  .apply = apply_approximate_gelu};

}  // namespace onnxpress::passes
