// Lists the steps of a model, from its config and its family.
#include <fmt/format.h>

#include "onnxpress/tasks/llm/llm_ops.h"

namespace onnxpress {

namespace {

constexpr const char* kTable = "embedding.tokens.weight";

class Walk {
 public:
  Walk(const LlmConfig& config, const LlmCall& call, LlmOps& ops) : c_(config), call_(call), ops_(ops) {}

  void run() {
    const bool both = c_.family.role == LlmRole::kBoth, encoder = c_.family.role == LlmRole::kEncoder;
    if (both && !call_.decode) memory_ = encode();
    stack_ = {.prefix = both ? "decoder." : "", .causal = !encoder, .cached = !encoder, .cross = both};
    Flow x = layers(embed("input_ids", call_.tokens), c_.layers);
    ops_.enter(LlmPart::kNorms, "final");
    if (c_.family.block != LlmBlock::kPost) x = norm(x, stack_.prefix + "norm");
    if (encoder) {
      ops_.output(x, "last_hidden_state");
      if (c_.family.pooler) pool(x);
    } else {
      head(x);
    }
  }

 private:
  struct Stack {
    std::string prefix;
    bool causal = false, cached = false, cross = false;
  };

  Flow norm(Flow x, const std::string& name, std::int64_t heads = 1) {
    return ops_.norm(x, name, c_.family.norm, heads);
  }

  // --- Ends

  Flow embed(const std::string& input, std::uint64_t count) {
    ops_.enter(LlmPart::kEmbedding, "embedding");
    Flow x = ops_.lookup(ops_.tokens(input, count), kTable, c_.vocab, c_.hidden);
    if (c_.family.positions == LlmPositions::kLearned) {
      const Flow places = ops_.tokens("position_ids", count);
      x = ops_.add(x, ops_.lookup(places, "embedding.positions.weight", c_.positions, c_.hidden));
    }
    if (c_.types > 0) {
      const Flow types = ops_.tokens("token_type_ids", count);
      x = ops_.add(x, ops_.lookup(types, "embedding.types.weight", c_.types, c_.hidden));
    }
    if (c_.family.block == LlmBlock::kPost) x = norm(x, "embedding.norm");
    return x;
  }

  Flow encode() {
    stack_ = {.prefix = "encoder."};
    Flow x;
    if (c_.mels > 0) {
      ops_.enter(LlmPart::kEmbedding, "encoder");
      x = ops_.sound(c_.mels, 2 * call_.source);
      x = ops_.activate(ops_.convolve(x, "encoder.conv1", c_.hidden, 1), c_.family.activation);
      x = ops_.activate(ops_.convolve(x, "encoder.conv2", c_.hidden, 2), c_.family.activation);
      x = ops_.add_table(ops_.to_tokens(x), "encoder.positions.weight", c_.source_positions);
    } else {
      x = embed("encoder_input_ids", call_.source);
    }
    x = layers(x, c_.encoder_layers);
    ops_.enter(LlmPart::kNorms, "encoder");
    return norm(x, "encoder.norm");
  }

  void pool(Flow x) {
    ops_.enter(LlmPart::kHead, "pooler");
    ops_.output(ops_.activate(ops_.linear(ops_.first_token(x), "pooler", c_.hidden, true), "Tanh"), "pooler_output");
  }

  void head(Flow x) {
    ops_.enter(LlmPart::kHead, "head");
    if (!call_.all_logits) x = ops_.last_token(x);
    ops_.output(
        c_.family.tied ? ops_.tied_linear(x, kTable, c_.vocab) : ops_.linear(x, "head", c_.vocab, c_.has_bias('h')),
        "logits");
  }

  // --- Layers

  Flow layers(Flow x, std::int64_t count) {
    bias_ = {};
    for (std::int64_t i = 0; i < count; ++i) {
      layer_ = i;
      place_ = fmt::format("{}layers.{}.", stack_.prefix, i);
      x = layer(x);
    }
    return x;
  }

