// The arithmetic of each step. Multiply-adds count as in `profile`; biases do not.
#include "onnxpress/tasks/llm/llm_counter.h"

#include <algorithm>
#include <cmath>

namespace onnxpress {

namespace {

constexpr double kBitsInBytes = 16;  // bits are given times two

BigCount product(std::uint64_t a, std::uint64_t b) { return static_cast<BigCount>(a) * b; }
std::uint64_t natural(std::int64_t number) { return static_cast<std::uint64_t>(number); }
BigCount size_of(Flow x) { return product(x.rows, x.width); }

}  // namespace

LlmTotals LlmCounter::total() const {
  LlmTotals all;
  for (const LlmTotals& part : parts_) {
    all.parameters += part.parameters;
    all.used_parameters += part.used_parameters;
    all.macs += part.macs;
    all.weight_bytes += part.weight_bytes;
    all.activation_bytes += part.activation_bytes;
    all.cache_bytes += part.cache_bytes;
    all.stored_bytes += part.stored_bytes;
    all.seconds += part.seconds;
    all.compute_seconds += part.compute_seconds;
    all.memory_seconds += part.memory_seconds;
  }
  return all;
}

void LlmCounter::enter(LlmPart part, const std::string& scope) {
  part_ = part;
  scope_ = scope;
}

// The time of a step is that of its arithmetic or that of its memory traffic, whichever is longer, because the two
// overlap.
void LlmCounter::add_step(const Step& step) {
  LlmTotals& part = now();
  const double weights =
      (step.weights * static_cast<double>(bits_.weights) + step.vectors * static_cast<double>(bits_.activations)) /
      kBitsInBytes;
  const double activations =
      static_cast<double>(step.activations) * static_cast<double>(bits_.activations) / kBitsInBytes;
  const double cache = step.cache * static_cast<double>(bits_.cache) / kBitsInBytes;
  part.macs += step.macs;
  part.weight_bytes += weights;
  part.activation_bytes += activations;
  part.cache_bytes += cache;
  if (!rates_) return;
  const double compute = (2 * static_cast<double>(step.macs) + static_cast<double>(step.operations)) / rates_->flops;
  const double memory = (weights + activations + cache) / rates_->bytes;
  part.seconds += std::max(compute, memory);
  (compute > memory ? part.compute_seconds : part.memory_seconds) += std::max(compute, memory);
}

void LlmCounter::add_weights(const std::string& name, BigCount matrix, BigCount vectors, BigCount used) {
  if (!seen_.insert(name).second) return;
  LlmTotals& part = now();
  part.parameters += matrix + vectors;
  part.used_parameters += used;
  part.stored_bytes += (static_cast<double>(matrix) * static_cast<double>(bits_.weights) +
                        static_cast<double>(vectors) * static_cast<double>(bits_.activations)) /
                       kBitsInBytes;
}

void LlmCounter::note_alive(BigCount elements) { peak_ = std::max(peak_, saturated(elements + residual_)); }

Flow LlmCounter::elementwise(Flow x, std::uint64_t operands, std::uint64_t operations) {
  add_step({.operations = size_of(x) * operations, .activations = size_of(x) * (operands + 1)});
  return x;
}

// --- Embedding

Flow LlmCounter::tokens(const std::string&, std::uint64_t count) { return {.rows = call_.batch * count, .width = 1}; }

Flow LlmCounter::lookup(Flow ids, const std::string& table, std::int64_t count, std::int64_t width) {
  const Flow out{.rows = ids.rows, .width = natural(width)};
  add_weights(table, product(natural(count), natural(width)), 0, 0);
  add_step({.weights = static_cast<double>(size_of(out)), .activations = size_of(out)});
  residual_ = std::max(residual_, saturated(size_of(out)));
  return out;
}

Flow LlmCounter::add_table(Flow x, const std::string& name, std::int64_t count) {
  add_weights(name, product(natural(count), x.width), 0, product(natural(count), x.width));
  add_step({.operations = size_of(x),
            .weights = static_cast<double>(product(natural(count), x.width)),
            .activations = 2 * size_of(x)});
  residual_ = std::max(residual_, saturated(size_of(x)));
  return x;
}

Flow LlmCounter::sound(std::int64_t channels, std::uint64_t steps) {
  return {.rows = call_.batch * steps, .width = natural(channels)};
}

Flow LlmCounter::convolve(Flow x, const std::string& name, std::int64_t channels, std::int64_t stride) {
  constexpr std::uint64_t kKernel = 3;
  const Flow out{.rows = x.rows / natural(stride), .width = natural(channels)};
  const BigCount matrix = product(kKernel * x.width, out.width);
  add_weights(name, matrix, out.width, matrix + out.width);
  add_step({.macs = matrix * out.rows,
            .weights = static_cast<double>(matrix),
            .vectors = static_cast<double>(out.width),
            .activations = size_of(x) + size_of(out)});
  note_alive(size_of(x) + size_of(out));
  return out;
}

Flow LlmCounter::to_tokens(Flow x) { return elementwise(x, 1, 0); }

// --- Products with weights

Flow LlmCounter::linear(Flow x, const std::string& name, std::int64_t out_width, bool bias) {
  const Flow out{.rows = x.rows, .width = natural(out_width)};
  const BigCount matrix = product(x.width, out.width), vector = bias ? out.width : 0;
  add_weights(name, matrix, vector, matrix + vector);
  add_step({.macs = matrix * x.rows,
            .weights = static_cast<double>(matrix),
            .vectors = static_cast<double>(vector),
            .activations = size_of(x) + size_of(out)});
  note_alive(size_of(x) + size_of(out));
  return out;
}

Flow LlmCounter::tied_linear(Flow x, const std::string&, std::int64_t count) {
  const Flow out{.rows = x.rows, .width = natural(count)};
  const BigCount matrix = product(x.width, out.width);
  now().used_parameters += matrix;
  add_step({.macs = matrix * x.rows, .weights = static_cast<double>(matrix), .activations = size_of(x) + size_of(out)});
  note_alive(size_of(x) + size_of(out));
  return out;
}

Flow LlmCounter::head_linear(Flow x, const std::string& name, std::int64_t heads, std::int64_t out_width) {
  const Flow out{.rows = x.rows, .width = natural(heads) * natural(out_width)};
  const BigCount matrix = product(x.width, natural(out_width));
  add_weights(name, matrix, 0, matrix);
  add_step({.macs = matrix * x.rows, .weights = static_cast<double>(matrix), .activations = size_of(x) + size_of(out)});
  note_alive(size_of(x) + size_of(out));
  return out;
}

// With even routing, each token picks its experts at random. Some are picked by several tokens, others by none; the
// weights of the latter need not be read.
Flow LlmCounter::experts(Flow x, const LlmExperts& call) {
  const std::uint64_t all = natural(call.experts), used = natural(call.used), inner = natural(call.inner);
  const BigCount router = product(x.width, all), bias = call.router_bias ? all : 0;
  const BigCount one = product(x.width, inner) * (call.gated ? 3 : 2);
  add_weights(scope_, router + one * all, bias, router + bias + one * used);
  const double share = static_cast<double>(used) / static_cast<double>(all);
  const double read = static_cast<double>(all) * -std::expm1(static_cast<double>(x.rows) * std::log1p(-share));
  add_step({.macs = router * x.rows,
            .operations = product(x.rows, 6 * all),
            .weights = static_cast<double>(router),
            .vectors = static_cast<double>(bias),
            .activations = size_of(x) + product(x.rows, all)});
  const BigCount between = product(x.rows * used, inner) * (call.gated ? 2 : 1);
  add_step({.macs = one * used * x.rows,
            .operations = between,
            .weights = static_cast<double>(one) * (share >= 1 ? static_cast<double>(all) : read),
            .activations = size_of(x) + 2 * between + size_of(x) * used});
  note_alive(size_of(x) + between);
  return x;
}

// --- Elementwise

Flow LlmCounter::norm(Flow x, const std::string& name, LlmNorm kind, std::int64_t heads) {
  const std::uint64_t width = x.width / natural(heads), vectors = kind == LlmNorm::kLayer ? 2 * width : width;
  add_weights(name, 0, vectors, vectors);
  add_step({.operations = size_of(x) * (kind == LlmNorm::kRms ? 4 : 7),
            .vectors = static_cast<double>(vectors),
            .activations = 2 * size_of(x)});
  return x;
}

Flow LlmCounter::activate(Flow x, std::string_view) { return elementwise(x, 1, 1); }
Flow LlmCounter::add(Flow a, Flow) { return elementwise(a, 2, 1); }

Flow LlmCounter::multiply(Flow a, Flow b) {
  add_step({.operations = size_of(a), .activations = 2 * size_of(a) + size_of(b)});
  note_alive(size_of(a) + size_of(b));
  return a;
}

Flow LlmCounter::last_token(Flow x) { return {.rows = call_.batch, .width = x.width}; }
Flow LlmCounter::first_token(Flow x) { return {.rows = call_.batch, .width = x.width}; }

Flow LlmCounter::rotary(Flow x, std::int64_t, std::int64_t) { return elementwise(x, 1, 3); }

// --- Attention

Flow LlmCounter::relative_bias(const std::string& name, std::int64_t buckets, std::int64_t heads) {
  const BigCount table = product(natural(buckets), natural(heads));
  add_weights(name, table, 0, table);
  add_step({.weights = static_cast<double>(table)});
  return {};
}

Flow LlmCounter::linear_bias(std::int64_t) { return {}; }

Flow LlmCounter::slice(Flow x, std::int64_t heads, std::int64_t, std::int64_t width) {
  return {.rows = x.rows, .width = natural(heads) * natural(width)};
}

Flow LlmCounter::join(Flow a, Flow b, std::int64_t heads, std::int64_t b_heads) {
  return {.rows = a.rows, .width = a.width + b.width / natural(b_heads) * natural(heads)};
}

Flow LlmCounter::cached(Flow x, const std::string&) {
  cache_per_token_ += x.width;
  add_step({.cache = static_cast<double>(size_of(x))});
  return {.rows = call_.batch * (call_.past + call_.tokens), .width = x.width};
}

Flow LlmCounter::cross_input(const std::string&, std::int64_t width) {
  return {.rows = call_.batch * call_.source, .width = natural(width)};
}

// Pairs of query and key positions for which scores are computed, in one sequence.
BigCount LlmCounter::pairs(const LlmAttention& call, std::uint64_t keys) const {
  const std::uint64_t queries = call.q.rows / call_.batch;
  if (!only_kept_ || !call.causal) return product(queries, keys);
  BigCount kept = 0;
  const std::uint64_t past = keys - queries, window = call.window > 0 ? natural(call.window) : keys;
  // The i-th query sees past + i + 1 keys, at most a window: a triangle, followed by a rectangle.
  const std::uint64_t growing = past >= window ? 0 : std::min(queries, window - past);
  kept += product(growing, past) + product(growing, growing + 1) / 2;
  return kept + product(queries - growing, window);
}

Flow LlmCounter::attention(const LlmAttention& call) {
  const bool own = !call.cache.empty();
  const std::uint64_t width = natural(call.kv_heads) * natural(call.key_dim + (call.value_in_key ? 0 : call.value_dim));
  const std::uint64_t keys = call.k.rows / call_.batch + (own ? call_.past : 0), heads = natural(call.heads);
  if (own) (call.window > 0 ? window_per_token_ : cache_per_token_) += width;
  if (call.cross) cross_per_token_ += width;
  const Flow out{.rows = call.q.rows, .width = heads * natural(call.value_dim)};
  const BigCount met = pairs(call, keys) * call_.batch * heads;
  const std::uint64_t seen = call.window > 0 ? std::min(keys, natural(call.window)) : keys;
  // New keys and values are written to the cache; earlier ones are read from it.
  const double from_cache =
      call_.decode || call_.past > 0 ? static_cast<double>(product(call_.batch * seen, width)) : 0;
  const double to_cache = own ? static_cast<double>(product(call.k.rows, width)) : 0;
  add_step({.macs = met * natural(call.key_dim + call.value_dim),
            .operations = met * 5,
            .activations = size_of(call.q) + size_of(out) + (from_cache > 0 ? 0 : product(call.k.rows, width)),
            .cache = from_cache + to_cache});
  note_alive(size_of(call.q) + product(call.k.rows, width) + size_of(out));
  scores_ = std::max(scores_, saturated(product(call.q.rows, keys) * heads));
  return out;
}

}  // namespace onnxpress
