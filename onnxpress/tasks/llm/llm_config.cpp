// Reads config.json: names of numbers differ between families, meanings do not.
#include "onnxpress/tasks/llm/llm_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/tasks/settings/known_names.h"

namespace onnxpress {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostSize = std::int64_t{1} << 24, kMostLayers = 10'000;
constexpr std::uint64_t kMostBytes = 10'000'000;

struct Field {
  std::int64_t LlmConfig::*number;
  std::string_view names;  // the first one that exists counts
};

constexpr Field kFields[] = {
    {&LlmConfig::hidden, "hidden_size n_embd d_model"},
    {&LlmConfig::layers, "num_hidden_layers n_layer n_layers decoder_layers num_decoder_layers num_layers"},
    {&LlmConfig::encoder_layers, "encoder_layers num_layers"},
    {&LlmConfig::heads, "num_attention_heads n_head n_heads decoder_attention_heads num_heads"},
    {&LlmConfig::kv_heads, "num_key_value_heads num_kv_heads"},
    {&LlmConfig::head_dim, "head_dim d_kv"},
    {&LlmConfig::inner, "intermediate_size n_inner d_ff decoder_ffn_dim ff_intermediate_size"},
    {&LlmConfig::vocab, "vocab_size"},
    {&LlmConfig::positions, "max_target_positions max_position_embeddings n_positions max_seq_len"},
    {&LlmConfig::types, "type_vocab_size"},
    {&LlmConfig::rotary_dim, "rotary_dim"},
    {&LlmConfig::window, "sliding_window"},
    {&LlmConfig::experts, "num_local_experts num_experts n_routed_experts"},
    {&LlmConfig::experts_used, "num_experts_per_tok"},
    {&LlmConfig::expert_inner, "moe_intermediate_size"},
    {&LlmConfig::shared_inner, "shared_expert_intermediate_size"},
    {&LlmConfig::dense_layers, "first_k_dense_replace"},
    {&LlmConfig::expert_step, "decoder_sparse_step moe_layer_freq"},
    {&LlmConfig::latent, "kv_lora_rank"},
    {&LlmConfig::query_latent, "q_lora_rank"},
    {&LlmConfig::nope_dim, "qk_nope_head_dim"},
    {&LlmConfig::rope_dim, "qk_rope_head_dim"},
    {&LlmConfig::value_dim, "v_head_dim"},
    {&LlmConfig::mels, "num_mel_bins"},
    {&LlmConfig::source_positions, "max_source_positions"},
    {&LlmConfig::buckets, "relative_attention_num_buckets"},
};

[[noreturn]] void refuse(std::string message, std::string hint = "is it the config.json of a language model?") {
  throw Error("", std::move(message), std::move(hint));
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  const Json* find(const std::string& name) const {
    const auto found = json_.find(name);
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }

  std::optional<std::int64_t> integer(std::string_view names) const {
    for (const std::string& name : words_in(names)) {
      const Json* found = find(name);
      if (!found) continue;
      if (!found->is_number_integer()) refuse(fmt::format("'{}' is not a whole number", name));
      if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(kMostSize))
        refuse(fmt::format("'{}' is larger than {}", name, kMostSize));
      const auto number = found->get<std::int64_t>();
      if (number < 0) refuse(fmt::format("'{}' is below 0", name));
      return number;
    }
    return std::nullopt;
  }

  std::optional<double> real(const std::string& name) const {
    const Json* found = find(name);
    return found && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  }
  std::optional<bool> flag(const std::string& name) const {
    const Json* found = find(name);
    return found && found->is_boolean() ? std::optional(found->get<bool>()) : std::nullopt;
  }
  std::string text(const std::string& name) const {
    const Json* found = find(name);
    return found && found->is_string() ? found->get<std::string>() : "";
  }

 private:
  const Json& json_;
};

LlmFamily family_of(const Json& json, const Reader& reader) {
  const std::string type = reader.text("model_type");
  for (const LlmFamily& each : llm_families()) {
    if (each.type == type) return each;
  }
  std::string architecture;
  if (const auto found = json.find("architectures"); found != json.end() && found->is_array() && !found->empty()) {
    if (found->front().is_string()) architecture = found->front().get<std::string>();
  }
  for (const LlmFamily& each : llm_families()) {
    if (!architecture.empty() && architecture.starts_with(each.architecture)) return each;
  }
  std::vector<std::string_view> known;
  for (const LlmFamily& each : llm_families()) known.push_back(each.type);
  refuse(type.empty() ? "the config has no 'model_type'" : fmt::format("there is no model family {}", quote_name(type)),
         fmt::format("known families: {}; if the model is built like one of them, set 'model_type' to it",
                     fmt::join(known, ", ")));
}

// Applies the flags of config.json that override the defaults of the family.
void apply_flags(const Reader& reader, LlmConfig& config) {
  LlmFamily& family = config.family;
  if (const auto tied = reader.flag("tie_word_embeddings")) family.tied = *tied;
  const bool plain = family.biases.empty();
  const bool attention = reader.flag("attention_bias").value_or(false), mlp = reader.flag("mlp_bias").value_or(false);
  if (plain && attention) family.biases = mlp ? "qkvom" : "qkvo";
  if (plain && mlp && !attention) family.biases = "m";
  // The second version of T5 has two projections.
  if (reader.text("feed_forward_proj").starts_with("gated")) {
    family.gated = true;
    family.activation = "GeluTanh";
  }
  if (reader.flag("use_sliding_window") == false) config.window = 0;
  config.router_bias = reader.text("topk_method") == "noaux_tc";
}

