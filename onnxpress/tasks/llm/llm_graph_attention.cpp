// Positions, caches and attention as nodes.
#include <fmt/format.h>

#include <cmath>

#include "onnxpress/tasks/llm/llm_graph_writer.h"

namespace onnxpress {

// --- Positions

std::vector<Value*> LlmGraphWriter::angles(std::int64_t rotary_dim) {
  const Dim half = Dim::size(rotary_dim / 2), batch = b_.symbol("batch");
  return {input(fmt::format("cos_{}", rotary_dim), options_.type, {batch, sequence_, half}),
          input(fmt::format("sin_{}", rotary_dim), options_.type, {batch, sequence_, half})};
}

Flow LlmGraphWriter::rotary(Flow x, std::int64_t heads, std::int64_t rotary_dim) {
  if (rotary_dim == 0) return x;
  const std::vector<Value*> turns = angles(rotary_dim);
  const std::int64_t width = width_of(x) / heads, half = rotary_dim / 2;
  if (options_.opset >= 23) {
    return flow(
        node("RotaryEmbedding", "RotaryEmbedding", {x.value, turns[0], turns[1]},
             {number("num_heads", heads), number("rotary_embedding_dim", rotary_dim == width ? 0 : rotary_dim)}),
        width_of(x));
  }
  Value* rows = reshape(x.value, {0, 0, heads, width});
  Value* cos = node("Unsqueeze", "cos.Unsqueeze", {turns[0], b_.shape({2})});
  Value* sin = node("Unsqueeze", "sin.Unsqueeze", {turns[1], b_.shape({2})});
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return node("Slice", "Slice", {rows, b_.shape({begin}), b_.shape({end}), b_.shape({3})});
  };
  Value* a = part(0, half);
  Value* b = part(half, rotary_dim);
  Value* first = node("Sub", "Sub", {node("Mul", "Mul", {a, cos}), node("Mul", "Mul", {b, sin})});
  Value* second = node("Add", "Add", {node("Mul", "Mul", {b, cos}), node("Mul", "Mul", {a, sin})});
  Attribute* axis = number("axis", 3);
  Value* turned = rotary_dim == width ? node("Concat", "Concat", {first, second}, {axis})
                                      : node("Concat", "Concat", {first, second, part(rotary_dim, width)}, {axis});
  return flow(reshape(turned, {0, 0, width_of(x)}), width_of(x));
}

// Buckets of the distance between query and key, [queries, keys], are an input that the caller computes.
Flow LlmGraphWriter::relative_bias(const std::string& name, std::int64_t buckets, std::int64_t heads) {
  const bool cached = call_.decode;
  Value* ids = input(name.starts_with("encoder") ? "encoder_buckets" : "buckets", ElementType::kInt64,
                     {sequence_, cached ? b_.symbol("total") : sequence_});
  Value* rows = node("Gather", "bias.Gather", {weight(name + ".weight", {buckets, heads}), ids});
  Value* turned = node("Transpose", "bias.Transpose", {rows}, {b_.ints("perm", {2, 0, 1})});
  return flow(node("Unsqueeze", "bias.Unsqueeze", {turned, b_.shape({0})}), heads);
}

Flow LlmGraphWriter::linear_bias(std::int64_t heads) {
  const Dim keys = call_.decode ? b_.symbol("total") : sequence_;
  return flow(input("alibi", options_.type, {Dim::size(1), Dim::size(heads), Dim::size(1), keys}), heads);
}

// --- Heads

Flow LlmGraphWriter::slice(Flow x, std::int64_t heads, std::int64_t begin, std::int64_t width) {
  Value* rows = heads == 1 ? x.value : reshape(x.value, {0, 0, heads, width_of(x) / heads});
  Value* part = node("Slice", "Slice", {rows, b_.shape({begin}), b_.shape({begin + width}), b_.shape({-1})});
  return flow(heads == 1 ? part : reshape(part, {0, 0, heads * width}), heads * width);
}

