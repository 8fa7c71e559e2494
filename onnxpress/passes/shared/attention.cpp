// The pattern of attention, and the conditions on its shapes.
#include "onnxpress/passes/shared/attention.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/passes/shared/pattern.h"

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

// Whether the mask has the shape of the scores [batch, heads, rows, columns], where batch and heads may be 1 or
// missing.
bool fits(const ops::Shape& mask, const ops::Shape& scores, Rewriter& rw) {
  if (mask.size() < 2 || mask.size() > 4) return false;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const std::size_t axis = 4 - mask.size() + i;
    if (!rw.dims().equal(mask[i], scores[axis]) && !(axis < 2 && mask[i].size() == 1)) return false;
  }
  return true;
}

}  // namespace

std::optional<AttentionMatch> find_attention(Node& node, Rewriter& rw) {
  static const Pattern kPattern("MatMul(s = Softmax((Add(" SCORES ", mask) | " SCORES ")), v)");
  const auto match = kPattern.find(node, rw);
  if (!match) return std::nullopt;
  AttentionMatch found{(*match)["q"], (*match)["k"], (*match)["v"], {}, (*match)["mask"], scale_of(*match), {}};
  const auto q = rw.shape_of(found.q), k = rw.shape_of((*match)["t"]), v = rw.shape_of(found.v),
             scores = rw.shape_of((*match)["m"]);
  const auto perm = perm_of(*match->node("t"), rw);
  if (!q || !k || !v || !scores || !perm || q->size() != 4 || k->size() != 4 || v->size() != 4) return std::nullopt;
  for (const std::size_t axis : {0, 1}) {
    if (!rw.dims().equal((*q)[axis], (*k)[axis]) || !rw.dims().equal((*q)[axis], (*v)[axis])) return std::nullopt;
  }
  found.from_k = *perm;
  found.scores = *scores;
  const std::int64_t axis = rw.params(*match->node("s")).integer_or("axis", -1);
  if (axis != -1 && axis != 3) return std::nullopt;
  if (found.mask) {
    const auto shape = rw.shape_of(found.mask);
    if (!shape || !fits(*shape, *scores, rw) || rw.element_of(found.mask) != rw.element_of(found.q))
      return std::nullopt;
  }
  return std::isnormal(found.scale) && found.scale > 0 ? std::optional(found) : std::nullopt;
}

Value* keys_of(const AttentionMatch& match, Rewriter& rw) {
  const Permutation perm = composed(match.from_k, {0, 1, 3, 2});
  return moves_nothing(perm) ? match.k : rw.make("Transpose", {match.k}, {{"perm", perm}});
}

Value* unrepeated(const Value* value, const Rewriter& rw) {
  const Node* merge = rw.producer(value, "Reshape");
  const Node* expand = merge ? rw.producer(merge->input(0), "Expand") : nullptr;
  const Node* insert = nullptr;
  for (const std::string_view op : {"Unsqueeze", "Reshape"}) {
    if (expand && !insert) insert = rw.producer(expand->input(0), op);
  }
  if (!insert) return nullptr;
  const auto all = rw.shape_of(value), wide = rw.shape_of(expand->output()), narrow = rw.shape_of(insert->output()),
             few = rw.shape_of(insert->input(0));
  if (!all || !wide || !narrow || !few || all->size() != 4 || wide->size() != 5 || narrow->size() != 5 ||
      few->size() != 4)
    return nullptr;
  ops::DimMath& math = rw.dims();
  const auto equal = [&math](Dim a, Dim b) { return math.equal(a, b); };
  const bool inserts = equal((*few)[0], (*narrow)[0]) && equal((*few)[1], (*narrow)[1]) && (*narrow)[2].size() == 1 &&
                       equal((*few)[2], (*narrow)[3]) && equal((*few)[3], (*narrow)[4]);
  const bool repeats = equal((*wide)[0], (*narrow)[0]) && equal((*wide)[1], (*narrow)[1]) &&
                       equal((*wide)[3], (*narrow)[3]) && equal((*wide)[4], (*narrow)[4]);
  const bool merges = equal((*all)[0], (*wide)[0]) && equal((*all)[1], math.mul((*wide)[1], (*wide)[2])) &&
                      equal((*all)[2], (*wide)[3]) && equal((*all)[3], (*wide)[4]);
  return inserts && repeats && merges ? insert->input(0) : nullptr;
}

}  // namespace onnxpress::passes
