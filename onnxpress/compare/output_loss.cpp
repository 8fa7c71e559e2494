// Computes how much of an output's signal is lost in each run, and in all runs together.
#include "onnxpress/compare/output_loss.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/base/signal_to_noise.h"

namespace onnxpress::compare {

namespace {

bool is_amount(ElementType type) {
  return is_float(type) || type == ElementType::kUint8 || type == ElementType::kInt8 || type == ElementType::kUint16 ||
         type == ElementType::kInt16;
}

}  // namespace

OutputLoss::OutputLoss(const Value& output, bool is_probability, std::span<const ops::Datum* const> originals)
    : name_(output.name()) {
  constexpr double kSilence = 1e-6;  // of the mean energy: -60 dB
  // Squares of 0.01 and 0.1: an error of 0.0003 (30 dB below 0.01) does not matter in probabilities whose root mean
  // square reaches 0.1 for some input. A Softmax is not affected: with up to 100 classes its root mean square is at
  // least 0.01, and with more it is below 0.1.
  constexpr double kUnlikely = 1e-4, kLikely = 1e-2;
  const ops::Array* first = originals.front()->array();
  counts_ = first && is_amount(first->type());
  has_classes_ = first && compare::has_classes(output, *first);
  double energy = 0, elements = 0, loudest = 0;
  for (const ops::Datum* each : originals) {
    const ops::Array* array = each->array();
    if (!array || array->is_string() || array->count() == 0) continue;
    const double here = energy_of(*array);
    energy += here, elements += static_cast<double>(array->count());
    loudest = std::max(loudest, here / static_cast<double>(array->count()));
  }
  energy_ = elements > 0 ? energy / elements : 0;
  const bool is_likely = loudest >= kLikely && is_probability;
  silence_ = std::max(kSilence * energy_, is_likely ? kUnlikely : 0);
}

double OutputLoss::add(const ops::Datum& before, const ops::Datum& after) {
  const ops::Array *x = before.array(), *y = after.array();
  if (!counts_ || !x || !y) return 0;
  if (x->sizes() != y->sizes() || x->type() != y->type()) return lose_all(*x);
  const Distance found = loss_between(*y, *x);
  distance_.add(found);
  if (has_classes_) classes_.add(same_best_of(*x, *y));
  const double least = silence_ * static_cast<double>(found.counted);
  const double ratio = found.noise > 0 ? found.noise / std::max({found.signal, least, 1e-300}) : 0;
  worst_ = std::max(worst_, ratio);
  return ratio;
}

double OutputLoss::lose_all(const ops::Array& before) {
  distance_.signal += energy_of(before);
  distance_.noise = std::max(distance_.noise, distance_.signal);
  worst_ = std::max(worst_, 1.0);
  return 1;
}

void OutputLoss::clear() {
  distance_ = {};
  classes_ = {};
  worst_ = 0;
}

double OutputLoss::level() const { return std::sqrt(energy_); }

std::optional<double> OutputLoss::worst_snr() const {
  if (worst_ <= 0) return std::nullopt;
  return signal_to_noise(1, worst_);
}

std::vector<OutputLoss> output_losses(const Model& model, const std::vector<bool>& are_probabilities,
                                      std::span<const std::vector<ops::Datum>* const> originals) {
  std::vector<OutputLoss> losses;
  const auto& outputs = model.graph().outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<const ops::Datum*> of_output;
    for (const auto* each : originals) of_output.push_back(&each->at(i));
    losses.emplace_back(*outputs[i]->value, are_probabilities[i], of_output);
  }
  if (std::ranges::any_of(losses, &OutputLoss::counts)) return losses;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ops::Array* first = originals.front()->at(i).array();
    losses[i].set_counts(first && !first->is_string());
  }
  return losses;
}

}  // namespace onnxpress::compare