  Flow layer(Flow x) {
    const LlmBlock block = c_.family.block;
    const bool post = block == LlmBlock::kPost, sandwich = block == LlmBlock::kSandwich;
    const Flow first = post ? x : normed(x, "norm1");
    Flow mixed = attention(first);
    if (sandwich) mixed = normed(mixed, "norm1_post");
    if (block == LlmBlock::kParallel || block == LlmBlock::kParallelNorms) {
      const Flow second = block == LlmBlock::kParallel ? first : normed(x, "norm2");
      return ops_.add(ops_.add(mixed, mlp(second)), x);
    }
    x = ops_.add(x, mixed);
    if (post) x = normed(x, "norm1");
    if (stack_.cross) x = ops_.add(x, cross_attention(normed(x, "norm_cross")));
    Flow changed = mlp(post ? x : normed(x, "norm2"));
    if (sandwich) changed = normed(changed, "norm2_post");
    x = ops_.add(x, changed);
    return post ? normed(x, "norm2") : x;
  }

  Flow normed(Flow x, const std::string& name) {
    ops_.enter(LlmPart::kNorms, place_);
    return norm(x, place_ + name);
  }

  // --- Attention

  Flow project(Flow x, const std::string& name, std::int64_t out, char bias) {
    return ops_.linear(x, place_ + name, out, c_.has_bias(bias));
  }

  Flow attention(Flow x) {
    ops_.enter(LlmPart::kProjections, place_);
    if (c_.latent > 0) return latent_attention(x);
    Flow q = project(x, "attention.q", c_.heads * c_.head_dim, 'q');
    Flow k = project(x, "attention.k", c_.kv_heads * c_.head_dim, 'k');
    const Flow v = project(x, "attention.v", c_.kv_heads * c_.value_dim, 'v');
    if (c_.family.qk_norm) {
      q = norm(q, place_ + "attention.q_norm", c_.heads);
      k = norm(k, place_ + "attention.k_norm", c_.kv_heads);
    }
    if (c_.family.positions == LlmPositions::kRotary) {
      q = ops_.rotary(q, c_.heads, c_.rotary_dim);
      k = ops_.rotary(k, c_.kv_heads, c_.rotary_dim);
    }
    LlmAttention call{.q = q, .k = k, .v = v, .heads = c_.heads, .kv_heads = c_.kv_heads, .key_dim = c_.head_dim};
    call.value_dim = c_.value_dim;
    call.bias = score_bias();
    call.cache = stack_.cached ? std::to_string(layer_) : "";
    return finish(call);
  }

  Flow finish(LlmAttention& call) {
    call.causal = stack_.causal && !call.cross;
    call.window = call.causal && c_.has_window(layer_) ? c_.window : 0;
    call.scaled = c_.family.positions != LlmPositions::kRelative;
    ops_.enter(LlmPart::kAttention, place_);
    const Flow mixed = ops_.attention(call);
    ops_.enter(LlmPart::kProjections, place_);
    return project(mixed, call.cross ? "cross.o" : "attention.o", c_.hidden, 'o');
  }

  // The table of relative positions is in the first layer of a stack, and all layers use it.
  Flow score_bias() {
    if (c_.family.positions == LlmPositions::kRelative && layer_ == 0)
      bias_ = ops_.relative_bias(stack_.prefix + "relative_bias", c_.buckets, c_.heads);
    if (c_.family.positions == LlmPositions::kAlibi && layer_ == 0) bias_ = ops_.linear_bias(c_.heads);
    return bias_;
  }

  Flow cross_attention(Flow x) {
    ops_.enter(LlmPart::kProjections, place_);
    LlmAttention call{.heads = c_.heads, .kv_heads = c_.heads, .key_dim = c_.head_dim, .value_dim = c_.head_dim};
    const std::int64_t width = c_.heads * c_.head_dim;
    call.cross = true;
    call.q = project(x, "cross.q", width, 'q');
    if (call_.decode) {
      call.k = ops_.cross_input(fmt::format("cross.{}.key", layer_), width);
      call.v = ops_.cross_input(fmt::format("cross.{}.value", layer_), width);
    } else {
      call.k = project(memory_, "cross.k", width, 'k');
      call.v = project(memory_, "cross.v", width, 'v');
    }
    return finish(call);
  }

