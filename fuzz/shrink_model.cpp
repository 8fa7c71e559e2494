// Fuzzes shrink with all its options: the result reads back as a sound model, is not larger than it says, and, where
// nothing is rounded, gives the same outputs to the bit.
#include <cstring>
#include <optional>

#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/inputs/random_input.h"
#include "onnxpress/tasks/shrink/pipeline.h"

namespace onnxpress::fuzz {

const std::size_t kOptionBytes = 6;

namespace {

constexpr ops::EvaluationBudget kBudget{.live_bytes = 16 << 20, .steps = 3'000'000, .trips = 100};
// Decoding takes steps, too.
constexpr ops::EvaluationBudget kLargerBudget{.live_bytes = 64 << 20, .steps = 100'000'000, .trips = 100};

template <typename E>
E any_word(Choices& choices) {
  const auto& all = tasks::Words<E>::kAll;
  return all[choices.below(std::size(all))].second;
}

tasks::ShrinkOptions options_from(Choices& choices) {
  tasks::ShrinkOptions options;
  options.target = any_word<tasks::ShrinkTarget>(choices);
  options.freeze = choices.flag();
  options.shorten_names = choices.flag();
  const auto methods = tasks::shrink_methods();
  if (const std::uint64_t chosen = choices.below(2 * methods.size() + 1); chosen < methods.size()) {
    options.only.emplace_back(methods[chosen].name);
  } else if (chosen < 2 * methods.size()) {
    options.skip.emplace_back(methods[chosen - methods.size()].name);
  }
  options.extraction.narrow_types = choices.below(4) == 1;
  options.extraction.npy = choices.below(4) == 1;
  if (choices.flag()) return options;
  tasks::CompressOptions& weights = options.weights;
  weights.min_elements = choices.below(3);
  if (choices.flag()) weights.weights = any_word<tasks::WeightPreset>(choices);
  if (choices.flag()) weights.encoding = any_word<tasks::WeightEncoding>(choices);
  constexpr std::string_view kSchemes[] = {"", "int4 block=32 asym scale=mse", "palette4", "nf4", "float8", "int2"};
  weights.scheme = kSchemes[choices.below(std::size(kSchemes))];
  if (choices.below(8) == 1) weights.levels = choices.below(300);
  if (choices.below(4) == 1) weights.weight_quality = 30;
  if (choices.below(8) == 1) weights.max_error = 0.01;
  if (choices.below(8) == 1) weights.max_size = 1000;
  weights.dynamic = choices.below(4) == 1;
  weights.dynamic_conv = choices.below(8) == 1;
  weights.dynamic_all = choices.below(8) == 1;
  return options;
}

struct Run {
  std::vector<std::pair<std::string, ops::Array>> inputs;
  std::vector<ops::Datum> outputs;
};

bool same_bits(const ops::Datum& a, const ops::Datum& b) {
  const ops::Array *x = a.array(), *y = b.array();
  if (!x || !y) return a.content.index() == b.content.index();
  if (x->type() != y->type() || x->sizes() != y->sizes()) return false;
  if (x->is_string()) return std::ranges::equal(x->data<std::string>(), y->data<std::string>());
  return x->count() == 0 || std::memcmp(x->bytes(), y->bytes(), x->count() * x->width()) == 0;
}

std::optional<std::vector<ops::Datum>> outputs_of(const Model& model, const Run& run,
                                                  const ops::EvaluationBudget& budget, std::string& why) {
  analysis::Evaluator::Inputs inputs;
  for (const auto& [name, array] : run.inputs) inputs.emplace(name, array);
  analysis::Evaluator evaluator(model, budget);
  auto results = evaluator.run(inputs);
  why = evaluator.over_budget() ? "" : evaluator.why();
  return results;
}

// What the model gives before it is changed; nullopt when it cannot run.
std::optional<Run> run_before(Model& model) {
  try {
    ops::EvaluationMeter meter(kBudget);
    const ops::MeterScope counting(meter);
    const analysis::Facts facts(model);
    Run run;
    run.inputs = tasks::made_inputs(model, facts, tasks::open_dims(model, facts, 1, 4), 0);
    std::string why;
    auto outputs = outputs_of(model, run, kBudget, why);
    if (!outputs) return std::nullopt;
    run.outputs = std::move(*outputs);
    return run;
  } catch (const Error&) {
  } catch (const ops::OverBudget&) {
  }
  return std::nullopt;
}

void compare(const Run& before, const Model& after) {
  std::string why;
  const auto outputs = outputs_of(after, before, kLargerBudget, why);
  require(outputs || why.empty(), "a model that ran before runs after:", why);
  if (!outputs) return;
  require(outputs->size() == before.outputs.size(), "the outputs are as many as before");
  for (std::size_t i = 0; i < outputs->size(); ++i)
    require(same_bits((*outputs)[i], before.outputs[i]), "the outputs are the same to the bit",
            after.graph().outputs()[i]->value->name());
}

void shrink(std::string_view encoded, Choices& choices) {
  Model original = read(encoded);
  tasks::LoadedModel loaded;
  loaded.model = read(encoded);
  loaded.name = "fuzz.onnx";
  Model& model = loaded.model;
  const std::optional<Run> before = run_before(original);
  const tasks::ShrinkOptions options = options_from(choices);
  const bool lossless = !options.weights.is_lossy() && !options.extraction.extracts();
  try {
    tasks::ExtraFiles extra;
    static_cast<void>(tasks::run_pipeline(loaded, "fuzz.out.onnx", options, {}, extra));
  } catch (const Error& error) {  // options that do not go together, or external files that are not there
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
  Model again;
  try {
    again = read(written);
  } catch (const Error& error) {
    require(false, "a shrunk model can be read:", error.what());
  }
  require(verify(again).empty(), "a shrunk model reads as a sound one:", verify(again));
  if (before && lossless) compare(*before, again);
}

}  // namespace
}  // namespace onnxpress::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxpress;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t front = std::min(size, fuzz::kOptionBytes);
  fuzz::Choices choices(input.substr(0, front));
  try {
    fuzz::shrink(input.substr(front), choices);
  } catch (const Error&) {
  }
  return 0;
}
