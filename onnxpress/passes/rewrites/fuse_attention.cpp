// Makes one Attention of the nodes that compute it, where the opset has it.
//
//   before: y = MatMul(Softmax(Add(MatMul(Mul(q, 0.125), Transpose(k)), mask)), v)
//   after:  y = Attention(q, k, v, mask, scale = 0.125)
//
// Of four dims, [batch, heads, length, size], with as many heads for all. The Transpose swaps the last two axes of k,
// the Softmax runs over the last one, and the mask, if there is one, has the shape of the scores, or 1 in front.
#include <cmath>

#include "onnxpress/passes/pattern.h"
#include "onnxpress/passes/permutation.h"
#include "onnxpress/passes/rewrite.h"

namespace onnxpress::passes {

namespace {

#define SCALED_Q "(Mul(q, #a) | Div(q, #b) | q)"
#define SCALED_K "(Mul(t = Transpose(k), #c) | Div(t = Transpose(k), #d) | t = Transpose(k))"
#define SCORES                                                                                \
  "(Mul(m = MatMul(" SCALED_Q ", " SCALED_K "), #e) | Div(m = MatMul(" SCALED_Q ", " SCALED_K \
  "), #f) | "                                                                                 \
  "m = MatMul(" SCALED_Q ", " SCALED_K "))"

double scale_of(const Match& match) {
  double scale = 1;
  for (const std::string_view times : {"a", "c", "e"}) scale *= match.has_number(times) ? match.number(times) : 1;
  for (const std::string_view over : {"b", "d", "f"}) scale /= match.has_number(over) ? match.number(over) : 1;
  return scale;
}

// The shape of the scores [batch, heads, rows, columns]: all of it, or 1 for batch and heads.
bool fits(const ops::Shape& mask, const ops::Shape& scores, Rewriter& rw) {
  if (mask.size() < 2 || mask.size() > 4) return false;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t axis = 4 - mask.size() + i;
    if (!rw.dims().equal(mask[i], scores[axis]) && !(axis < 2 && mask[i].size() == 1)) return false;
  }
  return true;
}

bool apply_fuse_attention(Node& node, Rewriter& rw) {
  static const Pattern kPattern("MatMul(s = Softmax((Add(" SCORES ", mask) | " SCORES ")), v)");
  const auto match = kPattern.find(node, rw);
  if (!match) return false;
  Value *q = (*match)["q"], *k = (*match)["k"], *v = (*match)["v"], *mask = (*match)["mask"];
  const auto left = rw.shape_of(q), right = rw.shape_of(k), values = rw.shape_of(v),
             scores = rw.shape_of((*match)["m"]);
  if (!left || !right || !values || !scores || left->size() != 4 || right->size() != 4 || values->size() != 4)
    return false;
  for (const std::size_t axis : {0, 1}) {
    if (!rw.dims().equal((*left)[axis], (*right)[axis]) || !rw.dims().equal((*left)[axis], (*values)[axis]))
      return false;
  }
  const std::int64_t axis = rw.params(*match->node("s")).integer_or("axis", -1);
  if ((axis != -1 && axis != 3) || perm_of(*match->node("t"), rw) != Permutation{0, 1, 3, 2}) return false;
  if (mask) {
    const auto shape = rw.shape_of(mask);
    if (!shape || !fits(*shape, *scores, rw) || rw.element_of(mask) != rw.element_of(q)) return false;
  }
  const double scale = scale_of(*match);
  if (!std::isnormal(scale) || scale < 0) return false;
  return rw.replace(node, rw.make("Attention", {q, k, v, mask}, {{"scale", scale}}));
}

constexpr std::string_view kFuseAttentionRoots[] = {"MatMul"};

}  // namespace

extern const Rewrite fuse_attention;
const Rewrite fuse_attention = {.name = "fuse-attention",
                                .summary = "makes one Attention of the nodes that compute it",
                                .exactness = Exactness::kReassociates,
                                .group = "fusion",
                                .roots = kFuseAttentionRoots,
                                .apply = apply_fuse_attention};

}  // namespace onnxpress::passes
