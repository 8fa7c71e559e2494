// From a config to the report: the prompt is counted once, then the first and the last new token.
#include "onnxpress/tasks/llm/llm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/tasks/llm/llm_counter.h"
#include "onnxpress/tasks/llm/llm_graph.h"
#include "onnxpress/tasks/profile/device.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace {

constexpr const char* kPartNames[kLlmParts] = {"embedding", "norms",   "projections", "attention",
                                               "mlp",       "experts", "head"};

// Twice the number of bits, to have whole numbers.
std::uint64_t bits_of(LlmNumber number) {
  switch (number) {
    case LlmNumber::kFloat:
      return 64;
    case LlmNumber::kFloat16:
    case LlmNumber::kBfloat16:
      return 32;
    case LlmNumber::kFloat8:
    case LlmNumber::kInt8:
      return 16;
    case LlmNumber::kInt4:
      return 9;
    case LlmNumber::kInt3:
      return 7;
    case LlmNumber::kInt2:
      return 5;
  }
  return 32;
}

std::uint64_t rounded(double number) {
  return number >= 18e18 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(std::ceil(number));
}

void require_between(std::string_view option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  throw OptionError(fmt::format("option `{}` is {}", option, value),
                    fmt::format("use a number from {} to {}", least, most));
}

void require_valid(const LlmOptions& options) {
  require_between("batch", options.batch, 1, 1 << 20);
  require_between("prompt", options.prompt, 1, 1 << 24);
  require_between("new_tokens", options.new_tokens, 1, 1 << 24);
  require_between("layers", options.layers, 0, 10'000);
  require_between("opset", options.opset, 20, 28);
}

LlmConfig loaded(const std::string& name, const LlmOptions& options) {
  require_valid(options);
  LlmConfig config = load_llm_config(name);
  const auto limit = static_cast<std::int64_t>(options.layers);
  if (limit > 0) {
    config.layers = std::min(config.layers, limit);
    config.encoder_layers = std::min(config.encoder_layers, limit);
  }
  return config;
}

class Describer {
 public:
  Describer(const LlmConfig& config, const LlmOptions& options) : c_(config), options_(options) {
    bits_ = {bits_of(options.weights), bits_of(options.kv), bits_of(options.activations)};
    if (options.device) {
      device_ = load_device(*options.device);
      rates_ = LlmRates{device_->flops(static_cast<int>(bits_.activations / 2)), device_->bytes_per_s()};
    }
  }

  LlmReport describe() {
    decodes_ = c_.family.role != LlmRole::kEncoder;
    const LlmCounter prefill = counted(prefill_call());
    const LlmCounter first = counted(decode_call(0)), last = counted(decode_call(options_.new_tokens - 1));
    add_settings();
    add_totals(prefill, first);
    add_parts(prefill, first);
    add_memory(prefill);
    if (device_) add_projection(prefill.total(), first.total(), last.total());
    return std::move(report_);
  }

 private:
  // The prompt of an encoder-decoder goes to its encoder, and its decoder begins with one token. If the encoder reads
  // sound, that has its own length, and the prompt goes to the decoder.
  bool encodes() const { return c_.family.role == LlmRole::kBoth; }
  std::uint64_t source() const {
    return !encodes() ? 0 : c_.mels > 0 ? static_cast<std::uint64_t>(c_.source_positions) : options_.prompt;
  }
  std::uint64_t start() const { return encodes() && c_.mels == 0 ? 1 : options_.prompt; }

  LlmCall prefill_call() const {
    return {.batch = options_.batch, .tokens = start(), .source = source(), .all_logits = options_.all_logits};
  }
  LlmCall decode_call(std::uint64_t token) const {
    return {.batch = options_.batch, .tokens = 1, .past = start() + token, .source = source(), .decode = true};
  }

  LlmCounter counted(const LlmCall& call) const {
    LlmCounter counter(call, bits_, rates_, options_.causal);
    if (!call.decode || decodes_) walk_llm(c_, call, counter);
    return counter;
  }

  void add_settings() {
    report_.model = c_.name;
    report_.family = c_.family.type;
    report_.layers = static_cast<std::uint64_t>(c_.layers);
    report_.hidden = static_cast<std::uint64_t>(c_.hidden);
    report_.batch = options_.batch;
    report_.prompt = options_.prompt;
    report_.new_tokens = decodes_ ? options_.new_tokens : 0;
    report_.weights = options_.weights;
    report_.kv = options_.kv;
    report_.activations = options_.activations;
    report_.decodes = decodes_;
  }

  static double moved(const LlmTotals& totals) {
    return totals.weight_bytes + totals.activation_bytes + totals.cache_bytes;
  }

  void add_totals(const LlmCounter& prefill, const LlmCounter& decode) {
    const LlmTotals all = prefill.total(), token = decode.total();
    report_.parameters = saturated(all.parameters);
    report_.used_parameters = saturated(decodes_ ? token.used_parameters : all.used_parameters);
    report_.weight_bytes = rounded(all.stored_bytes);
    report_.prefill_macs = saturated(all.macs);
    report_.decode_macs = saturated(token.macs);
    report_.prefill_bytes = rounded(moved(all));
    report_.decode_bytes = rounded(moved(token));
    report_.decode_weight_bytes = rounded(token.weight_bytes);
  }

  void add_parts(const LlmCounter& prefill, const LlmCounter& decode) {
    const auto bound = [](const LlmTotals& part) {
      return part.seconds == 0 ? "" : part.compute_seconds > part.memory_seconds ? "compute" : "memory";
    };
    for (std::size_t i = 0; i < kLlmParts; ++i) {
      const LlmTotals &whole = prefill.parts()[i], &token = decode.parts()[i];
      if (moved(whole) == 0 && whole.parameters == 0) continue;
      LlmPartLine line;
      line.part = kPartNames[i];
      line.parameters = saturated(whole.parameters);
      line.prefill_macs = saturated(whole.macs);
      line.decode_macs = saturated(token.macs);
      line.prefill_bytes = rounded(moved(whole));
      line.decode_bytes = rounded(moved(token));
      if (device_) {
        line.prefill_ms = 1000 * whole.seconds;
        line.decode_ms = 1000 * token.seconds;
        line.prefill_bound = bound(whole);
        line.decode_bound = bound(token);
      }
      report_.parts.push_back(std::move(line));
    }
  }

  // Layers with windowed attention keep no more tokens than the window has.
  void add_memory(const LlmCounter& prefill) {
    const double cache_bits = static_cast<double>(bits_.cache) / 16, bits = static_cast<double>(bits_.activations) / 16;
    const auto full = static_cast<double>(prefill.cache_per_token());
    const auto windowed = static_cast<double>(prefill.window_per_token());
    const auto length = static_cast<double>(start() + (decodes_ ? options_.new_tokens : 0));
    const auto kept = c_.window > 0 ? std::min(length, static_cast<double>(c_.window)) : length;
    const auto crossed = static_cast<double>(prefill.cross_per_token()) * static_cast<double>(source());
    report_.kv_bytes_per_token = rounded((full + windowed) * cache_bits);
    report_.kv_bytes =
        rounded((full * length + windowed * kept + crossed) * cache_bits * static_cast<double>(options_.batch));
    report_.activation_bytes = rounded(static_cast<double>(prefill.peak()) * bits);
    report_.score_bytes = rounded(static_cast<double>(prefill.largest_scores()) * bits);
  }

  void add_projection(const LlmTotals& prefill, const LlmTotals& first, const LlmTotals& last) {
    LlmProjection& out = report_.projection.emplace();
    const auto tokens = static_cast<double>(options_.new_tokens), batch = static_cast<double>(options_.batch);
    out.device = device_->name;
    out.prefill_ms = 1000 * prefill.seconds;
    out.first_token_ms = 1000 * first.seconds;
    out.last_token_ms = 1000 * last.seconds;
    // The cache grows by one token at a time, and the time per token grows with it.
    const double decode_ms = decodes_ ? tokens * (out.first_token_ms + out.last_token_ms) / 2 : 0;
    out.total_ms = out.prefill_ms + decode_ms;
    if (prefill.seconds > 0) out.prefill_tokens_per_s = batch * static_cast<double>(options_.prompt) / prefill.seconds;
    if (decode_ms > 0) out.tokens_per_s = 1000 * batch * tokens / decode_ms;
    out.memory_bytes = report_.weight_bytes + report_.kv_bytes + report_.activation_bytes;
    if (device_->memory_gb > 0) out.fits = static_cast<double>(out.memory_bytes) <= device_->memory_gb * 1e9;
  }

  const LlmConfig& c_;
  const LlmOptions& options_;
  LlmBits bits_;
  std::optional<Device> device_;
  std::optional<LlmRates> rates_;
  bool decodes_ = true;
  LlmReport report_;
};

}  // namespace

LlmReport describe_llm(const std::string& name, const LlmOptions& options) {
  const LlmConfig config = loaded(name, options);
  return Describer(config, options).describe();
}

Model graph_of_llm(const std::string& name, const LlmOptions& options) {
  const LlmConfig config = loaded(name, options);
  LlmCall call{.all_logits = options.all_logits};
  call.decode = options.phase == LlmPhase::kDecode && config.family.role != LlmRole::kEncoder;
  call.source = static_cast<std::uint64_t>(config.source_positions);
  LlmGraphOptions graph{.opset = options.opset};
  if (options.activations == LlmNumber::kFloat) graph.type = ElementType::kFloat;
  if (options.activations == LlmNumber::kBfloat16) graph.type = ElementType::kBfloat16;
  return llm_graph(config, call, graph);
}

std::string to_json(const LlmReport& report) { return json_text(report); }

}  // namespace onnxpress
