// Fuzzes quantize with all its options that need no files: the result reads back as a sound model and, when it is
// refused, the model is what it was.
#include <string>

#include "fuzz/compare_runs.h"
#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/quantize/quantize.h"

namespace onnxpress::fuzz {

const std::size_t kOptionBytes = 6;

namespace {

template <typename E>
E any_word(Choices& choices) {
  const auto& all = Words<E>::kAll;
  return all[choices.below(std::size(all))].second;
}

QuantizeOptions options_from(Choices& choices) {
  QuantizeOptions options;
  options.target = any_word<ShrinkTarget>(choices);
  options.freeze = choices.flag();
  options.weights_only = choices.below(4) == 1;
  options.min_elements = choices.below(3);
  if (choices.flag()) options.to = any_word<Bits>(choices);
  if (choices.flag()) options.encoding = any_word<WeightEncoding>(choices);
  constexpr std::string_view kSchemes[] = {
      "", "int4 block=32 asym scale=mse", "palette4", "nf4", "float8", "int2", "levels=9"};
  options.scheme = kSchemes[choices.below(std::size(kSchemes))];
  if (choices.below(4) == 1) options.weight_quality = 30;
  if (choices.below(8) == 1) options.max_error = 0.01;
  if (choices.below(8) == 1) options.max_size = 1000;
  if (choices.below(16) == 1) options.max_download = {1000, Compressor::kGzip};
  options.activations = choices.below(4) == 1 ? Activations::kDynamic : Activations::kFloat;
  if (options.is_dynamic()) options.layers = any_word<IntegerLayers>(choices);
  options.engine = engines::evaluator_engine(kBudget);
  return options;
}

void quantize(std::string_view encoded, Choices& choices) {
  Model model = read(encoded);
  const QuantizeOptions options = options_from(choices);
  std::string before;
  try {
    before = format::encode_model(model);
  } catch (const Error&) {  // weights in external files
  }
  const auto is_as_before = [&] { return before.empty() || format::encode_model(model) == before; };
  try {
    const QuantizeReport report = quantize(model, options);
    require(report.refused.empty() || is_as_before(), "a refused goal leaves the model as it was");
  } catch (const Error& error) {  // options that cannot be combined, or missing external files
    require(error.what()[0] != '\0', "an error says what is wrong");
    require(is_as_before(), "an error leaves the model as it was");
    return;
  }
  require(verify(model).empty(), "a quantized model is sound:", verify(model));
  try {
    read_again(format::encode_model(model));
  } catch (const Error&) {  // weights in external files
  }
}

}  // namespace
}  // namespace onnxpress::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return onnxpress::fuzz::try_with_options(data, size, onnxpress::fuzz::quantize);
}
