// Fuses the nodes that compute RotaryEmbedding, if the opset has it.
//
//   before: y = Add(Mul(x, cos), Mul(Concat(Neg(second half of x), first half of x), sin))
//   after:  y = RotaryEmbedding(x, half of cos, half of sin)
//
// x is [batch, heads, length, size]. Both halves of cos and sin must be the same, as in Concat(f, f), with one row for
// each position and the same rows for all heads. The interleaved form, which rotates neighbours instead of halves,
// works, too.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/rotary.h"

namespace onnxpress::passes {

namespace {

// The table as [batch, length, half]. A table without a batch axis is repeated for each batch.
Value* as_cache(Value* table, const RotaryMatch& match, Rewriter& rw) {
  using List = std::vector<std::int64_t>;
  const auto shape = rw.shape_of(table), x = rw.shape_of(match.x);
  if (!shape || !x) return nullptr;
  if (shape->size() == 4) table = rw.make("Squeeze", {table}, {{"axes", List{1}}});
  if (shape->size() == 2) table = rw.make("Unsqueeze", {table}, {{"axes", List{0}}});
  if (match.is_for_each_batch || x->front().size() == 1) return table;
  Value* batch = rw.make("Shape", {match.x}, {{"start", 0}, {"end", 1}});
  return rw.make("Expand", {table, rw.make("Concat", {batch, rw.integers({1, 1})}, {{"axis", 0}})});
}

bool apply_fuse_rotary_embedding(Node& add, Rewriter& rw) {
  const ElementType type = rw.element_of(add.output());
  if (!is_float(type) || type == ElementType::kDouble) return false;
  const auto found = find_rotation(add, rw);
  if (!found) return false;
  if (!rw.ops().op_named("", "RotaryEmbedding", *add.graph())) return rw.refuse("RotaryEmbedding needs opset 23");
  Value *cosine = as_cache(found->cosine, *found, rw), *sine = as_cache(found->sine, *found, rw);
  return rw.replace(
      add, rw.make("RotaryEmbedding", {found->x, cosine, sine}, {{"interleaved", found->interleaved ? 1 : 0}}));
}

constexpr std::string_view kFuseRotaryEmbeddingRoots[] = {"Add"};

}  // namespace

extern const Rewrite fuse_rotary_embedding;
const Rewrite fuse_rotary_embedding = {.name = "fuse-rotary-embedding",
                                       .summary = "fuses the nodes that compute RotaryEmbedding",
                                       .exactness = Exactness::kReassociates,
                                       .group = "blocks",
                                       .large_pattern = true,
                                       .roots = kFuseRotaryEmbeddingRoots,
                                       .apply = apply_fuse_rotary_embedding};

}  // namespace onnxpress::passes
