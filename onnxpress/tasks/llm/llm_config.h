// What a language model is made of: the numbers of a Hugging Face style config.json, and the family, which determines
// how its layers are built.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace onnxpress {

enum class LlmRole : std::uint8_t { kDecoder, kEncoder, kBoth };
enum class LlmNorm : std::uint8_t { kRms, kLayer, kLayerWithoutBias };
enum class LlmPositions : std::uint8_t { kRotary, kLearned, kAlibi, kRelative };
enum class LlmBlock : std::uint8_t {
  kPre,           // x + attention(norm(x)), then x + mlp(norm(x))
  kPost,          // norm(x + attention(x)), then norm(x + mlp(x))
  kSandwich,      // x + norm(attention(norm(x))), then x + norm(mlp(norm(x)))
  kParallel,      // x + attention(n) + mlp(n) with n = norm(x)
  kParallelNorms  // the same, but with a norm for each
};

// One row for each family. What a config.json can change (biases, tied embeddings) is a default here.
struct LlmFamily {
  std::string_view type;          // `model_type` of config.json
  std::string_view architecture;  // how the names in `architectures` begin
  LlmRole role = LlmRole::kDecoder;
  LlmBlock block = LlmBlock::kPre;
  LlmNorm norm = LlmNorm::kRms;
  LlmPositions positions = LlmPositions::kRotary;
  std::string_view activation = "Silu";
  bool gated = true;               // the MLP multiplies two projections
  std::string_view biases = "";    // letters: q k v o (attention), m (MLP), h (head)
  bool qk_norm = false;            // queries and keys are normalized, head by head
  bool tied = false;               // the head is the embedding table
  bool pooler = false;             // a projection of the first token at the end
  bool shared_gate = false;        // the shared expert has a gate of its own
  std::int64_t window_period = 1;  // in each group of this many layers, the first has windowed attention
};
std::span<const LlmFamily> llm_families();

struct LlmConfig {
  std::string name;
  LlmFamily family;
  std::int64_t hidden = 0, layers = 0, encoder_layers = 0, heads = 0, kv_heads = 0, head_dim = 0, inner = 0, vocab = 0;
  std::int64_t positions = 0, types = 0, rotary_dim = 0;
  // Size of the attention window, 0 for none. All layers have it, or `window_layers` of every `window_period`.
  std::int64_t window = 0, window_layers = 1, window_period = 1;
  // Mixture of experts: every `expert_step`th layer from `dense_layers` on.
  std::int64_t experts = 0, experts_used = 0, expert_inner = 0, shared_inner = 0, dense_layers = 0, expert_step = 1;
  bool router_bias = false;
  // Multi-latent attention: keys and values come from `latent` numbers per token; head_dim = nope + rope.
  std::int64_t latent = 0, query_latent = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;
  // Encoders of sound: frequencies, and positions after the two convolutions.
  std::int64_t mels = 0, source_positions = 0;
  std::int64_t buckets = 0;  // of relative positions

  bool has_bias(char letter) const { return family.biases.find(letter) != std::string_view::npos; }
  bool has_experts(std::int64_t layer) const {
    return experts > 0 && layer >= dense_layers && (layer + 1) % expert_step == 0;
  }
  bool has_window(std::int64_t layer) const { return window > 0 && layer % window_period < window_layers; }
};

// Throws Error when it is not such a file, or its numbers do not describe a model.
LlmConfig parse_llm_config(std::string_view json, std::string name);

// Well known models, from their public config.json.
struct KnownLlm {
  std::string_view name;
  std::uint64_t parameters;  // as published
  std::string_view config;   // only what the counts depend on
};
std::span<const KnownLlm> known_llms();

// A file, or the name of a known model. Throws Error, with the nearest names.
LlmConfig load_llm_config(const std::string& file_or_name);

}  // namespace onnxpress
