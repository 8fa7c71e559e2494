// What a language model costs, from its config.json alone: parameters, work and bytes for a prompt and for each new
// token, the cache, and the time on a device. The report behind `onnxpress llm`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// How numbers are stored. Integers below eight bits come with a scale of 16 bits for each 32 of them.
enum class LlmNumber : std::uint8_t { kFloat, kFloat16, kBfloat16, kFloat8, kInt8, kInt4, kInt3, kInt2 };
template <>
struct Words<LlmNumber> {
  static constexpr std::pair<std::string_view, LlmNumber> kAll[] = {
      {"float", LlmNumber::kFloat},   {"float16", LlmNumber::kFloat16}, {"bfloat16", LlmNumber::kBfloat16},
      {"float8", LlmNumber::kFloat8}, {"int8", LlmNumber::kInt8},       {"int4", LlmNumber::kInt4},
      {"int3", LlmNumber::kInt3},     {"int2", LlmNumber::kInt2}};
};

enum class LlmPhase : std::uint8_t { kPrefill, kDecode };
template <>
struct Words<LlmPhase> {
  static constexpr std::pair<std::string_view, LlmPhase> kAll[] = {{"prefill", LlmPhase::kPrefill},
                                                                   {"decode", LlmPhase::kDecode}};
};

struct LlmOptions {
  std::uint64_t batch = 1, prompt = 1024, new_tokens = 128, layers = 0;
  LlmNumber weights = LlmNumber::kFloat16, kv = LlmNumber::kFloat16, activations = LlmNumber::kFloat16;
  bool all_logits = false, causal = false;
  std::optional<std::string> device;
  LlmPhase phase = LlmPhase::kDecode;
  std::uint64_t opset = 23;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("batch", &LlmOptions::batch, "number of sequences processed at once (default 1)");
    visit("prompt", &LlmOptions::prompt, "tokens in the prompt, or tokens that an encoder reads (default 1024)");
    visit("new_tokens", &LlmOptions::new_tokens, "tokens to generate (default 128)");
    visit("layers", &LlmOptions::layers, "count only this many layers (default: all)");
    visit("weights", &LlmOptions::weights,
          "how matrices are stored (default float16); int4, int3 and int2 have a scale for every 32 numbers");
    visit("kv", &LlmOptions::kv, "how the key-value cache is stored (default float16)");
    visit("activations", &LlmOptions::activations, "type of activations (default float16)");
    visit("all_logits", &LlmOptions::all_logits, "the head computes every position of the prompt, not only the last");
    visit("causal", &LlmOptions::causal, "do not count scores that the causal mask and windows remove");
    visit("device", &LlmOptions::device,
          "estimate times on this device: a name, or a JSON file with its figures (docs/commands/llm.md)");
    visit("phase", &LlmOptions::phase,
          "which graph option `onnx` writes: decode (default; the cache is an input) or prefill");
    visit("opset", &LlmOptions::opset,
          "opset of that graph (default 23); below 23, attention and rotary positions are spelled out");
  }
};

struct LlmPartLine {
  std::string part;
  std::uint64_t parameters = 0;
  std::uint64_t prefill_macs = 0, decode_macs = 0, prefill_bytes = 0, decode_bytes = 0;
  std::optional<double> prefill_ms, decode_ms;
  std::string prefill_bound, decode_bound;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("part", &LlmPartLine::part, "embedding, norms, projections, attention, mlp, experts, head");
    visit("parameters", &LlmPartLine::parameters, "its parameters");
    visit("prefill_macs", &LlmPartLine::prefill_macs, "multiply-adds for the prompt");
    visit("decode_macs", &LlmPartLine::decode_macs, "multiply-adds for the first new token");
    visit("prefill_bytes", &LlmPartLine::prefill_bytes, "bytes moved for the prompt: weights, activations, cache");
    visit("decode_bytes", &LlmPartLine::decode_bytes, "bytes moved for the first new token");
    visit("prefill_ms", &LlmPartLine::prefill_ms, "time on the device; null without one");
    visit("decode_ms", &LlmPartLine::decode_ms, "likewise");
    visit("prefill_bound", &LlmPartLine::prefill_bound, "compute or memory: which takes most of the time");
    visit("decode_bound", &LlmPartLine::decode_bound, "likewise");
  }
};