Flow LlmGraphWriter::join(Flow a, Flow b, std::int64_t heads, std::int64_t b_heads) {
  if (heads == 1)
    return flow(node("Concat", "Concat", {a.value, b.value}, {number("axis", -1)}), width_of(a) + width_of(b));
  const std::int64_t a_width = width_of(a) / heads, b_width = width_of(b) / b_heads;
  Value* left = reshape(a.value, {0, 0, heads, a_width});
  Value* right = reshape(b.value, {0, 0, b_heads, b_width});
  if (b_heads != heads) right = node("Tile", "Tile", {right, b_.shape({1, 1, heads, 1})});
  Value* both = node("Concat", "Concat", {left, right}, {number("axis", -1)});
  return flow(reshape(both, {0, 0, heads * (a_width + b_width)}), heads * (a_width + b_width));
}

// --- Caches

Value* LlmGraphWriter::past(const std::string& name, std::int64_t heads, std::int64_t width) {
  return input("past." + name, options_.type,
               {b_.symbol("batch"), Dim::size(heads), b_.symbol("past"), Dim::size(width)});
}

const Type* LlmGraphWriter::cache_type(std::int64_t heads, std::int64_t width) {
  const Dim dims[] = {b_.symbol("batch"), Dim::size(heads), call_.decode ? b_.symbol("total") : sequence_,
                      Dim::size(width)};
  return b_.type(dims);
}

// One vector per token, without heads: [batch, tokens, width].
Flow LlmGraphWriter::cached(Flow x, const std::string& name) {
  const std::int64_t width = width_of(x);
  const Dim dims[] = {b_.symbol("batch"), call_.decode ? b_.symbol("total") : sequence_, Dim::size(width)};
  Value* all = x.value;
  if (call_.decode) {
    Value* before = input(fmt::format("past.{}.latent", name), options_.type,
                          {b_.symbol("batch"), b_.symbol("past"), Dim::size(width)});
    all = b_.node("Concat", scope_ + "cache.Concat", {before, x.value}, {number("axis", 1)},
                  fmt::format("present.{}.latent", name));
  } else {
    all = b_.node("Identity", scope_ + "cache.Identity", {x.value}, {}, fmt::format("present.{}.latent", name));
  }
  keep(all, b_.type(dims));
  return flow(all, width);
}

Flow LlmGraphWriter::cross_input(const std::string& name, std::int64_t width) {
  return flow(input(name, options_.type, {b_.symbol("batch"), b_.symbol("source"), Dim::size(width)}), width);
}

// --- Attention

Flow LlmGraphWriter::attention(const LlmAttention& call) {
  const double scale = call.scaled ? 1 / std::sqrt(static_cast<double>(call.key_dim)) : 1.0;
  return options_.opset >= 23 ? one_node_attention(call, scale) : plain_attention(call, scale);
}

Flow LlmGraphWriter::one_node_attention(const LlmAttention& call, double scale) {
  std::vector<Value*> inputs = {call.q.value, call.k.value, call.v.value};
  std::vector<std::string> results = {scope_ + "attention"};
  if (!call.cache.empty()) {
    inputs.push_back(call.bias.value);
    if (call_.decode) {
      inputs.push_back(past(call.cache + ".key", call.kv_heads, call.key_dim));
      inputs.push_back(past(call.cache + ".value", call.kv_heads, call.value_dim));
    }
    results.push_back(fmt::format("present.{}.key", call.cache));
    results.push_back(fmt::format("present.{}.value", call.cache));
  } else if (call.bias.value) {
    inputs.push_back(call.bias.value);
  }
  while (!inputs.back()) inputs.pop_back();
  if (call.cross) results.front() = scope_ + "cross_attention";
  Attribute* const attributes[] = {number("q_num_heads", call.heads), number("kv_num_heads", call.kv_heads),
                                   number("is_causal", call.causal ? 1 : 0),
                                   b_.attribute("scale", static_cast<float>(scale))};
  const auto made = b_.nodes("Attention", results.front() + ".Attention", inputs, attributes, results);
  if (made.size() == 3) {
    keep(made[1], cache_type(call.kv_heads, call.key_dim));
    keep(made[2], cache_type(call.kv_heads, call.value_dim));
  }
  return flow(made[0], call.heads * call.value_dim);
}

