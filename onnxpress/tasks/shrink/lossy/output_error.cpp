// Swaps weights, runs the model, and compares the outputs.
#include "onnxpress/tasks/shrink/lossy/output_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/constants.h"

namespace onnxpress::tasks {

namespace {

// Puts the chosen forms into the model, and the original weights back when it is destroyed.
class Swapped {
 public:
  explicit Swapped(std::vector<PlannedWeight>& planned) {
    for (PlannedWeight& each : planned) {
      if (!each.chosen || each.dynamic) continue;
      const WeightForm& form = each.forms[*each.chosen];
      swap(*each.weight.value, form.content);
      if (form.bias) swap(*each.bias, *form.bias);
    }
  }
  ~Swapped() {
    for (Original& each : originals_) {
      each.tensor->content = std::move(each.content);
      each.tensor->storage = each.storage;
    }
  }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;

 private:
  void swap(const Value& constant, Tensor::Content content) {
    Tensor* tensor = constant_tensor(constant);
    originals_.push_back({tensor, tensor->content, tensor->storage});
    tensor->content = std::move(content);
    tensor->storage = Storage::kMade;
  }
  struct Original {
    Tensor* tensor;
    Tensor::Content content;
    Storage storage;
  };
  std::vector<Original> originals_;
};

}  // namespace

std::size_t excused_of(std::size_t inputs, double fraction) {
  return static_cast<std::size_t>(static_cast<double>(inputs) * fraction);
}

double worst_after(std::span<const ProbeLoss> losses, std::size_t excused) {
  if (losses.size() <= excused) return INFINITY;
  std::vector<double> snrs;
  for (const ProbeLoss& loss : losses) snrs.push_back(loss.snr);
  const auto worst = snrs.begin() + static_cast<std::ptrdiff_t>(excused);
  std::ranges::nth_element(snrs, worst);
  return *worst;
}

// A model that draws random numbers has different outputs in each run, so the effect of rounding cannot be measured.
bool OutputError::repeats(engines::Session& session) {
  constexpr double kSame = 1e-8;  // noise over signal: threads may add in another order
  describe_outputs();
  forget_runs();
  try {
    if (compare(probes_.front(), session.run(engines::arrays_of(probes_.front().inputs))).ratio <= kSame) return true;
    why_ = "its outputs differ from run to run";
  } catch (const Error& error) {
    why_ = error.message();
  }
  return false;
}

void OutputError::describe_outputs() {
  if (probes_.empty()) return;
  std::vector<const std::vector<ops::Datum>*> originals;
  for (const Probe& probe : probes_) originals.push_back(&probe.outputs);
  const analysis::Facts facts(model_, engines::settings_for(probes_.front().inputs));
  losses_ = compare::output_losses(model_, facts, originals);
}

void OutputError::forget_runs() {
  for (compare::OutputLoss& each : losses_) each.clear();
  tried_.clear();
  last_.reset();
}

ProbeLoss OutputError::compare(const Probe& probe, const std::vector<ops::Datum>& after) {
  ProbeLoss loss;
  for (std::size_t i = 0; i < losses_.size() && i < after.size(); ++i) {
    const double ratio = losses_[i].add(probe.outputs[i], after[i]);
    if (ratio <= loss.ratio) continue;
    loss.ratio = ratio;
    loss.output = i;
  }
  loss.snr = signal_to_noise(1, loss.ratio);
  return loss;
}

std::string OutputError::output_name(std::size_t output) const { return losses_[output].name(); }

double OutputError::output_level(std::size_t output) const { return losses_[output].level(); }

std::size_t OutputError::smallest_output() const {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const ops::Array* array = probes_.front().outputs[i].array();
    if (losses_[i].counts() && array) smallest = std::min(smallest, static_cast<std::size_t>(array->count()));
  }
  return smallest;
}

std::vector<std::string> OutputError::input_types() const {
  std::set<std::string> types;
  for (const Probe& probe : probes_) {
    for (const auto& [name, datum] : probe.inputs) {
      if (const ops::Array* array = datum.array())
        types.insert(fmt::format("{} {}", name, to_string(array->type(), array->sizes())));
    }
  }
  return {types.begin(), types.end()};
}