  // Keys and values are computed from a few numbers per token, and only these are cached. With a cache, the matrices
  // that compute them are applied to queries and results instead, so that the cached numbers are used as they are.
  Flow latent_attention(Flow x) {
    Flow q = x;
    if (c_.query_latent > 0) {
      q = norm(project(q, "attention.q_down", c_.query_latent, 'q'), place_ + "attention.q_norm");
    }
    q = ops_.linear(q, place_ + "attention.q_up", c_.heads * c_.head_dim, false);
    const Flow q_plain = ops_.slice(q, c_.heads, 0, c_.nope_dim);
    const Flow q_rope = ops_.rotary(ops_.slice(q, c_.heads, c_.nope_dim, c_.rope_dim), c_.heads, c_.rope_dim);
    const Flow down = project(x, "attention.kv_down", c_.latent + c_.rope_dim, 'k');
    const Flow latent = norm(ops_.slice(down, 1, 0, c_.latent), place_ + "attention.kv_norm");
    const Flow k_rope = ops_.rotary(ops_.slice(down, 1, c_.latent, c_.rope_dim), 1, c_.rope_dim);
    const std::string keys = place_ + "attention.k_up", values = place_ + "attention.v_up";
    LlmAttention call{.heads = c_.heads, .kv_heads = c_.heads, .key_dim = c_.head_dim, .value_dim = c_.value_dim};
    const Flow kept = ops_.cached(ops_.join(latent, k_rope, 1, 1), std::to_string(layer_));
    if (!call_.decode) {
      call.q = ops_.join(q_plain, q_rope, c_.heads, c_.heads);
      const Flow k_plain = ops_.linear(latent, keys, c_.heads * c_.nope_dim, false);
      call.k = ops_.join(k_plain, k_rope, c_.heads, 1);
      call.v = ops_.linear(latent, values, c_.heads * c_.value_dim, false);
      return finish(call);
    }
    call.kv_heads = 1;
    call.key_dim = c_.latent + c_.rope_dim;
    call.value_dim = c_.latent;
    call.value_in_key = true;
    call.q = ops_.join(ops_.head_linear(q_plain, keys, c_.heads, c_.latent), q_rope, c_.heads, c_.heads);
    call.k = kept;
    call.v = ops_.slice(kept, 1, 0, c_.latent);
    ops_.enter(LlmPart::kAttention, place_);
    const Flow mixed = ops_.attention(call);
    ops_.enter(LlmPart::kProjections, place_);
    return project(ops_.head_linear(mixed, values, c_.heads, c_.value_dim), "attention.o", c_.hidden, 'o');
  }

  // --- MLP

  Flow feed_forward(Flow x, const std::string& name, std::int64_t inner, bool bias) {
    const Flow up = ops_.linear(x, place_ + name + ".up", inner, bias);
    const std::string_view kind = c_.family.activation;
    const Flow active =
        c_.family.gated ? ops_.multiply(ops_.activate(ops_.linear(x, place_ + name + ".gate", inner, bias), kind), up)
                        : ops_.activate(up, kind);
    return ops_.linear(active, place_ + name + ".down", c_.hidden, bias);
  }

  Flow mlp(Flow x) {
    if (!c_.has_experts(layer_)) {
      ops_.enter(LlmPart::kMlp, place_);
      return feed_forward(x, "mlp", c_.inner, c_.has_bias('m'));
    }
    ops_.enter(LlmPart::kExperts, place_ + "experts");
    Flow mixed = ops_.experts(x, {.experts = c_.experts,
                                  .used = c_.experts_used,
                                  .inner = c_.expert_inner,
                                  .gated = c_.family.gated,
                                  .router_bias = c_.router_bias,
                                  .activation = c_.family.activation});
    if (c_.shared_inner == 0) return mixed;
    Flow shared = feed_forward(x, "shared_expert", c_.shared_inner, false);
    if (c_.family.shared_gate)
      shared = ops_.multiply(shared, ops_.activate(ops_.linear(x, place_ + "shared_gate", 1, false), "Sigmoid"));
    return ops_.add(mixed, shared);
  }

  const LlmConfig& c_;
  const LlmCall& call_;
  LlmOps& ops_;
  Stack stack_;
  Flow memory_, bias_;
  std::int64_t layer_ = 0;
  std::string place_;
};

}  // namespace

void walk_llm(const LlmConfig& config, const LlmCall& call, LlmOps& ops) { Walk(config, call, ops).run(); }

}  // namespace onnxpress
