// Fuses the nodes that compute Gelu into ONNX Runtime's Gelu, and those of its approximation into FastGelu.
//
//   before: y = Mul(Mul(x, 0.5), Add(Erf(Div(x, 1.4142135)), 1))   or with Tanh; or y = Gelu(x, approximate = "tanh")
//   after:  y = com.microsoft.Gelu(x)                              or y = com.microsoft.FastGelu(x)
//
// The standard Gelu is as fast, so it stays if the opset has it.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/activations.h"

namespace onnxpress::passes {

namespace {

bool apply_ort_gelu(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.output(), rw)) return false;
  if (node.is("Gelu")) {
    const bool is_tanh = rw.params(node).text_or("approximate", "none") == "tanh";
    return is_tanh && rw.replace(node, make_ort("FastGelu", {node.input(0)}, {}, rw));
  }
  const auto found = find_gelu(node, rw);
  return found && rw.replace(node, make_ort(found->tanh ? "FastGelu" : "Gelu", {found->x}, {}, rw));
}

constexpr std::string_view kOrtGeluRoots[] = {"Mul", "Div", "Gelu"};

}  // namespace

extern const Rewrite ort_gelu;
const Rewrite ort_gelu = {.name = "ort-gelu",
                          .summary = "fuses the nodes that compute Gelu into ONNX Runtime's Gelu or FastGelu",
                          .exactness = Exactness::kReassociates,
                          .group = "ort",
                          .large_pattern = true,
                          .roots = kOrtGeluRoots,
                          .apply = apply_ort_gelu};

}  // namespace onnxpress::passes
