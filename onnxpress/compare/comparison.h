// What a reference model gives for some sets of inputs, and how much of that another model loses.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "onnxpress/compare/output_loss.h"
#include "onnxpress/engines/engine.h"
#include "onnxpress/inputs/input_set.h"

namespace onnxpress::compare {

// What is lost for one set of inputs, in the output that loses most (output_loss.h).
struct Loss {
  double snr = std::numeric_limits<double>::infinity();  // in dB
  double ratio = 0;                                      // noise over signal
  std::size_t output = 0;                                // which output that is
};
// The loss if the other model does not run: a run that fails counts as if nothing were left of the signal.
inline constexpr Loss kAllLost{-300, 1e30, 0};

class Comparison {
 public:
  // The reference must live as long as this, and have the same weights whenever it is run by add() or run_again().
  Comparison(const Model& reference, std::shared_ptr<const engines::Engine> engine,
             const engines::EngineSettings& settings)
      : reference_(reference), engine_(std::move(engine)), settings_(settings) {}

  const engines::Engine& engine() const { return *engine_; }
  const engines::EngineSettings& settings() const { return settings_; }

  // Runs the reference on these inputs, and keeps its outputs. Throws Error, and adds nothing, if it does not run. The
  // reference stays loaded until close() or with() is called: do that before it changes.
  void add(inputs::InputSet inputs);
  void close() { session_.reset(); }
  // Forgets all sets of inputs but these, which get the numbers from 0.
  void keep(std::span<const std::size_t> sets);
  void clear() { keep({}); }

  std::size_t size() const { return sets_.size(); }  // sets of inputs
  const inputs::InputSet& inputs(std::size_t set) const { return sets_[set].inputs; }
  const std::vector<ops::Datum>& outputs(std::size_t set) const { return sets_[set].outputs; }

  // Runs another model with the same inputs and outputs on these sets, and returns their losses in the same order.
  // `progress` is called before each run.
  std::vector<Loss> with(const Model& other, std::span<const std::size_t> sets,
                         const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});
  // Runs the reference once more on this set. Throws Error. There is a loss if it gives something else in each run.
  Loss run_again(std::size_t set);

  // By output: what was lost in the last call of with() or run_again(). How silent an output is depends on the sets of
  // inputs that were there at the first call; later ones do not change it. Empty before that call.
  std::span<const OutputLoss> totals() const { return totals_; }

 private:
  struct Set {
    inputs::InputSet inputs;
    std::vector<ops::Datum> outputs;
  };
  void start_totals();
  Loss compare(const Set& set, const std::vector<ops::Datum>& after);

  const Model& reference_;
  std::shared_ptr<const engines::Engine> engine_;
  engines::EngineSettings settings_;
  std::unique_ptr<engines::Session> session_;  // of the reference
  std::vector<Set> sets_;
  std::vector<bool> probabilities_;  // by output: is it between 0 and 1 for any input?
  std::vector<OutputLoss> totals_;
};

}  // namespace onnxpress::compare
