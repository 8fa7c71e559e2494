// Runs rewrites with verification (tasks/verify), and finds a rewrite that changes outputs by bisection.
#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"
#include "onnxpress/tasks/verify/verify.h"

namespace onnxpress {

namespace {

class Proof {
 public:
  Proof(const Model& original, const OptimizeOptions& options, std::optional<std::uint64_t> input_bytes)
      : original_(original.clone()), options_(options), input_bytes_(input_bytes), engine_(options.engine) {
    if (!engine_) engine_ = engines::evaluator_engine();
    question_.bindings = options.bindings;
    question_.exact = options.exact;
    question_.seconds = 5;
    question_.stops_at_difference = true;
  }

  // Does the result differ? Fills in `check`, except for `left_out`.
  bool differs(const Model& result, OptimizeCheck& check) {
    check.done = false;
    check.reason.clear();
    check.runners.clear();
    check.runs = 0;
    check.largest_difference = check.floor = 0;
    try {
      VerifyResult report = compare(result);
      describe(report, check);
      inputs_ = std::move(report.guilty);
      return check.done && report.verdict == Verdict::kDiffers;
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error& error) {
      check.reason = error.message();
      return false;
    }
  }

  // The rewrite of the first step that changes what the model computes; empty if there is none.
  std::string guilty_rewrite(const Model& start, const passes::DriverOptions& driver,
                             const std::vector<passes::RewriteStep>& steps) {
    // The inputs that showed the difference are enough. There may be none, if the result did not load.
    question_.given.clear();
    if (inputs_) question_.given.push_back(*inputs_);
    std::size_t good = 0, bad = steps.size();
    while (bad - good > 1) {
      passes::DriverOptions some = driver;
      some.stop_after = good + (bad - good) / 2;
      Model trial = start.clone();
      run_rewrites(trial, options_, some, input_bytes_);
      (compare(trial).verdict == Verdict::kDiffers ? bad : good) = *some.stop_after;
    }
    question_.given.clear();
    return bad == 0 ? std::string() : std::string(steps[bad - 1].rewrite);
  }

 private:
  static bool is_answer(const EngineReport& engine) { return engine.verdict.has_value(); }

  VerifyResult compare(const Model& result) {
    begin_stage("comparing outputs");
    Model second = result.clone();  // runtimes need names for all values
    VerifyResult report = verify_outputs(original_, second, question_, engines::Engines{engine_});
    // The runtime does not run the original, and later calls would not change that.
    if (report.engines.size() > 1) engine_ = engines::evaluator_engine();
    return report;
  }

  static void describe(const VerifyReport& report, OptimizeCheck& check) {
    for (const EngineReport& engine : report.engines) {
      if (!is_answer(engine)) {
        if (check.reason.empty()) check.reason = engine.reason;
        continue;
      }
      const bool is_random = !engine.varies.empty() && engine.verdict == Verdict::kDiffers && engine.reason.empty();
      if (is_random) {
        check.reason = engine.varies;
        continue;
      }
      check.done = true;
      check.runners.push_back(engine.engine);
      check.runs += engine.runs.size();
      for (const VerifiedOutput& output : engine.outputs) {
        check.largest_difference = std::max(check.largest_difference, output.max_share.value_or(0));
        check.floor = std::max(check.floor, output.floor_share);
      }
    }
    if (check.done) check.reason.clear();
  }

  Model original_;
  const OptimizeOptions& options_;
  std::optional<std::uint64_t> input_bytes_;
  std::shared_ptr<const engines::Engine> engine_;
  VerifyCall question_;
  std::optional<inputs::InputSet> inputs_;  // those that showed the last difference
};

}  // namespace

passes::DriverReport run_verified(Model& model, const Model& original, const OptimizeOptions& options,
                                  passes::DriverOptions driver, std::optional<std::uint64_t> input_bytes,
                                  OptimizeReport& report) {
  Proof proof(original, options, input_bytes);
  OptimizeCheck check;
  while (true) {
    Model trial = model.clone();
    passes::DriverReport done = run_rewrites(trial, options, driver, input_bytes);
    const bool differs = proof.differs(trial, check);
    const std::string guilty = differs ? proof.guilty_rewrite(model, driver, done.steps) : std::string();
    if (guilty.empty()) {
      report.check = std::move(check);
      model = std::move(trial);
      return done;
    }
    check.left_out.push_back(guilty);
    driver.without.push_back(guilty);
  }
}

}  // namespace onnxpress
