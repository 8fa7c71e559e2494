// Weights in fewer bits, by way of the options of shrink.
#include "onnxpress/tasks/quantize/quantize.h"

#include "onnxpress/c_api/call.h"
#include "onnxpress/tasks/shrink/shrink.h"

namespace onnxpress::c_api {

namespace {

enum class Activations : std::uint8_t { kFloat, kDynamic, kStatic };
enum class Layers : std::uint8_t { kInner, kConv, kAll };

}  // namespace

}  // namespace onnxpress::c_api

template <>
struct onnxpress::tasks::Words<onnxpress::c_api::Activations> {
  using Kind = onnxpress::c_api::Activations;
  static constexpr std::pair<std::string_view, Kind> kAll[] = {
      {"float", Kind::kFloat}, {"dynamic", Kind::kDynamic}, {"static", Kind::kStatic}};
};
template <>
struct onnxpress::tasks::Words<onnxpress::c_api::Layers> {
  using Kind = onnxpress::c_api::Layers;
  static constexpr std::pair<std::string_view, Kind> kAll[] = {
      {"inner", Kind::kInner}, {"conv", Kind::kConv}, {"all", Kind::kAll}};
};

namespace onnxpress::c_api {

namespace {

void set_activations(const onnxpress_quantize_options& given, tasks::CompressOptions& weights) {
  const auto activations = word_in("activations", given.activations, Activations::kFloat);
  const auto layers = optional_word_in<Layers>("layers", given.layers);
  if (layers && activations != Activations::kDynamic)
    throw BadCall("option 'layers' is for layers that compute with integers",
                  "set option 'activations' to \"dynamic\"");
  weights.is_static = activations == Activations::kStatic;
  weights.dynamic = activations == Activations::kDynamic;
  weights.dynamic_conv = layers == Layers::kConv;
  weights.dynamic_all = layers == Layers::kAll;
}

void set_goal(const onnxpress_quantize_options& given, tasks::CompressOptions& weights) {
  weights.quality = amount_in("quality", given.quality);
  weights.may_miss = amount_in("may_miss", given.may_miss);
  weights.weight_quality = amount_in("weight_quality", given.weight_quality);
  weights.max_error = amount_in("max_error", given.max_error);
  weights.max_size = count_in("max_size", given.max_size);
  const auto compressor = optional_word_in<tasks::Compressor>("compressor", given.compressor);
  if (const auto bytes = optional_count_in("max_download", given.max_download))
    weights.max_download = tasks::DownloadTarget{*bytes, compressor.value_or(tasks::Compressor::kBrotli)};
  else if (compressor)
    throw BadCall("option 'compressor' says what 'max_download' is measured with, which is not set");
}

// The one place that knows how options of the C interface become those of the task.
tasks::ShrinkOptions options_of(const onnxpress_quantize_options& given) {
  tasks::ShrinkOptions options;
  tasks::CompressOptions& weights = options.weights;
  options.target = word_in("target", given.target, options.target);
  options.engine = engine_in(given.engine);
  weights.weights = optional_word_in<tasks::WeightPreset>("to", given.to);
  weights.scheme = text_in(given.scheme);
  weights.recipe = text_in(given.recipe);
  weights.samples = text_in(given.samples);
  set_goal(given, weights);
  set_activations(given, weights);
  weights.encoding = optional_word_in<tasks::WeightEncoding>("encoding", given.encoding);
  weights.include = names_in(given.include);
  weights.exclude = names_in(given.exclude);
  weights.min_elements = count_in("min_elements", given.min_elements, weights.min_elements);
  weights.best_effort = flag_in("best_effort", given.best_effort);
  weights.measure = flag_in("verify", given.verify);
  weights.bindings = bindings_in(given);
  if (!weights.is_lossy())
    throw BadCall("nothing says how to store weights", "set option 'to', for example to \"int8\"");
  return options;
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

int onnxpress_quantize(onnxpress_model* model, const onnxpress_quantize_options* given, onnxpress_report** report,
                       onnxpress_error** error) {
  return change(model, given, report, error,
                [](onnxpress::Model& changed, const onnxpress_quantize_options& options, const Call& call) {
                  const auto done = onnxpress::tasks::shrink(changed, options_of(options), call.progress());
                  return Answer(to_json(done), done.refused, "set a lower goal, or option 'best_effort'");
                });
}

}  // extern "C"