Value* LlmGraphWriter::by_heads(Flow x, std::int64_t heads, const LlmAttention& call, const char* what) {
  const std::int64_t width = width_of(x) / heads;
  Value* rows = node("Transpose", fmt::format("{}.Transpose", what), {reshape(x.value, {0, 0, heads, width})},
                     {b_.ints("perm", {0, 2, 1, 3})});
  if (call.cache.empty()) return rows;
  const std::string name = fmt::format("{}.{}", call.cache, what);
  Value* all = call_.decode ? b_.node("Concat", scope_ + what + ".Concat", {past(name, heads, width), rows},
                                      {number("axis", 2)}, "present." + name)
                            : b_.node("Identity", scope_ + what + ".Identity", {rows}, {}, "present." + name);
  keep(all, cache_type(heads, width));
  return all;
}

// A query sees the keys up to its own position; the last key belongs to the last query.
Value* LlmGraphWriter::causal_mask(Value* queries, Value* keys) {
  if (mask_) return mask_;
  const auto length = [&](Value* x, const char* name) {
    return node("Gather", name, {node("Shape", "mask.Shape", {x}), index("length_axis", 2)});
  };
  Value* all = length(keys, "mask.keys");
  Value* first = node("Sub", "mask.Sub", {all, length(queries, "mask.queries")});
  Value* zero = index("zero_index", 0);
  Value* one = index("one_index", 1);
  Value* columns = node("Range", "mask.Range", {zero, all, one});
  Value* rows = node("Unsqueeze", "mask.Unsqueeze", {node("Range", "mask.Range", {first, all, one}), b_.shape({1})});
  Value* seen = node("LessOrEqual", "mask.LessOrEqual", {columns, rows});
  mask_ = node("Where", "mask.Where", {seen, constant("zero", 0), constant("lowest", -65504)});
  return mask_;
}

// Several query heads share one head of keys and values: the query heads of a group become rows of one matrix.
Flow LlmGraphWriter::plain_attention(const LlmAttention& call, double scale) {
  const std::int64_t group = call.heads / call.kv_heads, width = call.heads * call.value_dim;
  Value* q = node("Transpose", "q.Transpose", {reshape(call.q.value, {0, 0, call.heads, call.key_dim})},
                  {b_.ints("perm", {0, 2, 1, 3})});
  Value* k = by_heads(call.k, call.kv_heads, call, "key");
  Value* v = by_heads(call.v, call.kv_heads, call, "value");
  Value* mask = call.causal ? causal_mask(q, k) : nullptr;
  Value* turned = node("Transpose", "key.Transpose", {k}, {b_.ints("perm", {0, 1, 3, 2})});
  if (group > 1) {
    // [batch, heads, tokens, width] -> [batch, kv heads, group * tokens, width]: heads that share keys are neighbours.
    q = reshape(q, {0, call.kv_heads, -1, call.key_dim});
  }
  Value* scores = node("MatMul", "scores.MatMul", {q, turned});
  if (group > 1) {
    Value* keys = node("Shape", "scores.Shape", {turned}, {number("start", 3)});
    Value* dims = node("Concat", "scores.Concat", {b_.shape({0, call.heads, -1}), keys}, {number("axis", 0)});
    scores = node("Reshape", "scores.Reshape", {scores, dims});
  }
  if (scale != 1) scores = node("Mul", "scores.Mul", {scores, constant(fmt::format("scale_{}", call.key_dim), scale)});
  if (call.bias.value) scores = node("Add", "bias.Add", {scores, call.bias.value});
  if (mask) scores = node("Add", "mask.Add", {scores, mask});
  Value* shares = node("Softmax", "Softmax", {scores}, {number("axis", -1)});
  if (group > 1) {
    Value* keys = node("Shape", "shares.Shape", {v}, {number("start", 2), number("end", 3)});
    Value* dims = node("Concat", "shares.Concat", {b_.shape({0, call.kv_heads, -1}), keys}, {number("axis", 0)});
    shares = node("Reshape", "shares.Reshape", {shares, dims});
  }
  Value* mixed = node("MatMul", "mix.MatMul", {shares, v});
  if (group > 1) mixed = reshape(mixed, {0, call.heads, -1, call.value_dim});
  Value* moved = node("Transpose", "mix.Transpose", {mixed}, {b_.ints("perm", {0, 2, 1, 3})});
  return flow(reshape(moved, {0, 0, width}), width);
}

}  // namespace onnxpress
