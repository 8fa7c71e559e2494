// Checks for fuzz targets that change a model: the evaluator must give the same outputs before and after.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_model.h"
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/inputs/made_inputs.h"

namespace onnxpress::fuzz {

// Larger than the usual budget, because decoding weights takes steps, too.
constexpr ops::EvaluationBudget kLargerBudget{.live_bytes = 64 << 20, .steps = 100'000'000, .trips = 100};

struct Run {
  std::vector<std::pair<std::string, ops::Array>> inputs;
  std::vector<ops::Datum> outputs;
};

inline std::optional<std::vector<ops::Datum>> outputs_of(const Model& model, const Run& run,
                                                         const ops::EvaluationBudget& budget, std::string& why) {
  analysis::Evaluator::Inputs inputs;
  for (const auto& [name, array] : run.inputs) inputs.emplace(name, array);
  analysis::Evaluator evaluator(model, budget);
  auto results = evaluator.run(inputs);
  why = evaluator.over_budget() ? "" : evaluator.why();
  return results;
}

// The outputs of the model before it is changed; nullopt when it cannot run.
inline std::optional<Run> run_before(Model& model) {
  try {
    ops::EvaluationMeter meter(kBudget);
    const ops::MeterScope counting(meter);
    const analysis::Facts facts(model);
    Run run;
    run.inputs = inputs::made_inputs(model, facts, inputs::open_dims(model, facts, 1, 4), 0);
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

// NaNs are equal, whatever their bits.
inline bool same_bits(const ops::Datum& a, const ops::Datum& b) {
  const ops::Array *x = a.array(), *y = b.array();
  if (!x || !y) return a.content.index() == b.content.index();
  if (x->type() != y->type() || x->sizes() != y->sizes()) return false;
  if (x->is_string()) return std::ranges::equal(x->data<std::string>(), y->data<std::string>());
  if (x->type() == ElementType::kFloat) {
    return std::ranges::equal(x->data<float>(), y->data<float>(), [](float p, float q) {
      return (std::isnan(p) && std::isnan(q)) || (p == q && std::signbit(p) == std::signbit(q));
    });
  }
  return x->count() == 0 || std::memcmp(x->bytes(), y->bytes(), x->count() * x->width()) == 0;
}

inline void require_same_outputs(const Run& before, const Model& after) {
  std::string why;
  const auto outputs = outputs_of(after, before, kLargerBudget, why);
  require(outputs || why.empty(), "a model that ran before runs after:", why);
  if (!outputs) return;
  require(outputs->size() == before.outputs.size(), "the number of outputs is the same");
  for (std::size_t i = 0; i < outputs->size(); ++i)
    require(same_bits((*outputs)[i], before.outputs[i]), "every bit is the same in output",
            after.graph().outputs()[i]->value->name());
}

inline Model read_again(const std::string& written) {
  try {
    Model again = read(written, 2'000'000);  // inlined functions and unrolled loops take more
    require(verify(again).empty(), "a result reads as a sound model:", verify(again));
    return again;
  } catch (const Error& error) {
    require(false, "a result can be read:", error.what());
    throw;
  }
}

}  // namespace onnxpress::fuzz