// Fills in the numbers that config.json leaves out.
void fill_in(const Reader& reader, LlmConfig& c) {
  if (c.kv_heads == 0) c.kv_heads = c.heads;
  if (c.heads > 0 && c.head_dim == 0) c.head_dim = c.hidden / c.heads;
  if (c.inner == 0) {
    const auto ratio = reader.integer("expansion_ratio");
    c.inner = std::min(kMostSize, ratio.value_or(4) * c.hidden);
  }
  if (c.family.role == LlmRole::kBoth && c.encoder_layers == 0) c.encoder_layers = c.layers;
  if (c.family.role != LlmRole::kBoth) c.encoder_layers = 0;
  if (c.family.positions == LlmPositions::kRelative && c.buckets == 0) c.buckets = 32;
  if (c.rotary_dim == 0) {
    const double share = reader.real("partial_rotary_factor").value_or(reader.real("rotary_pct").value_or(1.0));
    c.rotary_dim = static_cast<std::int64_t>(static_cast<double>(c.head_dim) * std::clamp(share, 0.0, 1.0)) / 2 * 2;
  }
  if (c.experts > 0 && c.expert_inner == 0) c.expert_inner = c.inner;
  if (const auto shared = reader.integer("n_shared_experts"); shared && c.expert_inner > 0)
    c.shared_inner = std::min(kMostSize, *shared * c.expert_inner);
  if (c.latent > 0) {
    c.head_dim = c.nope_dim + c.rope_dim;
    c.rotary_dim = c.rope_dim;
    c.kv_heads = c.heads;
  } else {
    c.value_dim = c.head_dim;
  }
  c.window_period = c.family.window_period;
  if (const auto pattern = reader.integer("sliding_window_pattern"); pattern && *pattern > 1) {
    c.window_period = *pattern;
    c.window_layers = *pattern - 1;
  }
}

void require(bool holds, std::string_view what) {
  if (!holds) refuse(fmt::format("the config does not describe a model: {}", what));
}

void check(const LlmConfig& c) {
  require(c.hidden > 0 && c.heads > 0 && c.vocab > 0, "the width, the number of heads or the vocabulary is missing");
  require(c.layers > 0 && c.layers <= kMostLayers && c.encoder_layers <= kMostLayers,
          "the number of layers is missing, or over 10,000");
  require(c.head_dim > 0 && c.value_dim > 0, "the size of heads is missing");
  require(c.kv_heads > 0 && c.kv_heads <= c.heads && c.heads % c.kv_heads == 0,
          "the number of heads is not a multiple of the number of key-value heads");
  require(c.rotary_dim <= c.head_dim, "the rotary part is larger than a head");
  require(c.experts == 0 || (c.experts_used > 0 && c.experts_used <= c.experts && c.expert_inner > 0),
          "the number of experts per token is missing, or larger than the number of experts");
  require(c.expert_step > 0, "'decoder_sparse_step' is 0");
  require(c.latent == 0 || (c.nope_dim > 0 && c.rope_dim > 0), "sizes of multi-latent attention are missing");
  const bool counts_positions = c.family.positions == LlmPositions::kLearned;
  require(!counts_positions || c.positions > 0, "the number of positions is missing");
  require(c.mels == 0 || c.source_positions > 0, "the number of source positions is missing");
}

}  // namespace

LlmConfig parse_llm_config(std::string_view text, std::string name) {
  const Json whole = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object()) refuse("it is not a JSON object");
  const auto inside = whole.find("text_config");  // the language part of a model that also takes images
  const Json& json = inside != whole.end() && inside->is_object() ? *inside : whole;
  const Reader reader(json);
  LlmConfig config;
  config.name = std::move(name);
  config.family = family_of(json, reader);
  for (const Field& field : kFields) {
    if (const auto number = reader.integer(field.names)) config.*field.number = *number;
  }
  apply_flags(reader, config);
  fill_in(reader, config);
  check(config);
  return config;
}

LlmConfig load_llm_config(const std::string& file_or_name) {
  if (file_or_name.starts_with('{')) return parse_llm_config(file_or_name, "config");
  for (const KnownLlm& each : known_llms()) {
    if (each.name == file_or_name) return parse_llm_config(each.config, file_or_name);
  }
  std::error_code ignored;
  if (!std::filesystem::exists(file_or_name, ignored) && !file_or_name.ends_with(".json")) {
    std::vector<std::string> names;
    for (const KnownLlm& each : known_llms()) names.emplace_back(each.name);
    refuse_unknown_name("model", file_or_name, names);
  }
  try {
    const auto file = MappedFile::open(file_or_name, FileAccess::kRead);
    if (file->bytes().size() > kMostBytes) refuse("it is too large for a config.json");
    return parse_llm_config(file->bytes().view(), file_or_name);
  } catch (Error& error) {
    error.set_file(file_or_name);
    throw;
  }
}

}  // namespace onnxpress
