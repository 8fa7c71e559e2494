// Lets MultiHeadAttention append keys and values to a cache.
//
//   before: k = Concat(past_k, now_k); v = Concat(past_v, now_v); y = com.microsoft.MultiHeadAttention(q, k, v)
//   after:  y, k, v = com.microsoft.MultiHeadAttention(q, now_k, now_v, , , , past_k, past_v)
//
// Both are appended along the axis of positions, axis 2 of four. Nothing else may read the longer keys and values, but
// they may be outputs.
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/passes/shared/attention_heads.h"
#include "onnxpress/passes/shared/copy_with.h"

namespace onnxpress::passes {

namespace {

// The Concat of two values along axis 2 of four, for one reader; null if the value is something else.
const Node* longer_cache(const Value* value, const Rewriter& rw) {
  const Node* concat = rw.producer(value, "Concat");
  const auto shape = concat && value->use_count() == 1 ? rw.shape_of(value) : std::nullopt;
  const bool fits = shape && shape->size() == 4 && concat->input_count() == 2 &&
                    ops::normal_axis(rw.params(*concat).integer_or("axis", 0), 4) == 2;
  return fits ? concat : nullptr;
}

bool apply_ort_attention_cache(Node& node, Rewriter& rw) {
  if (!is_for_ort(node.input(0), rw) || node.used_outputs() != 1 || !node.output()->is_used()) return false;
  for (const std::size_t i : {3, 4, 6, 7, 8, 9}) {
    if (node.input(i)) return false;
  }
  if (rw.params(node).flag("unidirectional")) return false;
  Value *k = node.input(1), *v = node.input(2);
  const Node *keys = longer_cache(k, rw), *values = longer_cache(v, rw);
  if (!keys || !values || keys == values) return false;
  Value *now_k = heads_before(keys->input(1), rw), *now_v = heads_before(values->input(1), rw);
  if (!now_k || !now_v) {
    now_k = keys->input(1);
    now_v = values->input(1);
  }
  Graph& graph = *node.graph();
  Value* const operands[] = {node.input(0), now_k,         now_v,          nullptr,
                             nullptr,       node.input(5), keys->input(0), values->input(0)};
  // The kernel continues a cache only if it also returns it.
  Value* const results[] = {graph.create_value({}), graph.create_value({}), graph.create_value({})};
  graph.insert_before(&node, parts_with(node, operands, results));
  if (!rw.replace(node, results[0])) return false;
  if (k->is_output()) rw.replace_same(k, results[1]);
  if (v->is_output()) rw.replace_same(v, results[2]);
  return true;
}

constexpr std::string_view kOrtAttentionCacheRoots[] = {"com.microsoft.MultiHeadAttention"};

}  // namespace

extern const Rewrite ort_attention_cache;
const Rewrite ort_attention_cache = {.name = "ort-attention-cache",
                                     .summary = "lets MultiHeadAttention append keys and values to a cache",
                                     .exactness = Exactness::kReassociates,
                                     .group = "ort",
                                     .large_pattern = true,
                                     .roots = kOrtAttentionCacheRoots,
                                     .apply = apply_ort_attention_cache};

}  // namespace onnxpress::passes
