// Well known language models: the relevant parts of their public config.json, and the published number of parameters of
// each, which a test compares with our count.
#include "onnxpress/tasks/llm/llm_config.h"

namespace onnxpress {

namespace {

// clang-format off
constexpr KnownLlm kModels[] = {
    {"llama-2-7b", 6738415616, R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"intermediate_size":11008,"vocab_size":32000})"},
    {"llama-2-13b", 13015864320, R"({"model_type":"llama","hidden_size":5120,"num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":40,"intermediate_size":13824,"vocab_size":32000})"},
    {"llama-2-70b", 68976648192, R"({"model_type":"llama","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":28672,"vocab_size":32000})"},
    {"llama-3-8b", 8030261248, R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256})"},
    {"llama-3.1-70b", 70553706496, R"({"model_type":"llama","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":28672,"vocab_size":128256})"},
    {"llama-3.1-405b", 405853388800, R"({"model_type":"llama","hidden_size":16384,"num_hidden_layers":126,"num_attention_heads":128,"num_key_value_heads":8,"intermediate_size":53248,"vocab_size":128256})"},
    {"llama-3.2-1b", 1235814400, R"({"model_type":"llama","hidden_size":2048,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":8192,"vocab_size":128256,"tie_word_embeddings":true,"head_dim":64})"},
    {"llama-3.2-3b", 3212749824, R"({"model_type":"llama","hidden_size":3072,"num_hidden_layers":28,"num_attention_heads":24,"num_key_value_heads":8,"intermediate_size":8192,"vocab_size":128256,"tie_word_embeddings":true,"head_dim":128})"},
    {"tinyllama-1.1b", 1100048384, R"({"model_type":"llama","hidden_size":2048,"num_hidden_layers":22,"num_attention_heads":32,"num_key_value_heads":4,"intermediate_size":5632,"vocab_size":32000})"},
    {"yi-34b", 34388917248, R"({"model_type":"llama","hidden_size":7168,"num_hidden_layers":60,"num_attention_heads":56,"num_key_value_heads":8,"intermediate_size":20480,"vocab_size":64000})"},
    {"mistral-7b", 7241732096, R"({"model_type":"mistral","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,"sliding_window":4096})"},
    {"mixtral-8x7b", 46702792704, R"({"model_type":"mixtral","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,"num_local_experts":8,"num_experts_per_tok":2})"},
    {"qwen2.5-0.5b", 494032768, R"({"model_type":"qwen2","hidden_size":896,"num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"intermediate_size":4864,"vocab_size":151936,"tie_word_embeddings":true})"},
    {"qwen2.5-7b", 7615616512, R"({"model_type":"qwen2","hidden_size":3584,"num_hidden_layers":28,"num_attention_heads":28,"num_key_value_heads":4,"intermediate_size":18944,"vocab_size":152064})"},
    {"qwen2-72b", 72706203648, R"({"model_type":"qwen2","hidden_size":8192,"num_hidden_layers":80,"num_attention_heads":64,"num_key_value_heads":8,"intermediate_size":29568,"vocab_size":152064})"},
    {"qwen1.5-moe-a2.7b", 14315784192, R"({"model_type":"qwen2_moe","hidden_size":2048,"num_hidden_layers":24,"num_attention_heads":16,"num_key_value_heads":16,"intermediate_size":5632,"vocab_size":151936,"num_experts":60,"num_experts_per_tok":4,"moe_intermediate_size":1408,"shared_expert_intermediate_size":5632})"},
    {"qwen3-0.6b", 596049920, R"({"model_type":"qwen3","hidden_size":1024,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"intermediate_size":3072,"vocab_size":151936,"head_dim":128,"tie_word_embeddings":true})"},
    {"qwen3-8b", 8190735360, R"({"model_type":"qwen3","hidden_size":4096,"num_hidden_layers":36,"num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":12288,"vocab_size":151936,"head_dim":128})"},
    {"qwen3-30b-a3b", 30532122624, R"({"model_type":"qwen3_moe","hidden_size":2048,"num_hidden_layers":48,"num_attention_heads":32,"num_key_value_heads":4,"intermediate_size":6144,"vocab_size":151936,"head_dim":128,"num_experts":128,"num_experts_per_tok":8,"moe_intermediate_size":768})"},
    {"phi-2", 2779683840, R"({"model_type":"phi","hidden_size":2560,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"intermediate_size":10240,"vocab_size":51200,"partial_rotary_factor":0.4})"},
    {"phi-3-mini", 3821079552, R"({"model_type":"phi3","hidden_size":3072,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":32,"intermediate_size":8192,"vocab_size":32064,"sliding_window":2047})"},
    {"phi-3-medium", 13960238080, R"({"model_type":"phi3","hidden_size":5120,"num_hidden_layers":40,"num_attention_heads":40,"num_key_value_heads":10,"intermediate_size":17920,"vocab_size":32064,"sliding_window":2047})"},
    {"gemma-2b", 2506172416, R"({"model_type":"gemma","hidden_size":2048,"num_hidden_layers":18,"num_attention_heads":8,"num_key_value_heads":1,"intermediate_size":16384,"vocab_size":256000,"head_dim":256})"},
    {"gemma-7b", 8537680896, R"({"model_type":"gemma","hidden_size":3072,"num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":16,"intermediate_size":24576,"vocab_size":256000,"head_dim":256})"},
    {"gemma-2-2b", 2614341888, R"({"model_type":"gemma2","hidden_size":2304,"num_hidden_layers":26,"num_attention_heads":8,"num_key_value_heads":4,"intermediate_size":9216,"vocab_size":256000,"head_dim":256,"sliding_window":4096})"},
    {"gemma-2-9b", 9241705984, R"({"model_type":"gemma2","hidden_size":3584,"num_hidden_layers":42,"num_attention_heads":16,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":256000,"head_dim":256,"sliding_window":4096})"},
    {"gemma-3-1b", 999885952, R"({"model_type":"gemma3_text","hidden_size":1152,"num_hidden_layers":26,"num_attention_heads":4,"num_key_value_heads":1,"intermediate_size":6912,"vocab_size":262144,"head_dim":256,"sliding_window":512,"sliding_window_pattern":6})"},
    {"deepseek-v2-lite", 15706484224, R"({"model_type":"deepseek_v2","hidden_size":2048,"num_hidden_layers":27,"num_attention_heads":16,"num_key_value_heads":16,"intermediate_size":10944,"vocab_size":102400,"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"n_routed_experts":64,"n_shared_experts":2,"num_experts_per_tok":6,"moe_intermediate_size":1408,"first_k_dense_replace":1})"},
    {"deepseek-v3", 671026419200, R"({"model_type":"deepseek_v3","hidden_size":7168,"num_hidden_layers":61,"num_attention_heads":128,"num_key_value_heads":128,"intermediate_size":18432,"vocab_size":129280,"kv_lora_rank":512,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128,"n_routed_experts":256,"n_shared_experts":1,"num_experts_per_tok":8,"moe_intermediate_size":2048,"first_k_dense_replace":3,"topk_method":"noaux_tc"})"},
    {"gpt2", 124439808, R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"n_positions":1024,"vocab_size":50257})"},
    {"gpt2-medium", 354823168, R"({"model_type":"gpt2","n_embd":1024,"n_layer":24,"n_head":16,"n_positions":1024,"vocab_size":50257})"},
    {"gpt2-large", 774030080, R"({"model_type":"gpt2","n_embd":1280,"n_layer":36,"n_head":20,"n_positions":1024,"vocab_size":50257})"},
    {"gpt2-xl", 1557611200, R"({"model_type":"gpt2","n_embd":1600,"n_layer":48,"n_head":25,"n_positions":1024,"vocab_size":50257})"},
    {"gpt-j-6b", 6050882784, R"({"model_type":"gptj","n_embd":4096,"n_layer":28,"n_head":16,"n_positions":2048,"rotary_dim":64,"vocab_size":50400})"},
    {"gpt-neox-20b", 20554567680, R"({"model_type":"gpt_neox","hidden_size":6144,"num_hidden_layers":44,"num_attention_heads":64,"intermediate_size":24576,"rotary_pct":0.25,"vocab_size":50432})"},
    {"pythia-1.4b", 1414647808, R"({"model_type":"gpt_neox","hidden_size":2048,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":8192,"rotary_pct":0.25,"vocab_size":50304})"},
    {"mpt-7b", 6649286656, R"({"model_type":"mpt","d_model":4096,"n_layers":32,"n_heads":32,"expansion_ratio":4,"max_seq_len":2048,"vocab_size":50432})"},
    {"bert-base-uncased", 109482240, R"({"model_type":"bert","hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,"max_position_embeddings":512,"type_vocab_size":2,"vocab_size":30522})"},
    {"bert-large-uncased", 335141888, R"({"model_type":"bert","hidden_size":1024,"num_hidden_layers":24,"num_attention_heads":16,"intermediate_size":4096,"max_position_embeddings":512,"type_vocab_size":2,"vocab_size":30522})"},
    {"roberta-base", 124645632, R"({"model_type":"roberta","hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,"intermediate_size":3072,"max_position_embeddings":514,"type_vocab_size":1,"vocab_size":50265})"},
    {"t5-small", 60506624, R"({"model_type":"t5","d_model":512,"d_ff":2048,"d_kv":64,"num_layers":6,"num_heads":8,"vocab_size":32128})"},
    {"t5-base", 222903552, R"({"model_type":"t5","d_model":768,"d_ff":3072,"d_kv":64,"num_layers":12,"num_heads":12,"vocab_size":32128})"},
    {"t5-large", 737668096, R"({"model_type":"t5","d_model":1024,"d_ff":4096,"d_kv":64,"num_layers":24,"num_heads":16,"vocab_size":32128})"},
    {"whisper-tiny", 37760640, R"({"model_type":"whisper","d_model":384,"encoder_layers":4,"decoder_layers":4,"decoder_attention_heads":6,"decoder_ffn_dim":1536,"num_mel_bins":80,"max_source_positions":1500,"max_target_positions":448,"vocab_size":51865})"},
    {"whisper-base", 72593920, R"({"model_type":"whisper","d_model":512,"encoder_layers":6,"decoder_layers":6,"decoder_attention_heads":8,"decoder_ffn_dim":2048,"num_mel_bins":80,"max_source_positions":1500,"max_target_positions":448,"vocab_size":51865})"},
    {"whisper-small", 241734912, R"({"model_type":"whisper","d_model":768,"encoder_layers":12,"decoder_layers":12,"decoder_attention_heads":12,"decoder_ffn_dim":3072,"num_mel_bins":80,"max_source_positions":1500,"max_target_positions":448,"vocab_size":51865})"},
    {"whisper-large-v3", 1543490560, R"({"model_type":"whisper","d_model":1280,"encoder_layers":32,"decoder_layers":32,"decoder_attention_heads":20,"decoder_ffn_dim":5120,"num_mel_bins":128,"max_source_positions":1500,"max_target_positions":448,"vocab_size":51866})"},
};
// clang-format on

}  // namespace

std::span<const KnownLlm> known_llms() { return kModels; }

}  // namespace onnxpress
