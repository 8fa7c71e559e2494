// Runs the models and compares their outputs.
#include "onnxpress/compare/comparison.h"

#include <utility>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/engines/run_work.h"

namespace onnxpress::compare {

namespace {

std::vector<bool> find_probabilities(const Model& model, const engines::NamedArrays& inputs) {
  const analysis::Facts facts(model, engines::settings_for(inputs));
  std::vector<bool> found;
  for (const ValueInfo* output : model.graph().outputs()) {
    const ops::Range& range = facts.of(*output->value).range;
    found.push_back(range.low >= 0 && range.high <= 1);
  }
  return found;
}

}  // namespace

void Comparison::add(inputs::InputSet inputs) {
  if (!session_) session_ = engine_->open(reference_, settings_);
  std::vector<ops::Datum> outputs = session_->run(inputs.arrays);
  // Now, because the reference may have other weights when the outputs are compared.
  if (sets_.empty()) probabilities_ = find_probabilities(reference_, inputs.arrays);
  sets_.push_back({std::move(inputs), std::move(outputs)});
}

void Comparison::keep(std::span<const std::size_t> sets) {
  std::vector<Set> kept;
  for (const std::size_t each : sets) kept.push_back(std::move(sets_[each]));
  sets_ = std::move(kept);
  if (sets_.empty()) totals_.clear();
}

void Comparison::start_totals() {
  if (totals_.empty()) {
    std::vector<const std::vector<ops::Datum>*> originals;
    for (const Set& set : sets_) originals.push_back(&set.outputs);
    totals_ = output_losses(reference_, probabilities_, originals);
  }
  for (OutputLoss& each : totals_) each.clear();
}

Loss Comparison::compare(const Set& set, const std::vector<ops::Datum>& after) {
  Loss loss;
  for (std::size_t i = 0; i < totals_.size() && i < after.size(); ++i) {
    const double ratio = totals_[i].add(set.outputs[i], after[i]);
    if (ratio <= loss.ratio) continue;
    loss.ratio = ratio;
    loss.output = i;
  }
  loss.snr = signal_to_noise(1, loss.ratio);
  return loss;
}

std::vector<Loss> Comparison::with(const Model& other, std::span<const std::size_t> sets,
                                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  close();
  start_totals();
  std::unique_ptr<engines::Session> session;
  try {
    session = engine_->open(other, settings_);
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error&) {  // then all runs below count as failed
  }
  std::vector<Loss> losses;
  for (const std::size_t each : sets) {
    if (progress) progress(losses.size(), sets.size());
    Loss loss = kAllLost;
    try {
      if (session) loss = compare(sets_[each], session->run(sets_[each].inputs.arrays));
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error&) {  // rounded weights may lead to a shape that does not work
    }
    losses.push_back(loss);
  }
  return losses;
}

Loss Comparison::run_again(std::size_t set) {
  start_totals();
  if (!session_) session_ = engine_->open(reference_, settings_);
  return compare(sets_[set], session_->run(sets_[set].inputs.arrays));
}

}  // namespace onnxpress::compare