std::size_t OutputError::tried_inputs() const {
  std::size_t count = probes_.size();
  for (const auto& [kind, inputs] : forgotten_) count += inputs;
  return count;
}

std::vector<std::size_t> OutputError::all() const {
  std::vector<std::size_t> numbers(probes_.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::size_t> OutputError::to_choose() const {
  std::vector<std::size_t> numbers = all();
  std::erase_if(numbers, [this](std::size_t each) { return probes_[each].for_check; });
  return numbers.empty() ? all() : numbers;
}

std::vector<ProbeLoss> OutputError::losses_with(std::vector<PlannedWeight>& planned,
                                                std::span<const std::size_t> probes) {
  Asked asked{.contents = {}, .probes = {probes.begin(), probes.end()}};
  for (const PlannedWeight& each : planned)
    asked.contents.push_back(each.chosen && !each.dynamic ? each.forms[*each.chosen].content.get() : nullptr);
  if (last_ != asked) {
    const Swapped swapped(planned);
    losses_of(model_, probes);
    last_ = std::move(asked);
  }
  std::vector<ProbeLoss> losses;
  for (const Tried& each : tried_) losses.push_back(each.loss);
  return losses;
}

double OutputError::work_of_trial(std::size_t probes) const {
  return work_ * static_cast<double>(std::max<std::size_t>(1, probes)) + engines::work_of_loading(model_);
}

std::vector<ProbeLoss> OutputError::losses_of(Model& other, std::span<const std::size_t> probes) {
  forget_runs();
  std::unique_ptr<engines::Session> session;
  try {
    session = open(other);
  } catch (const Error&) {  // then all runs below count as failed
  }
  for (const std::size_t each : probes) {
    if (progress_) progress_(tried_.size(), probes.size());
    ProbeLoss loss{-300, 1e30, 0};
    try {
      if (session) loss = compare(probes_[each], session->run(engines::arrays_of(probes_[each].inputs)));
    } catch (const Error&) {  // rounded weights may lead to a shape that does not work
    }
    tried_.push_back({each, loss});
  }
  std::vector<ProbeLoss> losses;
  for (const Tried& each : tried_) losses.push_back(each.loss);
  return losses;
}

std::vector<InputLine> OutputError::input_lines() const {
  std::vector<InputLine> lines;
  for (const Tried& each : tried_) {
    const Probe& probe = probes_[each.probe];
    auto line = std::ranges::find(lines, probe.kind, &InputLine::kind);
    if (line == lines.end()) line = lines.insert(lines.end(), InputLine{.kind = probe.kind});
    ++line->inputs;
    if (probe.for_check) ++line->checked;
    if (!std::isfinite(each.loss.snr) || (line->snr && *line->snr <= each.loss.snr)) continue;
    line->snr = each.loss.snr;
    line->output = losses_[each.loss.output].name();
  }
  for (InputLine& line : lines) {  // inputs that were checked, and dropped because a worse one of the set was kept
    const auto more = forgotten_.find(line.kind);
    if (more != forgotten_.end()) line.inputs += more->second, line.checked += more->second;
  }
  for (const InputLine& line : unusable_) {
    if (std::ranges::find(lines, line.kind, &InputLine::kind) == lines.end()) lines.push_back(line);
  }
  return lines;
}

std::vector<OutputLine> OutputError::output_lines() const {
  std::vector<OutputLine> lines;
  for (const compare::OutputLoss& each : losses_) {
    if (!each.counts()) continue;
    const compare::Distance& distance = each.distance();
    lines.push_back({.output = each.name(),
                     .snr = distance.snr(),
                     .worst = each.worst_snr(),
                     .cosine = distance.cosine(),
                     .top1 = each.classes().top1(),
                     .largest_error = distance.max_abs,
                     .mean_error = distance.mean_abs()});
  }
  return lines;
}

}  // namespace onnxpress::tasks
