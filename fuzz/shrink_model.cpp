// Fuzzes shrink with all its options: the result reads back as a sound model and gives bit for bit the same outputs.
#include <cstring>
#include <optional>

#include "fuzz/compare_runs.h"
#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/tasks/shrink/pipeline.h"

namespace onnxpress::fuzz {

const std::size_t kOptionBytes = 4;

namespace {

template <typename E>
E any_word(Choices& choices) {
  const auto& all = Words<E>::kAll;
  return all[choices.below(std::size(all))].second;
}

ShrinkOptions options_from(Choices& choices) {
  ShrinkOptions options;
  options.target = any_word<ShrinkTarget>(choices);
  options.freeze = choices.flag();
  options.shorten_names = choices.flag();
  const auto methods = shrink_methods();
  if (const std::uint64_t chosen = choices.below(2 * methods.size() + 1); chosen < methods.size()) {
    options.only.emplace_back(methods[chosen].name);
  } else if (chosen < 2 * methods.size()) {
    options.skip.emplace_back(methods[chosen - methods.size()].name);
  }
  return options;
}

void shrink(std::string_view encoded, Choices& choices) {
  Model original = read(encoded);
  Model model = read(encoded);
  const std::optional<Run> before = run_before(original);
  const ShrinkOptions options = options_from(choices);
  try {
    static_cast<void>(run_pipeline(model, options, {}));
  } catch (const Error& error) {  // options that cannot be combined, or missing external files
    require(error.what()[0] != '\0', "an error says what is wrong");
    return;
  }
  require(verify(model).empty(), "a shrunk model is sound:", verify(model));
  std::string written;
  try {
    written = format::encode_model(model);
  } catch (const Error&) {  // weights in external files
    return;
  }
  const Model again = read_again(written);
  if (before) require_same_outputs(*before, again);
}

}  // namespace
}  // namespace onnxpress::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return onnxpress::fuzz::try_with_options(data, size, onnxpress::fuzz::shrink);
}
