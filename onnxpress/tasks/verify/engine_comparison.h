// Compares two models in one engine: the same inputs, output by output.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/compare/floor.h"
#include "onnxpress/compare/output_difference.h"
#include "onnxpress/inputs/plan.h"
#include "onnxpress/inputs/samples.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

// The two models and the options, which are the same for all engines.
struct VerifyCase {
  const Model &first, &second;
  const analysis::Facts& facts;  // of the first
  const VerifyCall& options;
  std::vector<inputs::InputSet> samples;                     // the user's inputs; empty: they are generated
  engines::NamedArrays values;                               // inputs with a value that the user gave
  std::vector<std::pair<std::string, std::string>> renamed;  // inputs that have another name in the second model
  compare::OutputPairs outputs;                              // positions in the first and the second model
  bool same_ops = false;  // the same operators in the same order, so that nothing is rounded in another order
  // Only constants or attributes differ. A single weight may not matter for most inputs, so more inputs are tried.
  bool few_differences = false;
};

class EngineComparison {
 public:
  EngineComparison(const VerifyCase& pair, const engines::Engine& engine) : pair_(pair), engine_(engine) {}

  EngineReport compare();
  // The inputs of the second model that correspond to those of the first.
  engines::NamedArrays inputs_of_second(const engines::NamedArrays& inputs) const;
  // The inputs of the first run with a difference; null: there was none, or the second model did not run.
  const inputs::InputSet* guilty() const { return guilty_ ? &*guilty_ : nullptr; }
  std::vector<std::vector<ops::Datum>> kept_first, kept_second;

 private:
  using Outputs = std::vector<ops::Datum>;
  void run_trials();
  // How many sets of inputs to generate, and whether there is time for another one.
  std::size_t most_trials(const inputs::InputPlan& plan) const;
  bool has_time(double least) const;
  void run_samples();
  Outputs run_first(const inputs::InputSet& trial);
  [[noreturn]] void throw_for(const engines::EngineDied& died, const std::string& model) const;
  void note_second_failed(const Error& error, const std::string& inputs = {});
  void say_running(const char* model, const inputs::InputSet& trial) const;
  // False if it makes no sense to go on: the second model failed, or what was found is enough.
  bool compare(const inputs::InputSet& trial, const Outputs& expected);
  // How much an output of the first model changes when its inputs change slightly (`moved`), and when everything it
  // computes is rounded once more (`rounded`).
  struct Changes {
    compare::OutputDifference moved, rounded;
  };
  using AllChanges = std::vector<Changes>;
  AllChanges floors(const inputs::InputSet& trial, const Outputs& expected,
                    const std::vector<compare::OutputDifference>& found);
  void widen(AllChanges& floors, compare::OutputDifference Changes::*which, const Outputs& expected,
             const Outputs& moved) const;
  void check_repeats(const inputs::InputSet& trial, const Outputs& expected, AllChanges& floors);
  void add(const inputs::InputSet& trial, std::size_t i, const compare::OutputDifference& found, const Changes& floor);
  Verdict judge(const compare::OutputDifference& difference, const Changes& floor) const;
  bool has_limits() const { return pair_.options.exact || pair_.options.tolerance > 0 || pair_.options.quality > 0; }
  void keep(const Outputs& expected, const Outputs& found);
  void note_sizes(const inputs::InputSet& set);
  void finish();

  const VerifyCase& pair_;
  const engines::Engine& engine_;
  EngineReport report_;
  std::unique_ptr<engines::Session> first_, second_;
  std::optional<compare::Floor> floor_;
  std::size_t compared_ = 0;  // sets of inputs
  std::size_t repeated_ = 0;  // how often the first model was run again on the same inputs
  std::vector<compare::OutputDifference> sums_;
  std::optional<inputs::InputSet> guilty_;
  struct SizeRange {
    std::string name;
    std::int64_t least, most;
  };
  std::vector<SizeRange> sizes_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace onnxpress
