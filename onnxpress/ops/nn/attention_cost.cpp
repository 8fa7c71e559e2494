// batch * heads * queries * keys * (size of a key + size of a value), and 5 operations per score for the softmax. Masks
// do not reduce it: few kernels skip the masked half.
#include "onnxpress/ops/nn/attention_cost.h"

namespace onnxpress::ops {

namespace {

struct Heads {
  Dim batch, heads, queries, keys, key_size, value_size;
};

void set_attention(CostQuery& query, const Heads& h) {
  DimMath& dims = query.dims;
  const Dim scores = dims.mul(dims.mul(h.batch, h.heads), dims.mul(h.queries, h.keys));
  query.cost.macs = dims.mul(scores, dims.add(h.key_size, h.value_size));
  query.cost.flops = dims.mul(Dim::size(5), scores);
}

Dim attribute_dim(CostQuery& query, std::string_view name) {
  const std::int64_t value = query.in.params.integer_or(name, 0);
  return value > 0 && Dim::fits(value) ? Dim::size(value) : Dim();
}

Dim axis_of(const Shape* shape, std::size_t rank, std::size_t axis) {
  return shape && shape->size() == rank ? (*shape)[axis] : Dim();
}

// The number of keys in the cache, [batch, heads, length, size]; 0 when the operand is absent.
Dim cached(CostQuery& query, std::size_t operand) {
  return query.in.has(operand) ? axis_of(query.in.shape(operand), 4, 2) : Dim::size(0);
}

// Length and size per head of [batch, heads, length, size] or [batch, length, heads * size].
struct Lengths {
  Dim batch, length, size;
};

Lengths lengths_of(CostQuery& query, std::size_t operand, Dim heads) {
  const Shape* shape = query.in.shape(operand);
  if (shape && shape->size() == 4) return {(*shape)[0], (*shape)[2], (*shape)[3]};
  if (shape && shape->size() == 3) return {(*shape)[0], (*shape)[1], query.dims.exact_div((*shape)[2], heads)};
  return {};
}

}  // namespace

void cost_attention(CostQuery& query) {
  const Shape* q = query.in.shape(0);
  const bool split = q && q->size() == 4;
  const Dim heads = split ? (*q)[1] : attribute_dim(query, "q_num_heads");
  const Dim kv_heads = split ? axis_of(query.in.shape(1), 4, 1) : attribute_dim(query, "kv_num_heads");
  const Lengths of_q = lengths_of(query, 0, heads), of_k = lengths_of(query, 1, kv_heads),
                of_v = lengths_of(query, 2, kv_heads);
  set_attention(query,
                {of_q.batch, heads, of_q.length, query.dims.add(of_k.length, cached(query, 4)), of_k.size, of_v.size});
}

void cost_multi_head_attention(CostQuery& query) {
  const Dim heads = attribute_dim(query, "num_heads");
  const Shape *q = query.in.shape(0), *k = query.in.shape(1);
  Lengths of_q = lengths_of(query, 0, heads), of_k = lengths_of(query, 1, heads), of_v = lengths_of(query, 2, heads);
  if (q && q->size() == 5) {  // [batch, length, heads, 3, size]
    of_q = of_k = of_v = {(*q)[0], (*q)[1], (*q)[4]};
  } else if (k && k->size() == 5) {  // [batch, length, heads, 2, size]
    of_k = of_v = {(*k)[0], (*k)[1], (*k)[4]};
  }
  set_attention(query,
                {of_q.batch, heads, of_q.length, query.dims.add(of_k.length, cached(query, 6)), of_k.size, of_v.size});
}

namespace {

void cost_projected(CostQuery& query, std::size_t past_operand) {
  DimMath& dims = query.dims;
  const Shape *x = query.in.shape(0), *w = query.in.shape(1);
  const Dim heads = attribute_dim(query, "num_heads");
  const Dim batch = axis_of(x, 3, 0), length = axis_of(x, 3, 1), width = axis_of(w, 2, 1);
  Dim key_size = dims.exact_div(dims.exact_div(width, Dim::size(3)), heads), value_size = key_size;
  if (const auto sizes = query.in.params.integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    const auto size = [&](std::size_t i) {
      return (*sizes)[i] > 0 && Dim::fits((*sizes)[i]) ? dims.exact_div(Dim::size((*sizes)[i]), heads) : Dim();
    };
    key_size = size(1);
    value_size = size(2);
  }
  Dim keys = length;
  if (query.in.has(past_operand)) keys = dims.add(keys, axis_of(query.in.shape(past_operand), 5, 3));
  set_attention(query, {batch, heads, length, keys, key_size, value_size});
  const Dim projection = dims.mul(query.operand_elements(0), width);
  query.cost.macs = dims.add(query.cost.macs, projection);
}

}  // namespace

void cost_microsoft_attention(CostQuery& query) { cost_projected(query, 4); }
void cost_qattention(CostQuery& query) { cost_projected(query, 8); }

void cost_group_query_attention(CostQuery& query) {
  const Dim heads = attribute_dim(query, "num_heads"), kv_heads = attribute_dim(query, "kv_num_heads");
  const Dim parts =
      query.in.has(1) ? heads : query.dims.add(heads, query.dims.mul(Dim::size(2), kv_heads));  // packed q, k and v
  const Lengths of_q = lengths_of(query, 0, parts);
  set_attention(query,
                {of_q.batch, heads, of_q.length, query.dims.add(of_q.length, cached(query, 3)), of_q.size, of_q.size});
}

// The state of each head, keys x values, is updated and read once per token.
void cost_linear_attention(CostQuery& query) {
  const Shape* v = query.in.shape(2);
  query.cost.is_estimate = true;
  if (!v || v->empty()) {
    query.cost.macs = Dim();
    return;
  }
  const Dim heads = attribute_dim(query, "kv_num_heads");
  const Dim size = v->size() == 4 ? v->back() : query.dims.exact_div(v->back(), heads);
  query.cost.macs = query.dims.mul(Dim::size(2), query.dims.mul(query.operand_elements(1), size));
}

}  // namespace onnxpress::ops
