// Fuses the nodes that compute RotaryEmbedding into ONNX Runtime's op.
//
//   before: y = Add(Mul(x, cos), Mul(Concat(Neg(second half of x), first half of x), sin))
//   after:  y = com.microsoft.RotaryEmbedding(x, [0], half of cos, half of sin)
//
// Like fuse-rotary-embedding, with one row of cos and sin for each position, the same for all batches. If a Gather
// takes the rows from a table by position, the operator does that itself.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/rotary.h"

namespace onnxpress::passes {

namespace {

// The Gather that takes the rows of a table by positions [batch, length]; null if the table is made in another way.
Node* rows_of(const Value* table, const Rewriter& rw) {
  const Node* insert = rw.producer(table, "Unsqueeze");
  Node* gather = insert ? rw.producer(insert->input(0), "Gather") : nullptr;
  const auto data = gather ? rw.shape_of(gather->input(0)) : std::nullopt,
             ids = gather ? rw.shape_of(gather->input(1)) : std::nullopt;
  const bool fits =
      data && ids && data->size() == 2 && ids->size() == 2 && rw.element_of(gather->input(1)) == ElementType::kInt64;
  return fits ? gather : nullptr;
}

Value* without_front(Value* table, Rewriter& rw) {
  const auto shape = rw.shape_of(table);
  if (!shape || shape->size() == 2) return shape ? table : nullptr;
  const std::vector<std::int64_t> axes =
      shape->size() == 4 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0};
  return rw.make("Squeeze", {table}, {{"axes", axes}});
}

bool apply_ort_rotary_embedding(Node& add, Rewriter& rw) {
  if (!is_for_ort(add.output(), rw)) return false;
  const auto found = find_rotation(add, rw);
  if (!found) return false;
  Value *cosine = nullptr, *sine = nullptr, *places = nullptr;
  if (!found->is_for_each_batch) {
    cosine = without_front(found->cosine, rw);
    sine = without_front(found->sine, rw);
    places = rw.integers({0});
  } else {
    const Node *first = rows_of(found->cosine, rw), *second = rows_of(found->sine, rw);
    if (!first || !second || first->input(1) != second->input(1)) return false;
    cosine = first->input(0);
    sine = second->input(0);
    places = first->input(1);
  }
  return rw.replace(add, make_ort("RotaryEmbedding", {found->x, places, cosine, sine},
                                  {{"interleaved", found->interleaved ? 1 : 0}}, rw));
}

constexpr std::string_view kOrtRotaryEmbeddingRoots[] = {"Add"};

}  // namespace

extern const Rewrite ort_rotary_embedding;
const Rewrite ort_rotary_embedding = {.name = "ort-rotary-embedding",
                                      .summary = "fuses the nodes that compute RotaryEmbedding into ONNX Runtime's op",
                                      .exactness = Exactness::kReassociates,
                                      .group = "ort",
                                      .large_pattern = true,
                                      .roots = kOrtRotaryEmbeddingRoots,
                                      .apply = apply_ort_rotary_embedding};

}  // namespace onnxpress::passes
