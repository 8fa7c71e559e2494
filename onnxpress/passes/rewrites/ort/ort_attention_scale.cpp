// Merges a scale of the query into MultiHeadAttention.
//
//   before: y = com.microsoft.MultiHeadAttention(Mul(q, 0.25), k, v, num_heads = 4)
//   after:  y = com.microsoft.MultiHeadAttention(q, k, v, num_heads = 4, scale = 0.25 / sqrt(size of a head))
//
// The query must not have a bias, which would be added after the scale.
#include <cmath>

#include "onnxpress/passes/ort_rewrites.h"

namespace onnxpress::passes {

namespace {

struct ScaledQuery {
  Value* query = nullptr;
  double scale = 1;
};

ScaledQuery scaled_query(const Value* value, const Rewriter& rw) {
  const Node *times = rw.sole_producer(value, "Mul"), *over = rw.sole_producer(value, "Div");
  const Node* node = times ? times : over;
  for (const std::size_t side : {0, 1}) {
    const Value* by = node ? node->input(1 - side) : nullptr;
    const auto array = by && rw.is_constant(by) ? rw.constant(by) : std::nullopt;
    const auto number = array ? array->number() : std::nullopt;
    if (!number || (side == 1 && over) || !rw.same_shape(node->input(side), value)) continue;
    return {node->input(side), over ? 1 / *number : *number};
  }
  return {};
}

bool apply_ort_attention_scale(Node& node, Rewriter& rw) {
  const auto params = rw.params(node);
  const auto shape = rw.shape_of(node.input(0));
  const auto width = shape && shape->size() == 3 ? shape->back().size() : std::nullopt;
  const std::int64_t heads = params.integer_or("num_heads", 0);
  if (!is_for_ort(node.input(0), rw) || node.input(3) || !width || heads < 1 || *width < heads) return false;
  const ScaledQuery scaled = scaled_query(node.input(0), rw);
  double scale = params.real_or("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(*width / heads));
  scale *= scaled.scale;
  if (!scaled.query || !std::isnormal(static_cast<float>(scale)) || !rw.set_parameter(node, {"scale", scale}))
    return false;
  return rw.set_input(node, 0, scaled.query);
}

constexpr std::string_view kOrtAttentionScaleRoots[] = {"com.microsoft.MultiHeadAttention"};

}  // namespace

extern const Rewrite ort_attention_scale;
const Rewrite ort_attention_scale = {.name = "ort-attention-scale",
                                     .summary = "merges a scale of the query into MultiHeadAttention",
                                     .exactness = Exactness::kReassociates,
                                     .group = "ort",
                                     .large_pattern = true,
                                     .roots = kOrtAttentionScaleRoots,
                                     .apply = apply_ort_attention_scale};

}  // namespace onnxpress::passes
