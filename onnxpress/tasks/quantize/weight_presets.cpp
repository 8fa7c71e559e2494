// The table of presets.
#include "onnxpress/tasks/quantize/weight_presets.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"

namespace onnxpress::tasks {

using weights::Scheme;

namespace {

const std::vector<PresetSchemes>& presets() {
  static const std::vector<PresetSchemes> kPresets = {
      {WeightPreset::kInt8, 30, {"int8 block=128 asym", "int8 block=32 asym"}, "int12"},
      {WeightPreset::kInt6, 0, {"int6 block=32 asym"}},
      {WeightPreset::kInt4, 0, {"int4 block=32 asym"}},
      {WeightPreset::kFp16, 0, {"float16"}},
      {WeightPreset::kBf16, 0, {"bfloat16"}}};
  return kPresets;
}
// For DequantizeLinear, which other runtimes expect without a zero point, and com.microsoft's ops, which need blocks.
const PresetSchemes& int8_for_ops() {
  static const PresetSchemes kPreset = {
      WeightPreset::kInt8, 40, {"int8", "int8 block=128", "int8 block=64", "int8 block=32", "int8 block=32 asym"}};
  return kPreset;
}

void require_inputs_that_may_miss(const CompressOptions& options) {
  constexpr double kMost = 50;  // percent
  if (options.may_miss == 0) return;
  if (!(options.may_miss > 0 && options.may_miss <= kMost))
    throw Error("", fmt::format("option `may_miss` is {}, but must be from 0 to {} percent", options.may_miss, kMost),
                "");
  if (options.quality <= 0 && options.weights != WeightPreset::kAuto)
    throw Error("", "option `may_miss` says how many inputs may miss a quality, but none is asked for",
                "add option `quality`");
  if (options.is_static)
    throw Error("", "option `may_miss` is for weights, and cannot be combined with option `static`",
                "leave one of them out");
}

}  // namespace

const PresetSchemes* preset_of(const CompressOptions& options) {
  if (!options.scheme.empty() || options.levels) return nullptr;
  const bool for_ops = options.encoding == WeightEncoding::kDq || options.encoding == WeightEncoding::kOrt;
  if (options.weights == WeightPreset::kInt8 && for_ops) return &int8_for_ops();
  const auto found =
      std::ranges::find_if(presets(), [&](const PresetSchemes& each) { return options.weights == each.preset; });
  return found == presets().end() ? nullptr : &*found;
}

std::optional<Scheme> one_scheme(const CompressOptions& options) {
  if (!options.scheme.empty()) {
    try {
      const Scheme scheme = weights::parse_scheme(options.scheme);
      if (scheme.dynamic) throw Error("", "'dynamic' works only in recipes", "use option `dynamic`");
      return scheme;
    } catch (const Error& error) {
      throw Error("", "option `scheme`: " + error.message(), error.hint());
    }
  }
  if (options.levels) {
    if (*options.levels < 2 || *options.levels > 65536)
      throw Error("", fmt::format("option `levels={}` is not between 2 and 65536", *options.levels), "");
    return weights::parse_scheme(fmt::format("levels={}", *options.levels));
  }
  return std::nullopt;
}

bool chooses(const CompressOptions& options) {
  return options.has_goal() || options.weights == WeightPreset::kAuto || options.weights == WeightPreset::kSmall ||
         options.weights == WeightPreset::kTiny;
}

void require_one_goal(const CompressOptions& options) {
  std::vector<std::string_view> said;
  if (options.quality > 0) said.emplace_back("option `quality`");
  if (options.weight_quality > 0) said.emplace_back("option `weight_quality`");
  if (options.max_error > 0) said.emplace_back("option `max_error`");
  if (options.max_size > 0) said.emplace_back("option `max_size`");
  if (options.max_download) said.emplace_back("option `max_download`");
  if (said.size() > 1)
    throw Error("", fmt::format("{} cannot be combined", fmt::join(said, " and ")), "use only one of them");
  require_inputs_that_may_miss(options);
}

}  // namespace onnxpress::tasks
