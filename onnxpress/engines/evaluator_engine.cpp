// The built-in evaluator as an engine.
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/engines/model_runner.h"

namespace onnxpress::engines {

namespace {

class EvaluatedModel : public Session {
 public:
  explicit EvaluatedModel(const Model& model) : evaluator_(model) {}

  std::vector<ops::Datum> run(const NamedArrays& inputs) override {
    analysis::Evaluator::Inputs given;
    for (const auto& [name, array] : inputs) given.emplace(name, array);
    auto results = evaluator_.run(given);
    if (!results) throw Error("", evaluator_.why());
    return std::move(*results);
  }

 private:
  analysis::Evaluator evaluator_;
};

class OwnEngine : public Engine {
 public:
  std::string name() const override { return "onnxpress"; }
  std::unique_ptr<Session> open(Model& model) const override { return std::make_unique<EvaluatedModel>(model); }
};

}  // namespace

std::shared_ptr<const Engine> evaluator_engine() { return std::make_shared<OwnEngine>(); }

RunModel load_for_evaluator(Model& model, std::optional<ops::EvaluationBudget> budget) {
  return [&model, budget](const analysis::Evaluator::Inputs& inputs) {
    analysis::Evaluator evaluator(model, budget);
    auto results = evaluator.run(inputs);
    if (!results && evaluator.over_budget()) throw TooMuchToRun("", evaluator.why(), "");
    if (!results) throw Error("", evaluator.why(), "");
    return std::move(*results);
  };
}

}  // namespace onnxpress::engines
