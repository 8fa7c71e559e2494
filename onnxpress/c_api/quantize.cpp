// Weights in fewer bits.
#include "onnxpress/tasks/quantize/quantize.h"

#include "onnxpress/c_api/call.h"

namespace onnxpress::c_api {

namespace {

void set_activations(const onnxpress_quantize_options& given, QuantizeOptions& options) {
  options.activations = word_in("activations", given.activations, options.activations);
  options.layers = word_in("layers", given.layers, options.layers);
  if (given.layers && !options.is_dynamic())
    throw BadCall("option 'layers' is for layers that compute with integers",
                  "set option 'activations' to \"dynamic\"");
}

void set_goal(const onnxpress_quantize_options& given, QuantizeOptions& options) {
  options.quality = amount_in("quality", given.quality);
  options.may_miss = amount_in("may_miss", given.may_miss);
  options.weight_quality = amount_in("weight_quality", given.weight_quality);
  options.max_error = amount_in("max_error", given.max_error);
  options.max_size = count_in("max_size", given.max_size);
  const auto compressor = optional_word_in<Compressor>("compressor", given.compressor);
  if (const auto bytes = optional_count_in("max_download", given.max_download))
    options.max_download = DownloadTarget{*bytes, compressor.value_or(Compressor::kBrotli)};
  else if (compressor)
    throw BadCall("option 'compressor' says what 'max_download' is measured with, which is not set");
}

// The one place that knows how options of the C interface become those of the task.
QuantizeOptions options_of(const onnxpress_quantize_options& given) {
  QuantizeOptions options;
  options.target = word_in("target", given.target, options.target);
  options.engine = engine_in(given.engine);
  options.to = optional_word_in<Bits>("to", given.to);
  options.scheme = text_in(given.scheme);
  options.recipe = text_in(given.recipe);
  options.samples = text_in(given.samples);
  set_goal(given, options);
  set_activations(given, options);
  options.encoding = optional_word_in<WeightEncoding>("encoding", given.encoding);
  options.include = names_in(given.include);
  options.exclude = names_in(given.exclude);
  options.min_elements = count_in("min_elements", given.min_elements, options.min_elements);
  options.best_effort = flag_in("best_effort", given.best_effort);
  options.verify = flag_in("verify", given.verify);
  options.bindings = bindings_in(given);
  if (!options.rounds_weights() && options.activations == Activations::kFloat)
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
                  const auto done = onnxpress::quantize(changed, options_of(options), call.progress());
                  return Answer(to_json(done), done.refused, "set a lower goal, or option 'best_effort'");
                });
}

}  // extern "C"
