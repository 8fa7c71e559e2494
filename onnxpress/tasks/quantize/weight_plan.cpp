// Finds the weights that may change, and stores a weight in a scheme.
#include "onnxpress/tasks/quantize/weight_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/base/wildcards.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/shared/wire_size.h"
#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/weights/chain/chain_schema.h"
#include "onnxpress/weights/chain/insert_chains.h"
#include "onnxpress/weights/chain/quantized_chain.h"
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/lossy/block_codes.h"
#include "onnxpress/weights/lossy/code_stream.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress {

namespace {

using weights::Codes;
using weights::Scheme;

bool matches_any(const Names& patterns, const weights::Weight& weight) {
  return std::ranges::any_of(patterns, [&](const std::string& each) { return matches(each, weight); });
}

// Has it so few different values that a lossless palette does better?
bool has_few_values(const weights::FloatSource& source) {
  constexpr std::uint64_t kPart = 4096;
  const std::size_t few = std::min<std::size_t>(256, source.count() / 8);
  std::unordered_set<std::uint32_t> seen;
  std::vector<float> x(kPart);
  for (std::uint64_t at = 0; at < source.count(); at += kPart) {
    const auto count = static_cast<std::size_t>(std::min(kPart, source.count() - at));
    source.read(at, count, x.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (seen.insert(std::bit_cast<std::uint32_t>(x[i])).second && seen.size() > few) return false;
    }
  }
  return true;
}

weights::RowRange range_of_all(const weights::FloatSource& source) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 16, kLarge = std::uint64_t{1} << 22;
  weights::RowRange all;
  std::vector<float> x(kPart);
  for (std::uint64_t at = 0; at < source.count(); at += kPart) {
    const auto count = static_cast<std::size_t>(std::min(kPart, source.count() - at));
    const weights::RowRange part = weights::range_of(source.view(at, count, x.data()), count);
    all.low = std::min(all.low, part.low), all.high = std::max(all.high, part.high);
    all.finite += part.finite, all.zeros += part.zeros, all.squares += part.squares;
    if (source.count() > kLarge) source.release(at, count);  // small tensors are read again soon
  }
  return all;
}

// Why the numbers of a tensor should not be rounded; empty if they may be.
std::string reason_in_content(const weights::FloatSource& source) {
  constexpr float kMask = 1e8F;  // masks add -1e9 or -3.4e38 to scores that must not count
  const weights::RowRange range = range_of_all(source);
  if (range.finite != source.count()) return "has infinities or nan";
  if (range.zeros == source.count()) return "all zero";
  if (std::max(range.high, -range.low) >= kMask) return "has numbers as large as those of a mask";
  return {};
}

std::string reason_to_keep(const weights::Weight& weight, const QuantizeOptions& options) {
  const std::uint64_t count = weight.tensor->element_count().value_or(0);
  if (!options.include.empty() && !matches_any(options.include, weight)) return "not included";
  if (options.include.empty() && weight.role.op.empty()) return "no op takes it as a weight";
  if (count < options.min_elements || count == 0) return fmt::format("fewer than {} elements", options.min_elements);
  if (matches_any(options.exclude, weight)) return "excluded";
  if (!weight.may_move) return "an op needs it as a plain constant";
  if (*weight.tensor->expected_bytes() > weights::kMostFoldedBytes)
    return "larger than 1 GiB, which ONNX Runtime does not fold";
  return {};
}

void require_matches(const Names& patterns, std::string_view option, const std::vector<PlannedWeight>& planned) {
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(planned, [&](const PlannedWeight& each) { return matches(pattern, each.weight); }))
      continue;
    throw Error(
        "",
        fmt::format("{} {} matches no float constant, and no node or op that uses one", option, quote_name(pattern)),
        "'info' lists the tensors with option `tensors`");
  }
}

