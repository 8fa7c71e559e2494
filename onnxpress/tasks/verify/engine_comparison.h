// Two models in one engine: the same inputs, output by output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/tasks/inputs/samples.h"
#include "onnxpress/tasks/verify/output_difference.h"
#include "onnxpress/tasks/verify/trials.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress::tasks {

// What both models are, for all engines.
struct VerifyCase {
  Model &first, &second;
  const analysis::Facts& facts;  // of the first
  const VerifyOptions& options;
  std::vector<Sample> samples;                               // the user's inputs; empty: made up
  NamedArrays values;                                        // inputs with a value that the user gave
  std::vector<std::pair<std::string, std::string>> renamed;  // inputs that have another name in the second model
  std::vector<std::pair<std::size_t, std::size_t>> outputs;  // pairs: positions in the first and the second model
};

class EngineComparison {
 public:
  EngineComparison(const VerifyCase& pair, const Engine& engine) : pair_(pair), engine_(engine) {}

  EngineReport compare();
  // The inputs of the second model that stand for those of the first.
  NamedArrays inputs_of_second(const NamedArrays& inputs) const;
  // The inputs of the first run with a difference; null: there was none, or the second model did not run.
  const Trial* guilty() const { return guilty_ ? &*guilty_ : nullptr; }
  std::vector<std::vector<ops::Datum>> kept_first, kept_second;

 private:
  using Outputs = std::vector<ops::Datum>;
  void run_trials();
  void run_samples();
  // False: the second model failed, and there is no sense in going on.
  bool compare(const Trial& trial, const Outputs& expected);
  void add(const Trial& trial, std::size_t i, const ops::Datum& right, const ops::Datum& other,
           const ops::Datum* moved);
  Outputs floor_of(const Trial& trial);
  Verdict judge(const OutputDifference& difference, const OutputDifference& floor) const;
  void finish();

  const VerifyCase& pair_;
  const Engine& engine_;
  EngineReport report_;
  std::unique_ptr<RunnableModel> first_, second_, moved_;
  std::optional<Model> moved_model_;
  double nudge_ = 0, epsilon_ = 0;
  std::vector<OutputDifference> sums_;
  std::optional<Trial> guilty_;
};

}  // namespace onnxpress::tasks
