// The tables of presets and of targets, and which options exclude each other.
#include "onnxpress/tasks/quantize/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

using weights::Scheme;

namespace {

const std::vector<PresetSchemes>& presets() {
  static const std::vector<PresetSchemes> kPresets = {
      {Bits::kInt8, 30, {"int8 block=128 asym", "int8 block=32 asym"}, "int12"},
      {Bits::kInt6, 0, {"int6 block=32 asym"}},
      {Bits::kInt4, 0, {"int4 block=32 asym"}},
      {Bits::kFp16, 0, {"float16"}},
      {Bits::kBf16, 0, {"bfloat16"}}};
  return kPresets;
}
// For DequantizeLinear, which other runtimes expect without a zero point, and com.microsoft's ops, which need blocks.
const PresetSchemes& int8_for_ops() {
  static const PresetSchemes kPreset = {
      Bits::kInt8, 40, {"int8", "int8 block=128", "int8 block=64", "int8 block=32", "int8 block=32 asym"}};
  return kPreset;
}

struct TargetDefaults {
  ShrinkTarget target;
  WeightEncoding encoding;
  OptimizeFor optimize_for;
};
constexpr TargetDefaults kTargets[] = {
    {ShrinkTarget::kOrt, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kServer, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kOrtWebGpu, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kBrowser, WeightEncoding::kFolded, OptimizeFor::kBrotli},
    {ShrinkTarget::kOrtFormat, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kPhone, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kAny, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kLlm, WeightEncoding::kOrt, OptimizeFor::kFile},
};

void set_defaults(QuantizeOptions& options) {
  const TargetDefaults& target = *std::ranges::find(kTargets, options.target, &TargetDefaults::target);
  if (!options.encoding) options.encoding = target.encoding;
  if (options.optimize_for) return;
  // Codes that compress well make the file itself larger, so not if the size of the file was asked for.
  const bool file_said = options.max_size > 0 || *options.encoding != WeightEncoding::kFolded;
  options.optimize_for = file_said ? OptimizeFor::kFile : target.optimize_for;
}

const PresetSchemes* preset_of(const QuantizeOptions& options) {
  if (!options.scheme.empty()) return nullptr;
  const bool for_ops = options.encoding == WeightEncoding::kDq || options.encoding == WeightEncoding::kOrt;
  if (options.to == Bits::kInt8 && for_ops) return &int8_for_ops();
  const auto found =
      std::ranges::find_if(presets(), [&](const PresetSchemes& each) { return options.to == each.preset; });
  return found == presets().end() ? nullptr : &*found;
}

std::optional<Scheme> scheme_of(const QuantizeOptions& options) {
  if (options.scheme.empty()) return std::nullopt;
  try {
    const Scheme scheme = weights::parse_scheme(options.scheme);
    if (scheme.dynamic) throw OptionError("'dynamic' works only in recipes", "use option `activations=dynamic`");
    return scheme;
  } catch (const Error& error) {
    throw OptionError("option `scheme`: " + error.message(), error.hint());
  }
}

// --- What does not work together

void require_something(const QuantizeOptions& options) {
  if (options.rounds_weights() || options.activations != Activations::kFloat) return;
  throw OptionError(
      "nothing says how to quantize the model",
      "use option `to` (int8, int4, fp16, auto, ...), a goal such as option `quality` or option `max_size`, or "
      "option `activations=dynamic`");
}

void require_one_goal(const QuantizeOptions& options) {
  std::vector<std::string_view> said;
  if (options.quality > 0) said.emplace_back("option `quality`");
  if (options.weight_quality > 0) said.emplace_back("option `weight_quality`");
  if (options.max_error > 0) said.emplace_back("option `max_error`");
  if (options.max_size > 0) said.emplace_back("option `max_size`");
  if (options.max_download) said.emplace_back("option `max_download`");
  if (said.size() > 1)
    throw OptionError(fmt::format("{} cannot be combined", fmt::join(said, " and ")), "use only one of them");
}

// Bits that are given for all weights leave nothing to choose; they can only keep a quality of the outputs, or miss it.
void require_choice(const QuantizeOptions& options) {
  const bool given = (options.to && options.to != Bits::kAuto) || !options.scheme.empty();
  if (!given || !options.has_goal() || options.quality > 0 || options.is_static()) return;
  throw OptionError(fmt::format("option `{}` gives all weights the same bits, so there is nothing to choose for a goal",
                                options.scheme.empty() ? fmt::format("to={}", word_of(*options.to)) : "scheme"),
                    "leave it out, or the goal");
}

void require_inputs_that_may_miss(const QuantizeOptions& options) {
  constexpr double kMost = 50;  // percent
  if (options.may_miss == 0) return;
  if (!(options.may_miss > 0 && options.may_miss <= kMost))
    throw OptionError(fmt::format("option `may_miss` is {}, but must be from 0 to {} percent", options.may_miss, kMost),
                      "");
  if (options.quality <= 0 && options.to != Bits::kAuto)
    throw OptionError("option `may_miss` says how many inputs may miss a quality, but none is asked for",
                      "add option `quality`");
  if (options.is_static())
    throw OptionError("option `may_miss` is for weights, and cannot be combined with option `activations=static`",
                      "leave one of them out");
}

void require_useful_details(const QuantizeOptions& options) {
  if (options.layers != IntegerLayers::kInner && !options.is_dynamic())
    throw OptionError("option `layers` is about option `activations=dynamic`, which was not given",
                      "add option `activations=dynamic`");
  if (options.is_static() && options.encoding == WeightEncoding::kSimulate)
    throw OptionError("option `activations=static` cannot be combined with option `encoding=simulate`",
                      "leave one of them out");
  if (options.is_dynamic() && options.encoding == WeightEncoding::kSimulate)
    throw OptionError(
        "option `encoding=simulate` keeps the model as it is, and option `activations=dynamic` changes its "
        "nodes",
        "use option `verify`, which runs the changed model");
}

// Throws Error for schemes that DequantizeLinear cannot decode in any model.
void require_dequantizable(const Request& request) {
  if (request.options.encoding != WeightEncoding::kDq || !request.scheme) return;
  using weights::Codes;
  const Scheme& scheme = *request.scheme;
  const bool is_table =
      scheme.codes == Codes::kPalette || scheme.codes == Codes::kNf4 || scheme.codes == Codes::kFloat8;
  if (is_table || scheme.offset || (scheme.codes == Codes::kInteger && scheme.bits > 8))
    throw OptionError(
        fmt::format(
            "option `encoding=dq` cannot store '{}': DequantizeLinear takes integer codes of up to 8 bits and integer "
            "zero points",
            weights::to_string(scheme)),
        "use int2 to int8 with sym or asym, or option `encoding=folded`");
}

[[noreturn]] void refuse(ShrinkTarget target, std::string_view what, std::string_view why, std::string hint) {
  throw OptionError(fmt::format("option `target={}` and {} do not work together: {}", word_of(target), what, why),
                    std::move(hint));
}

void require_working_target(const Request& request) {
  const QuantizeOptions& options = request.options;
  const ShrinkTarget target = options.target;
  const weights::Target runtime = request.runtime;
  const WeightEncoding encoding = *options.encoding;
  if (encoding == WeightEncoding::kFolded && runtime == weights::Target::kOrtFormat)
    refuse(target, "option `encoding=folded`", "the conversion to .ort computes the nodes and stores the floats again",
           "use option `encoding=dq`, which is kept in .ort files");
  if (encoding == WeightEncoding::kFolded && runtime == weights::Target::kAny)
    refuse(target, "option `encoding=folded`", "not every runtime computes constant nodes once, at load",
           "use option `encoding=dq`, or option `target=ort`");
  if (encoding == WeightEncoding::kOrt && runtime == weights::Target::kAny)
    refuse(target, "option `encoding=ort`", "only ONNX Runtime has MatMulNBits and GatherBlockQuantized",
           "use option `encoding=dq`, or option `target=ort`");
  const bool four_bits = options.to == Bits::kInt4 || options.scheme.starts_with("int4");
  if (encoding == WeightEncoding::kDq && runtime == weights::Target::kOrtWebGpu && four_bits)
    refuse(target, "option `encoding=dq` with 4 bits", "the WebGPU builds of ONNX Runtime Web have no 4-bit types",
           "use option `encoding=folded`");
  const bool narrow_brain = options.to == Bits::kBf16 || options.scheme.starts_with("bfloat16");
  if (runtime == weights::Target::kOrtWebGpu && narrow_brain)
    refuse(target, "bfloat16", "the WebGPU builds of ONNX Runtime Web do not have this type", "use option `to=fp16`");
}

bool compensates(const QuantizeOptions& options) {
  if (options.compensate != Compensate::kAuto) return options.compensate == Compensate::kOn;
  if (options.weight_quality > 0 || options.max_error > 0) return false;
  return options.rounds_weights() &&
         (options.to == Bits::kAuto || options.quality > 0 || options.max_size > 0 || !options.samples.empty());
}

// In dB; 0 if the goal is not about outputs.
double quality_of(const QuantizeOptions& options) {
  if (options.quality > 0) return options.quality;
  return options.to == Bits::kAuto && !options.has_goal() ? kLimits.promise.auto_quality : 0;
}

}  // namespace

Request request_of(const QuantizeOptions& options) {
  Request request{.options = options, .runtime = runtime_of(options.target)};
  require_something(options);
  require_one_goal(options);
  require_choice(options);
  require_inputs_that_may_miss(options);
  require_useful_details(options);
  set_defaults(request.options);
  request.scheme = scheme_of(options);
  require_dequantizable(request);
  require_working_target(request);
  request.preset = preset_of(request.options);
  request.quality = quality_of(options);
  // With a quality of the outputs, `to=int8` is a promise about these bits; other bits would be no answer.
  const bool is_about_given_bits = request.preset && options.quality > 0;
  request.chooses = (options.has_goal() || options.to == Bits::kAuto) && !request.scheme && !is_about_given_bits;
  request.measures = options.verify || options.to == Bits::kAuto || options.quality > 0 || !options.samples.empty() ||
                     options.is_static();
  request.compensates = compensates(options);
  return request;
}

}  // namespace onnxpress
