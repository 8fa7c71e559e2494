// Makes one Gelu of the nodes that compute it, where the opset has Gelu.
//
//   before: y = Mul(Mul(x, 0.5), Add(Erf(Div(x, 1.4142135)), 1))   and other orders; or with Tanh, the approximation
//   after:  y = Gelu(x)
#include "onnxpress/passes/pattern.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

#define ERF "Add(Erf((Div(x, 1.4142135623730951) | Mul(x, 0.7071067811865476))), 1)"
#define CUBE "(Pow(x, 3) | Mul(x, Mul(x, x)) | Mul(x, Pow(x, 2)))"
#define INNER                                                                    \
  "(Mul(Add(x, Mul(" CUBE                                                        \
  ", 0.044715)), 0.7978845608) | "                                               \
  "Mul(Mul(x, 0.7978845608), Add(Mul((Mul(x, x) | Pow(x, 2)), 0.044715), 1)) | " \
  "Mul(Mul(x, 0.7978845608), Add(Mul(Mul(x, 0.044715), x), 1)) | "               \
  "Mul(x, Mul(Add(Mul((Mul(x, x) | Pow(x, 2)), 0.044715), 1), 0.7978845608)))"
#define TANH "Add(Tanh(" INNER "), 1)"
// Half of x times the other factor, in every order.
#define HALVED(factor)                                                                \
  "(Mul(Mul(x, 0.5), " factor ") | Mul(Mul(x, " factor "), 0.5) | Mul(x, Mul(" factor \
  ", 0.5)) | "                                                                        \
  "Div(Mul(x, " factor "), 2) | Mul(Div(x, 2), " factor ") | Mul(x, Div(" factor ", 2)))"

bool apply_fuse_gelu(Node& node, Rewriter& rw) {
  static const Pattern kErf(HALVED(ERF)), kTanh(HALVED(TANH));
  if (const auto exact = kErf.find(node, rw)) return rw.replace(node, rw.make("Gelu", {(*exact)["x"]}));
  const auto match = kTanh.find(node, rw);
  return match && rw.replace(node, rw.make("Gelu", {(*match)["x"]}, {{"approximate", "tanh"}}));
}

constexpr std::string_view kFuseGeluRoots[] = {"Mul", "Div"};

}  // namespace

extern const Rewrite fuse_gelu;
const Rewrite fuse_gelu = {.name = "fuse-gelu",
                           .summary = "makes one Gelu of the nodes that compute it",
                           .exactness = Exactness::kReassociates,
                           .group = "fusion",
                           .roots = kFuseGeluRoots,
                           .apply = apply_fuse_gelu};

}  // namespace onnxpress::passes
