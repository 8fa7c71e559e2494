// Fuzzes inference and evaluation: no model makes them throw, hang or take more than their budget, and what is inferred
// holds for what is computed.
#include <algorithm>
#include <set>

#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/inputs/made_inputs.h"
#include "tests/support/fact_check.h"

namespace onnxpress::fuzz {

const std::size_t kOptionBytes = 2;

namespace {

// Inputs of a few elements; throws Error if one cannot be generated, OverBudget if they are too large.
analysis::Evaluator::Inputs made(const Model& model, const analysis::Facts& facts, Choices& choices) {
  const auto open = inputs::open_dims(model, facts, static_cast<std::int64_t>(1 + choices.below(3)),
                                      static_cast<std::int64_t>(choices.below(16)));
  analysis::Evaluator::Inputs inputs;
  std::set<std::string_view> names;  // inputs with equal names cannot be provided
  for (const ValueInfo* info : model.graph().inputs()) {
    if (!names.insert(info->value->name()).second) throw Error("", "two inputs have one name", "");
  }
  for (const auto& [name, array] : inputs::made_inputs(model, facts, open, choices.below(8))) {
    for (const ValueInfo* info : model.graph().inputs()) {  // use names that live as long as the model
      if (info->value->name() == name) inputs.emplace(info->value->name(), array);
    }
  }
  return inputs;
}

void run(Model& model, Choices& choices) {
  const analysis::Facts facts(model);
  analysis::Evaluator::Inputs inputs;
  try {
    ops::EvaluationMeter meter(kBudget);
    const ops::MeterScope counting(meter);
    inputs = made(model, facts, choices);
  } catch (const Error&) {
    return;
  } catch (const ops::OverBudget&) {
    return;
  }
  analysis::Evaluator evaluator(model, kBudget);
  tests::FactCheck check(facts);
  std::string contradiction;
  evaluator.observe = [&](const Value& value, const ops::Datum& datum) {
    if (contradiction.empty()) contradiction = check.contradiction(value, datum);
  };
  for (const auto& [name, datum] : inputs) {  // inputs come first, because they give the symbols their sizes
    for (const ValueInfo* info : model.graph().inputs()) {
      if (info->value->name() == name) evaluator.observe(*info->value, datum);
    }
  }
  const auto results = evaluator.run(inputs);
  require(results || !evaluator.why().empty(), "an evaluation that fails says why");
  require(evaluator.meter().steps() <= kBudget.steps, "an evaluation stays within its budget");
  require(!results || results->size() == model.graph().outputs().size(), "there is a result for each output");
  // Contradictions prove nothing if the model cannot run or contradicts itself.
  if (results && facts.contradictions().empty() && defaults_fit(model))
    require(contradiction.empty(), "facts hold:", contradiction);
}

}  // namespace
}  // namespace onnxpress::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxpress;
  return fuzz::try_with_options(data, size, [](std::string_view encoded, fuzz::Choices& choices) {
    Model model = fuzz::read(encoded);
    fuzz::run(model, choices);
  });
}
