// The steps that a language model is made of. One function (llm_walk.cpp) lists the steps of a config in order; one
// implementation counts them and another writes them as a graph, so both describe the same model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onnxpress/ir/graph.h"
#include "onnxpress/tasks/llm/llm_config.h"

namespace onnxpress {

// What to compute: a whole prompt, or one more token, with the keys and values of earlier tokens in a cache.
struct LlmCall {
  std::uint64_t batch = 1, tokens = 1, past = 0;
  std::uint64_t source = 0;  // tokens that the encoder of an encoder-decoder reads
  bool decode = false;       // the cache is an input, and the encoder has run before
  bool all_logits = false;   // the head computes every position, not only the last
};

enum class LlmPart : std::uint8_t { kEmbedding, kNorms, kProjections, kAttention, kMlp, kExperts, kHead };
constexpr std::size_t kLlmParts = 7;

// A tensor between steps: [batch, tokens, width]. `value` only where a graph is written.
struct Flow {
  Value* value = nullptr;
  std::uint64_t rows = 0, width = 0;
};

struct LlmAttention {
  Flow q, k, v;
  std::int64_t heads = 1, kv_heads = 1, key_dim = 0, value_dim = 0;
  bool causal = false;
  std::int64_t window = 0;    // 0: all earlier tokens
  bool cross = false;         // keys and values are those of the encoder
  bool value_in_key = false;  // values are the first numbers of keys, so that they are stored only once
  // Name of the cache for keys and values; empty if there is none or they were already added to it.
  std::string cache;
  Flow bias;  // added to the scores
  bool scaled = true;
};

struct LlmExperts {
  std::int64_t experts = 0, used = 0, inner = 0;
  bool gated = true, router_bias = false;
  std::string_view activation;
};

class LlmOps {
 public:
  virtual ~LlmOps() = default;

  // The following steps belong to this part, and names of their weights begin with the scope.
  virtual void enter(LlmPart part, const std::string& scope) = 0;

  virtual Flow tokens(const std::string& input, std::uint64_t count) = 0;
  // A row of a table for each token. Using the name of a table again uses the same table.
  virtual Flow lookup(Flow ids, const std::string& table, std::int64_t count, std::int64_t width) = 0;
  virtual Flow add_table(Flow x, const std::string& name, std::int64_t count) = 0;
  // Sound: [batch, channels, steps] until to_tokens().
  virtual Flow sound(std::int64_t channels, std::uint64_t steps) = 0;
  virtual Flow convolve(Flow x, const std::string& name, std::int64_t channels, std::int64_t stride) = 0;
  virtual Flow to_tokens(Flow x) = 0;

  virtual Flow linear(Flow x, const std::string& name, std::int64_t out, bool bias) = 0;
  // A product with the transposed table of an embedding.
  virtual Flow tied_linear(Flow x, const std::string& table, std::int64_t count) = 0;
  // A matrix for each head: [heads, width / heads, out].
  virtual Flow head_linear(Flow x, const std::string& name, std::int64_t heads, std::int64_t out) = 0;
  virtual Flow norm(Flow x, const std::string& name, LlmNorm kind, std::int64_t heads) = 0;
  virtual Flow activate(Flow x, std::string_view kind) = 0;
  virtual Flow add(Flow a, Flow b) = 0;
  virtual Flow multiply(Flow a, Flow b) = 0;  // a gate of width 1 applies to the whole row
  virtual Flow last_token(Flow x) = 0;
  virtual Flow first_token(Flow x) = 0;

  virtual Flow rotary(Flow x, std::int64_t heads, std::int64_t rotary_dim) = 0;
  virtual Flow relative_bias(const std::string& name, std::int64_t buckets, std::int64_t heads) = 0;
  virtual Flow linear_bias(std::int64_t heads) = 0;  // ALiBi
  // `width` numbers of each head, from `begin` on.
  virtual Flow slice(Flow x, std::int64_t heads, std::int64_t begin, std::int64_t width) = 0;
  // Each head of a, then that of b; b may have one head for all.
  virtual Flow join(Flow a, Flow b, std::int64_t heads, std::int64_t b_heads) = 0;
  // Appends to the cache of this name and returns all of it.
  virtual Flow cached(Flow x, const std::string& name) = 0;
  virtual Flow cross_input(const std::string& name, std::int64_t width) = 0;
  virtual Flow attention(const LlmAttention& call) = 0;
  virtual Flow experts(Flow x, const LlmExperts& call) = 0;

  virtual void output(Flow x, const std::string& name) = 0;
};

void walk_llm(const LlmConfig& config, const LlmCall& call, LlmOps& ops);

}  // namespace onnxpress