weights::WeightError narrowing_error(const weights::FloatSource& source, ElementType narrow) {
  weights::WeightError error;
  std::vector<float> x(weights::kMostSummed), y(weights::kMostSummed);
  for (std::uint64_t at = 0; at < source.count(); at += weights::kMostSummed) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(weights::kMostSummed, source.count() - at));
    source.read(at, count, x.data());
    for (std::size_t i = 0; i < count; ++i) y[i] = weights::narrowed(x[i], narrow);
    error.add(weights::difference(x.data(), y.data(), count));
  }
  return error;
}

// Bytes that the codes take after a good compressor: their entropy, as brotli reaches it.
double entropy_bytes(const weights::Quantized& quantized) {
  std::vector<std::uint64_t> counts(quantized.scheme.level_count(), 0);
  std::vector<std::uint16_t> codes(weights::kMostSummed);
  const std::uint64_t total = quantized.grid.padded_count();
  for (std::uint64_t at = 0; at < total; at += codes.size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(codes.size(), total - at));
    quantized.encode(at, count, codes.data());
    for (std::size_t i = 0; i < count; ++i) ++counts[codes[i]];
  }
  double bits = 0;
  for (const std::uint64_t count : counts) {
    if (count > 0)
      bits += static_cast<double>(count) * std::log2(static_cast<double>(total) / static_cast<double>(count));
  }
  return bits / 8 + static_cast<double>(quantized.scales.size()) * 2;
}

std::optional<WeightForm> narrow_form(const weights::Candidate& candidate, const PlannedWeight& planned,
                                      const Scheme& scheme, bool simulate, bool in_function) {
  const ElementType narrow = scheme.codes == Codes::kFloat16 ? ElementType::kFloat16 : ElementType::kBfloat16;
  if (bits_of(candidate.type()) <= 16) return std::nullopt;
  WeightForm form{.scheme = scheme};
  form.error = narrowing_error(*planned.source, narrow);
  if (!std::isfinite(form.error.noise)) return std::nullopt;  // too large for float16
  form.content = std::make_shared<weights::NarrowedStream>(planned.source, narrow);
  if (simulate) return form;
  auto chain = weights::cast_chain(candidate, narrow);
  if (!chain || !weights::fits_opset(*chain, candidate, in_function)) return std::nullopt;
  form.chain = std::move(*chain);
  return form;
}

