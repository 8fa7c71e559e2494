// How much the outputs of a model change when its weights do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/tasks/run.h"
#include "onnxpress/tasks/shrink/lossy/compress_weights.h"
#include "onnxpress/tasks/shrink/lossy/weight_plan.h"

namespace onnxpress::tasks {

// Runs the model as it is once on each sample, or on random inputs, and then as it has become, with other weights, as
// often as asked.
class OutputError {
 public:
  // Throws Error when the samples do not fit the model.
  OutputError(Model& model, const CompressOptions& options);
  // Could it be run? Else why() says why not.
  bool works() const { return !runs_.empty(); }
  const std::string& why() const { return why_; }
  std::uint64_t sample_count() const { return sample_count_; }  // 0: random inputs

  // Energy of the outputs over that of their change, in dB, with the chosen forms: of the mean over all outputs of
  // floats. After that lines() tells of each output.
  double snr_with(std::vector<PlannedWeight>& planned);
  std::vector<OutputLine> lines() const;

  // Sets what noise in each weight does to the outputs, by rounding one weight after the other. Of many weights the
  // largest are measured, the others take their mean.
  void measure_sensitivity(std::vector<PlannedWeight>& planned,
                           const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

 private:
  struct Run {
    analysis::Evaluator::Inputs inputs;
    std::vector<ops::Datum> outputs;
  };
  // What one output adds up to over all runs.
  struct Sums {
    std::string name;
    bool is_float = false, has_classes = false;
    double signal = 0, signal_after = 0, noise = 0, absolute = 0, largest = 0;
    std::uint64_t count = 0, rows = 0, agreeing = 0;
    void add(const ops::Array& before, const ops::Array& after);
    void add_rows(const std::vector<double>& before, const std::vector<double>& after, std::size_t width);
  };
  bool add_run(const RunOptions& options);
  // False when the model could not be run any more.
  bool compare(const Run& run);
  double snr() const;

  Model& model_;
  std::vector<Run> runs_;
  std::vector<Sums> sums_;
  std::uint64_t sample_count_ = 0;
  bool has_open_dims_ = false;  // the model leaves sizes of inputs open, and so do the options
  std::string why_;
};

}  // namespace onnxpress::tasks
