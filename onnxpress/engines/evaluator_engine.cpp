// The built-in evaluator as an engine.
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/engines/engine.h"

namespace onnxpress::engines {

namespace {

class EvaluatedModel : public Session {
 public:
  EvaluatedModel(const Model& model, std::optional<ops::EvaluationBudget> budget) : evaluator_(model, budget) {}

  std::vector<ops::Datum> run(const NamedArrays& inputs) override {
    analysis::Evaluator::Inputs given;
    for (const auto& [name, array] : inputs) given.emplace(name, array);
    auto results = evaluator_.run(given);
    if (!results && evaluator_.over_budget()) throw TooMuchToRun("", evaluator_.why());
    if (!results) throw Error("", evaluator_.why());
    return std::move(*results);
  }

 private:
  analysis::Evaluator evaluator_;
};

class EvaluatorEngine : public Engine {
 public:
  explicit EvaluatorEngine(std::optional<ops::EvaluationBudget> budget) : budget_(budget) {}
  std::string name() const override { return "onnxpress"; }
  bool is_evaluator() const override { return true; }
  std::unique_ptr<Session> open(const Model& model, const EngineSettings&) const override {
    return std::make_unique<EvaluatedModel>(model, budget_);
  }

 private:
  std::optional<ops::EvaluationBudget> budget_;
};

}  // namespace

NamedArrays arrays_of(const analysis::Evaluator::Inputs& inputs) {
  NamedArrays arrays;
  for (const auto& [name, datum] : inputs) {
    if (const ops::Array* array = datum.array()) arrays.emplace_back(std::string(name), *array);
  }
  return arrays;
}

std::shared_ptr<const Engine> evaluator_engine(std::optional<ops::EvaluationBudget> budget) {
  return std::make_shared<EvaluatorEngine>(budget);
}

}  // namespace onnxpress::engines