// The bias plus what the layer's results lose on average by the errors of the weight.
Bytes shifted_bias(const Model& model, const Value& bias, std::span<const float> shift) {
  std::vector<float> numbers(shift.size());
  weights::FloatSource(model.files, *constant_tensor(bias)).read(0, numbers.size(), numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += shift[i];
  return Bytes::owned({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
}

// Stores one weight in one scheme.
class FormMaker {
 public:
  FormMaker(const Model& model, const PlannedWeight& planned, const QuantizeOptions& options, weights::Target target)
      : model_(model), planned_(planned), options_(options), candidate_(make_candidate(model, planned, target)) {}

  std::optional<WeightForm> narrow(const Scheme& scheme) const {
    auto form = narrow_form(candidate_, planned_, scheme, simulates(), in_function());
    return form && is_smaller(*form) ? std::move(form) : std::nullopt;
  }

  std::optional<WeightForm> codes(const Scheme& scheme, const weights::LayerRounding* layer) const {
    const weights::Weight& weight = planned_.weight;
    weights::WeightRole role = weight.role;
    Scheme used = scheme;
    const bool dq = options_.encoding == WeightEncoding::kDq;
    const bool ort = options_.encoding == WeightEncoding::kOrt && weights::has_block_codes(scheme) &&
                     passes::block_users(*weight.value, scheme.block) != passes::BlockUsers::kNone && !in_function() &&
                     weights::allows_constant(model_, ElementType::kUint8);
    if (dq && used.codes == Codes::kInteger && used.levels == 0 && used.bits < 8)
      used.bits = weights::dequantized_bits(used.bits, weight.opset);  // codes may as well use all bits that they take
    if (dq) {  // DequantizeLinear takes scales along one axis only, and before opset 13 along none
      if (!weights::dequantizes_channels(weight.opset) && used.block == Scheme::kPerChannel)
        used.block = Scheme::kPerTensor;
      if (role.reduced_end != role.reduced_begin + 1 && used.block > 0) used.block = Scheme::kPerChannel;
      if (role.channel_end > role.channel_begin) role.channel_begin = role.channel_end - 1;
    }
    auto quantized = weights::quantize(planned_.source, role, used, !dq && !ort);
    if (!layer) return stored(std::make_shared<const weights::Quantized>(std::move(quantized)), role, ort);
    return best_for_layer(std::make_shared<const weights::Quantized>(std::move(quantized)), role, ort, *layer);
  }

 private:
  static weights::Candidate make_candidate(const Model& model, const PlannedWeight& planned, weights::Target target) {
    weights::Statistics known;
    known.count = planned.source->count();
    return {model,  *planned.weight.tensor, planned.weight.value->name(),
            target, std::move(known),       planned.weight.opset};
  }
  bool in_function() const { return &passes::root_of(*planned_.weight.value->graph()) != &model_.graph(); }
  bool simulates() const { return options_.encoding == WeightEncoding::kSimulate; }

  // Also sets the sizes and the noise.
  bool is_smaller(WeightForm& form) const {
    form.bytes = simulates()  ? planned_.before
                 : form.codes ? weights::code_bytes(*form.codes)
                              : form.chain.serialized_bytes(planned_.weight.value->name());
    if (form.cost == 0) form.cost = static_cast<double>(form.bytes);
    form.noise = form.error.noise;
    return simulates() || form.bytes < planned_.before;
  }

  std::optional<WeightForm> stored(const std::shared_ptr<const weights::Quantized>& quantized,
                                   const weights::WeightRole& role, bool ort) const {
    WeightForm form{.scheme = quantized->scheme};
    form.error = quantized->error;
    form.content = std::make_shared<weights::RoundedStream>(quantized);
    if (ort) form.codes = quantized;
    if (!simulates() && !ort) {
      auto chain = options_.encoding == WeightEncoding::kDq
                       ? weights::dequantize_chain(candidate_, quantized, role)
                       : weights::folded_chain(candidate_, quantized, options_.for_download());
      if (!chain || !weights::fits_opset(*chain, candidate_, in_function())) return std::nullopt;
      form.chain = std::move(*chain);
      if (options_.for_download()) form.cost = entropy_bytes(*quantized);
    }
    return is_smaller(form) ? std::optional(std::move(form)) : std::nullopt;
  }

  // With error compensation, with a corrected bias, with both or with neither: whichever gives the layer the best
  // results on inputs that nothing was fitted to.
  std::optional<WeightForm> best_for_layer(const std::shared_ptr<const weights::Quantized>& plain,
                                           const weights::WeightRole& role, bool ort,
                                           const weights::LayerRounding& layer) const {
    const double worthwhile = kLimits.layers.compensated;
    auto first = stored(plain, role, ort);
    if (!first) return std::nullopt;
    weights::LayerLoss loss = layer.loss_of(*plain);
    first->noise = loss.plain * first->error.signal;
    const auto rounded_before = std::make_shared<const WeightForm>(*first);
    std::optional<WeightForm> best = std::move(first);
    if (plain->scheme.level_count() <= 256) {
      const auto compensated = std::make_shared<const weights::Quantized>(layer.compensated(*plain));
      weights::LayerLoss other = layer.loss_of(*compensated);
      auto form = other.least() < worthwhile * loss.least() ? stored(compensated, role, ort) : std::nullopt;
      if (form) {
        loss = std::move(other);
        best = std::move(form);
        best->method = "error compensation";
        best->noise = loss.plain * best->error.signal;
      }
    }
    if (loss.prefers_shift() && loss.shifted < worthwhile * loss.plain) {
      best->bias = shifted_bias(model_, *planned_.bias, loss.shift);
      best->noise = loss.shifted * best->error.signal;
      best->method += best->method.empty() ? "bias correction" : ", bias correction";
    }
    if (!best->method.empty()) best->plain = rounded_before;
    return best;
  }

  const Model& model_;
  const PlannedWeight& planned_;
  const QuantizeOptions& options_;
  weights::Candidate candidate_;
};

}  // namespace

double WeightForm::quality() const { return signal_to_noise(error.signal, noise); }

bool matches(std::string_view pattern, const weights::Weight& weight) {
  return fits_wildcards(pattern, weight.value->name()) ||
         (!weight.role.node.empty() && fits_wildcards(pattern, weight.role.node)) ||
         (!weight.role.op.empty() && pattern == weight.role.op);
}
bool matches(std::string_view pattern, const Node& node) {
  return (!node.name().empty() && fits_wildcards(pattern, node.name())) || pattern == node.op_type();
}

std::vector<PlannedWeight> plan_weights(const Model& model, const QuantizeOptions& options) {
  const passes::Scopes scopes(model);
  std::vector<PlannedWeight> planned;
  for (weights::Weight& weight : weights::find_weights(model, scopes)) {
    PlannedWeight each{.weight = weight};
    each.reason_kept = reason_to_keep(weight, options);
    const std::uint64_t bytes = *weight.tensor->expected_bytes();
    each.before =
        passes::initializer_bytes(weight.tensor->type, weight.tensor->dims, bytes, weight.value->name().size());
    if (each.reason_kept.empty()) {
      each.source = std::make_shared<weights::FloatSource>(model.files, *weight.tensor);
      each.reason_kept = reason_in_content(*each.source);
      each.lossless = each.reason_kept.empty() && has_few_values(*each.source);
      if (each.lossless) each.reason_kept = "has at most 256 different values: stored without loss";
    }
    planned.push_back(std::move(each));
  }
  require_matches(options.include, "option `include`", planned);
  require_matches(options.exclude, "option `exclude`", planned);
  return planned;
}

void replace_content(Value& constant, Tensor::Content content) {
  Tensor* tensor = constant_tensor(constant);
  tensor->content = std::move(content);
  tensor->storage = Storage::kMade;
  tensor->changed = true;  // also in an attribute, whose tensor would be written as it was
  if (constant.initializer()) return constant.graph()->mark_changed(constant);
  Node& node = *constant.producer();
  constant.graph()->mark_changed(node, *const_cast<Attribute*>(node.attribute("value")));
}

std::optional<WeightForm> make_form(const Model& model, const PlannedWeight& planned, const Scheme& scheme,
                                    const QuantizeOptions& options, weights::Target target,
                                    const weights::LayerRounding* layer) {
  if (scheme.codes == Codes::kKeep) return std::nullopt;
  const FormMaker maker(model, planned, options, target);
  if (scheme.codes == Codes::kFloat16 || scheme.codes == Codes::kBfloat16) return maker.narrow(scheme);
  return maker.codes(scheme, layer);
}

std::vector<Scheme> ladder(const QuantizeOptions& options) {
  std::vector<Scheme> schemes;
  const auto add = [&schemes](std::string_view text) { schemes.push_back(weights::parse_scheme(text)); };
  if (options.for_download()) {
    // One scale for the whole tensor: what narrower codes would save, the compressor saves. Schemes are about 2 dB
    // apart; tensors with far outliers need many levels.
    for (double levels = 3; levels < 4096; levels *= 1.26)
      add(fmt::format("levels={}", static_cast<int>(levels / 2) * 2 + 1));
    return schemes;
  }
  for (const int bits : {2, 3, 4, 5, 6, 7, 8}) {
    add(fmt::format("int{}", bits));
    add(fmt::format("int{} block=32 asym", bits));
  }
  for (const std::string_view more : {"int10", "int10 block=32", "int12", "int12 block=32", "int16"}) add(more);
  return schemes;
}

}  // namespace onnxpress
