// The built-in evaluator as an engine.
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/tasks/verify/engine.h"

namespace onnxpress::tasks {

namespace {

class EvaluatedModel : public RunnableModel {
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
  std::unique_ptr<RunnableModel> open(Model& model) const override { return std::make_unique<EvaluatedModel>(model); }
};

}  // namespace

std::shared_ptr<const Engine> own_engine() { return std::make_shared<OwnEngine>(); }

}  // namespace onnxpress::tasks
