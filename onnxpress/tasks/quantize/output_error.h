// How much the outputs of a model change when its weights do, on inputs of several kinds.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/compare/comparison.h"
#include "onnxpress/engines/run_work.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/quantize/weight_plan.h"
#include "onnxpress/tasks/run/run.h"

namespace onnxpress {

using compare::Loss;

// How many of these inputs may miss a quality.
std::size_t excused_of(std::size_t inputs, double fraction);
// The lowest SNR, after this many with lower ones; infinite if there are no more.
double worst_after(std::span<const Loss> losses, std::size_t excused);

// Runs the original model once on each input, and then with other weights as often as asked. Inputs are samples or made
// up; some are used to choose forms, the others to check the choice.
class OutputError {
 public:
  // Throws Error when the samples do not fit the model.
  OutputError(Model& model, const QuantizeOptions& options);
  // Can the model be run? If not, why() says why.
  bool works() const { return size() > 0; }
  const std::string& why() const { return why_; }
  std::uint64_t sample_count() const { return sample_count_; }  // 0: made-up inputs

  // Inputs, by number.
  std::size_t size() const { return comparison_.size(); }
  std::size_t tried_inputs() const;  // including those that keep_fresh() forgot
  bool is_for_check(std::size_t probe) const { return for_check_[probe]; }
  const std::string& kind_of(std::size_t probe) const { return comparison_.inputs(probe).about; }
  std::string output_name(std::size_t output) const;
  double output_level(std::size_t output) const;  // root mean square over all inputs, before anything was rounded
  std::size_t smallest_output() const;            // elements of the smallest output that counts
  std::vector<std::size_t> all() const;
  std::vector<std::size_t> to_choose() const;  // those that are not for the check; all if there are none
  const engines::NamedArrays& inputs_of(std::size_t probe) const { return comparison_.inputs(probe).arrays; }
  std::vector<std::string> input_types() const;  // all different ones, sorted: "x float[1,3,128,128]"
  const compare::Comparison& comparison() const { return comparison_; }

  std::size_t kind_count() const { return kinds_.size(); }  // of inputs that are made up
  // How many more inputs can be made up and run in the original and in a changed model, with this much work in all
  // (run_work.h). 0 if there are samples.
  std::size_t affordable_inputs(double most_work) const;
  // Makes up `each` new inputs of each of these kinds, and returns the numbers of all that were made since the last
  // call of keep_fresh(). That call forgets all of them except the given ones; reports still count them as checked.
  std::vector<std::size_t> add_fresh(std::span<const std::string> kinds, std::size_t each);
  void keep_fresh(std::span<const std::size_t> kept);

  // Sets a function that is called for each run of losses_with() and losses_of().
  void tell(std::function<void(std::uint64_t done, std::uint64_t total)> progress) { progress_ = std::move(progress); }

  // The losses with the chosen forms for these inputs, in the same order. A run that fails counts as if no signal were
  // left. Two equal calls in a row run the model only once.
  std::vector<Loss> losses_with(std::vector<PlannedWeight>& planned, std::span<const std::size_t> probes);
  // The same for another model that has the same inputs and outputs.
  std::vector<Loss> losses_of(Model& other, std::span<const std::size_t> probes);
  double work_of_trial(std::size_t probes) const;  // see run_work.h
  double work() const { return work_; }            // of one run
  // What the last call found, by output and by kind of input.
  std::vector<OutputLine> output_lines() const;
  std::vector<InputLine> input_lines() const;

 private:
  void add_samples(const QuantizeOptions& options, RunOptions run_options);
  void add_made_up(RunOptions run_options);
  bool find_sizes(RunOptions& run_options);
  void enlarge(RunOptions& run_options);
  void set_style(RunOptions& run_options, inputs::InputStyle style) const;
  bool add_probe(const RunOptions& options, std::string about, bool for_check);
  bool repeats();
  double bytes_of_probe() const;  // of the first one: inputs and outputs
  const engines::NamedArrays& newest() const { return inputs_of(size() - 1); }
  void forget(std::size_t probe);
  void forget_all();

  // The last call of losses_with() or losses_of(): the contents swapped into the model (nothing for losses_of), the
  // inputs, and the answer.
  struct Call {
    std::optional<std::vector<const void*>> contents;
    std::vector<std::size_t> probes;
    std::vector<Loss> losses;
  };

  Model& model_;
  compare::Comparison comparison_;
  std::function<void(std::uint64_t, std::uint64_t)> progress_;
  Call last_;
  std::vector<bool> for_check_;                   // by number of the input
  RunOptions made_up_;                            // how inputs are made up
  std::vector<inputs::InputKind> kinds_;          // kinds that are made up
  std::int64_t small_size_ = 1, large_size_ = 1;  // of dims that the model leaves open
  std::optional<std::size_t> first_fresh_;        // probes from here on are add_fresh()'s
  std::uint64_t next_seed_ = 1000;
  std::map<std::string, std::uint64_t> forgotten_;  // by kind: inputs that were checked and are not kept
  std::vector<InputLine> unusable_;                 // kinds of inputs that the model does not run on
  std::uint64_t sample_count_ = 0;
  double work_ = 0;             // of one run
  bool too_much_ = false;       // an input took more than our evaluator may
  bool has_open_dims_ = false;  // the model leaves sizes of inputs open, and so do the options
  std::string why_;
};

}  // namespace onnxpress
