// How much of the signal of an output is lost when a model changes: what `shrink --quality` promises and reports.
//
// The loss for one input is noise over signal: the squares of the differences over the squares of the original output.
//  - A nearly silent output does not count as lost: errors are compared with at least the energy that lies 60 dB below
//    the mean energy of this output for all inputs.
//  - Errors of probabilities are compared with at least 0.01 where they come near 1 for some input.
//  - An element that becomes infinite or NaN counts as zero; one that was so before does not count.
//  - An output of another type or shape than before has lost all of its signal.
//  - Only outputs that are amounts count: floats, and integers of at most 16 bits, which are pixels or sound samples.
//    Wide integers and bools are labels, indices or decisions; they count if the model has no other outputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/compare/class_agreement.h"
#include "onnxpress/compare/distance.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

class OutputLoss {
 public:
  // `originals` are what the original model gave for each set of inputs; at least one. `is_probability`: between 0 and
  // 1 for any input.
  OutputLoss(const Value& output, bool is_probability, std::span<const ops::Datum* const> originals);

  // Adds the outputs of a run. Returns noise over signal of this run; 0 if the output does not count.
  double add(const ops::Datum& before, const ops::Datum& after);
  // Forgets all runs that were added.
  void clear();

  const std::string& name() const { return name_; }
  bool counts() const { return counts_; }
  void set_counts(bool counts) { counts_ = counts; }
  // Root mean square of the original output, over all inputs.
  double level() const;

  // Over all runs that were added.
  const Distance& distance() const { return distance_; }
  const ClassAgreement& classes() const { return classes_; }
  // The lowest SNR of a run, in dB; nullopt when nothing was lost.
  std::optional<double> worst_snr() const;

 private:
  double lose_all(const ops::Array& before);

  std::string name_;
  bool counts_ = false, has_classes_ = false;
  double energy_ = 0;   // mean square of the elements of the original output, over all inputs
  double silence_ = 0;  // errors are compared with at least this mean square
  Distance distance_;
  ClassAgreement classes_;
  double worst_ = 0;  // noise over signal
};

// The losses of all outputs of a model. If none is an amount, all outputs of numbers count. `originals` are the outputs
// of the model, by set of inputs.
std::vector<OutputLoss> output_losses(const Model& model, const std::vector<bool>& are_probabilities,
                                      std::span<const std::vector<ops::Datum>* const> originals);

}  // namespace onnxpress::compare
