// Fuses x times the Sigmoid of x, or of a multiple of x, into QuickGelu.
//
//   before: y = Mul(x, Sigmoid(Mul(x, 1.702)))
//   after:  y = com.microsoft.QuickGelu(x, alpha = 1.702)
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/pattern.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_quick_gelu(Node& node, Rewriter& rw) {
  static const Pattern kPlain("Mul(x, Sigmoid(x))"), kScaled("Mul(x, Sigmoid(Mul(x, #alpha)))");
  if (!is_for_ort(node.output(), rw)) return false;
  auto match = kPlain.find(node, rw);
  if (!match) match = kScaled.find(node, rw);
  if (!match) return false;
  const double alpha = match->has_number("alpha") ? match->number("alpha") : 1;
  return rw.replace(node, make_ort("QuickGelu", {(*match)["x"]}, {{"alpha", alpha}}, rw));
}

constexpr std::string_view kOrtQuickGeluRoots[] = {"Mul"};

}  // namespace

extern const Rewrite ort_quick_gelu;
const Rewrite ort_quick_gelu = {.name = "ort-quick-gelu",
                                .summary = "fuses x times the Sigmoid of x into ONNX Runtime's QuickGelu",
                                .exactness = Exactness::kReassociates,
                                .group = "ort",
                                .large_pattern = true,
                                .roots = kOrtQuickGeluRoots,
                                .apply = apply_ort_quick_gelu};

}  // namespace onnxpress::passes