struct LlmProjection {
  std::string device;
  double prefill_ms = 0, first_token_ms = 0, last_token_ms = 0, total_ms = 0, prefill_tokens_per_s = 0,
         tokens_per_s = 0;
  std::uint64_t memory_bytes = 0;
  std::optional<bool> fits;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("device", &LlmProjection::device, "name of the device");
    visit("prefill_ms", &LlmProjection::prefill_ms, "time to compute the prompt");
    visit("first_token_ms", &LlmProjection::first_token_ms, "time of the first new token");
    visit("last_token_ms", &LlmProjection::last_token_ms, "time of the last new token, with the longest cache");
    visit("total_ms", &LlmProjection::total_ms, "time of the prompt and all new tokens");
    visit("prefill_tokens_per_s", &LlmProjection::prefill_tokens_per_s, "prompt tokens per second, over all sequences");
    visit("tokens_per_s", &LlmProjection::tokens_per_s, "new tokens per second, over all sequences");
    visit("memory_bytes", &LlmProjection::memory_bytes, "weights, cache and activations");
    visit("fits", &LlmProjection::fits, "whether that fits into the device's memory; null if that is not known");
  }
};

struct LlmReport {
  std::string model, family;
  std::uint64_t layers = 0, hidden = 0, batch = 1, prompt = 0, new_tokens = 0;
  LlmNumber weights = LlmNumber::kFloat16, kv = LlmNumber::kFloat16, activations = LlmNumber::kFloat16;
  std::uint64_t parameters = 0, used_parameters = 0, weight_bytes = 0;
  std::uint64_t prefill_macs = 0, decode_macs = 0, prefill_bytes = 0, decode_bytes = 0, decode_weight_bytes = 0;
  std::uint64_t kv_bytes_per_token = 0, kv_bytes = 0, activation_bytes = 0, score_bytes = 0;
  bool decodes = true;
  std::vector<LlmPartLine> parts;
  std::optional<LlmProjection> projection;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("model", &LlmReport::model, "name or file");
    visit("family", &LlmReport::family, "how its layers are built");
    visit("layers", &LlmReport::layers, "layers, without those of an encoder");
    visit("hidden", &LlmReport::hidden, "width");
    visit("batch", &LlmReport::batch, "number of sequences processed at once");
    visit("prompt", &LlmReport::prompt, "tokens in the prompt");
    visit("new_tokens", &LlmReport::new_tokens, "tokens that are generated");
    visit("weights", &LlmReport::weights, "how matrices are stored");
    visit("kv", &LlmReport::kv, "how the key-value cache is stored");
    visit("activations", &LlmReport::activations, "type of activations");
    visit("parameters", &LlmReport::parameters, "parameters; tied ones count once");
    visit("used_parameters", &LlmReport::used_parameters, "parameters that one token is multiplied with");
    visit("weight_bytes", &LlmReport::weight_bytes, "bytes of all parameters");
    visit("prefill_macs", &LlmReport::prefill_macs, "multiply-adds for the prompt");
    visit("decode_macs", &LlmReport::decode_macs, "multiply-adds for the first new token");
    visit("prefill_bytes", &LlmReport::prefill_bytes, "bytes moved for the prompt: weights, activations, cache");
    visit("decode_bytes", &LlmReport::decode_bytes, "bytes moved for the first new token");
    visit("decode_weight_bytes", &LlmReport::decode_weight_bytes, "of these, weights");
    visit("kv_bytes_per_token", &LlmReport::kv_bytes_per_token, "cache for one token of one sequence");
    visit("kv_bytes", &LlmReport::kv_bytes, "cache of all sequences at the end");
    visit("activation_bytes", &LlmReport::activation_bytes, "peak activation memory, without stored scores");
    visit("score_bytes", &LlmReport::score_bytes, "size of the scores of one layer, if attention stores them");
    visit("decodes", &LlmReport::decodes, "false for an encoder: there are no new tokens");
    visit("parts", &LlmReport::parts, "each part, with its share");
    visit("projection", &LlmReport::projection, "times on a device; null without one");
  }
};

// `config`: a config.json, its text ("{...}"), or the name of a known model. Throws Error.
LlmReport describe_llm(const std::string& config, const LlmOptions& options);
// The model as a graph, whose weights take no memory. Throws Error.
Model graph_of_llm(const std::string& config, const LlmOptions& options);

std::string to_json(const LlmReport& report);

}  // namespace onnxpress
