// Runs the model with rounded weights in place of its own, and compares the outputs with the original ones.
#include "onnxpress/tasks/quantize/output_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"

namespace onnxpress {

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

double worst_after(std::span<const Loss> losses, std::size_t excused) {
  if (losses.size() <= excused) return INFINITY;
  std::vector<double> snrs;
  for (const Loss& loss : losses) snrs.push_back(loss.snr);
  const auto worst = snrs.begin() + static_cast<std::ptrdiff_t>(excused);
  std::ranges::nth_element(snrs, worst);
  return *worst;
}

// A model that draws random numbers has different outputs in each run, so the effect of rounding cannot be measured.
bool OutputError::repeats() {
  constexpr double kSame = 1e-8;  // noise over signal: threads may add in another order
  try {
    if (comparison_.run_again(0).ratio <= kSame) return true;
    why_ = "its outputs differ from run to run";
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error& error) {
    why_ = error.message();
  }
  return false;
}

std::string OutputError::output_name(std::size_t output) const { return comparison_.totals()[output].name(); }

double OutputError::output_level(std::size_t output) const { return comparison_.totals()[output].level(); }

std::size_t OutputError::smallest_output() const {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < comparison_.totals().size(); ++i) {
    const ops::Array* array = comparison_.outputs(0)[i].array();
    if (comparison_.totals()[i].counts() && array) smallest = std::min(smallest, array->count());
  }
  return smallest;
}

std::vector<std::string> OutputError::input_types() const {
  std::set<std::string> types;
  for (const std::size_t each : all()) {
    for (const auto& [name, array] : inputs_of(each)) types.insert(fmt::format("{} {}", name, type_text(array)));
  }
  return {types.begin(), types.end()};
}

std::size_t OutputError::tried_inputs() const {
  std::size_t count = size();
  for (const auto& [kind, inputs] : forgotten_) count += inputs;
  return count;
}

std::vector<std::size_t> OutputError::all() const {
  std::vector<std::size_t> numbers(size());
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<std::size_t> OutputError::to_choose() const {
  std::vector<std::size_t> numbers = all();
  std::erase_if(numbers, [this](std::size_t each) { return is_for_check(each); });
  return numbers.empty() ? all() : numbers;
}

std::vector<Loss> OutputError::losses_with(std::vector<PlannedWeight>& planned, std::span<const std::size_t> probes) {
  std::vector<const void*> contents;
  for (const PlannedWeight& each : planned)
    contents.push_back(each.chosen && !each.dynamic ? each.forms[*each.chosen].content.get() : nullptr);
  if (last_.contents == contents && std::ranges::equal(last_.probes, probes)) return last_.losses;
  const Swapped swapped(planned);
  losses_of(model_, probes);
  last_.contents = std::move(contents);
  return last_.losses;
}

double OutputError::work_of_trial(std::size_t probes) const {
  return work_ * static_cast<double>(std::max<std::size_t>(1, probes)) + engines::work_of_loading(model_);
}

std::vector<Loss> OutputError::losses_of(Model& other, std::span<const std::size_t> probes) {
  last_ = {.contents = std::nullopt, .probes = {probes.begin(), probes.end()}, .losses = {}};
  last_.losses = comparison_.with(other, probes, progress_);
  return last_.losses;
}

std::vector<InputLine> OutputError::input_lines() const {
  std::vector<InputLine> lines;
  for (std::size_t i = 0; i < last_.losses.size(); ++i) {
    const Loss& loss = last_.losses[i];
    const std::string& kind = kind_of(last_.probes[i]);
    auto line = std::ranges::find(lines, kind, &InputLine::kind);
    if (line == lines.end()) line = lines.insert(lines.end(), InputLine{.kind = kind});
    ++line->inputs;
    if (is_for_check(last_.probes[i])) ++line->checked;
    if (!std::isfinite(loss.snr) || (line->snr && *line->snr <= loss.snr)) continue;
    line->snr = loss.snr;
    line->output = output_name(loss.output);
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
  for (const compare::OutputLoss& each : comparison_.totals()) {
    if (!each.counts()) continue;
    const compare::Distance& distance = each.distance();
    lines.push_back({.output = each.name(),
                     .snr = distance.snr(),
                     .worst = each.worst_snr(),
                     .cosine = distance.cosine(),
                     .largest_error = distance.max_abs,
                     .mean_error = distance.mean_abs(),
                     .top1 = each.classes().top1()});
  }
  return lines;
}

}  // namespace onnxpress
