// Swaps weights, runs the model, and compares the outputs.
#include "onnxpress/tasks/shrink/lossy/output_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/output_difference.h"
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

using NumberTypes = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16,
                                  ElementType::kBfloat16, ElementType::kUint8, ElementType::kInt8, ElementType::kUint16,
                                  ElementType::kInt16, ElementType::kUint32, ElementType::kInt32, ElementType::kUint64,
                                  ElementType::kInt64, ElementType::kBool>;

// A function that returns an element as a number, so that no array of them is needed.
template <typename T>
auto numbers_of(std::span<const T> elements) {
  return [elements](std::size_t i) { return static_cast<double>(static_cast<ops::Computed<T>>(elements[i])); };
}

// Calls `use` with the numbers of two arrays of the same type.
template <typename Use>
void with_two(const ops::Array& first, const ops::Array& second, const Use& use) {
  ops::dispatch(NumberTypes(), first.type(),
                [&]<typename T>() { use(numbers_of(first.data<T>()), numbers_of(second.data<T>())); });
}

// Is it a type of amounts, whose errors can be measured? Narrow integers are pixels or sound samples; wide ones are
// labels or indices.
bool is_amount(ElementType type) {
  return is_float(type) || type == ElementType::kUint8 || type == ElementType::kInt8 || type == ElementType::kUint16 ||
         type == ElementType::kInt16;
}

// Errors are compared with at least this fraction of an output's mean energy (-60 dB), even if it is nearly silent for
// some input.
constexpr double kSilence = 1e-6;
// Errors of probabilities are compared with at least 0.01 if their root mean square reaches 0.1 for some input: an
// error of 0.0003 (30 dB below 0.01) does not matter. A Softmax is not affected: with up to 100 classes its root mean
// square is at least 0.01, and with more it is below 0.1.
constexpr double kUnlikely = 1e-4, kLikely = 1e-2;  // squares

double energy_of(const ops::Array& array) {
  double sum = 0;
  ops::dispatch(NumberTypes(), array.type(), [&]<typename T>() {
    const auto numbers = numbers_of(array.data<T>());
    for (std::size_t i = 0; i < array.count(); ++i) sum += std::isfinite(numbers(i)) ? numbers(i) * numbers(i) : 0;
  });
  return sum;
}

double decibels(double ratio) { return ratio > 0 ? -10 * std::log10(ratio) : INFINITY; }

bool is_probability(const ops::Fact& fact) { return fact.range.low >= 0 && fact.range.high <= 1; }

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

double OutputError::Sums::add(const ops::Array& before, const ops::Array& after) {
  if (before.sizes() != after.sizes() || before.type() != after.type()) {  // counts as if the whole signal were lost
    signal += energy_of(before);
    noise = std::max(noise, signal);
    worst = std::max(worst, 1.0);
    return 1;
  }
  double here = 0, off_here = 0;
  std::uint64_t finite = 0;
  const auto compare = [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < before.count(); ++i) {
      const double was = x(i), is = y(i);
      if (!std::isfinite(was)) continue;
      const double now = std::isfinite(is) ? is : 0, off = was - now;
      here += was * was, signal_after += now * now, off_here += off * off;
      absolute += std::abs(off), largest = std::max(largest, std::abs(off));
      ++finite;
    }
  };
  with_two(before, after, compare);
  signal += here, noise += off_here, count += finite;
  if (has_classes) add_rows(before, after);
  const double least = silence * static_cast<double>(finite);
  const double ratio = off_here > 0 ? off_here / std::max({here, least, 1e-300}) : 0;
  worst = std::max(worst, ratio);
  return ratio;
}

void OutputError::Sums::add_rows(const ops::Array& before, const ops::Array& after) {
  const auto width = static_cast<std::size_t>(before.size(before.rank() - 1));
  const auto top = [width](const auto& number, std::size_t row) {
    std::size_t best = row * width;
    for (std::size_t i = best + 1; i < (row + 1) * width; ++i) best = number(best) < number(i) ? i : best;
    return best;
  };
  with_two(before, after, [&](const auto& x, const auto& y) {
    for (std::size_t row = 0; row < before.count() / width; ++row) {
      ++rows;
      if (top(x, row) == top(y, row)) ++agreeing;
    }
  });
}

// A model that draws random numbers has different outputs in each run, so the effect of rounding cannot be measured.
bool OutputError::repeats(const engines::RunModel& run) {
  constexpr double kSame = 1e-8;  // noise over signal: threads may add in another order
  describe_outputs();
  reset_sums();
  try {
    if (compare(probes_.front(), run(probes_.front().inputs)).ratio <= kSame) return true;
    why_ = "its outputs differ from run to run";
  } catch (const Error& error) {
    why_ = error.message();
  }
  return false;
}

void OutputError::describe_outputs() {
  if (probes_.empty()) return;
  const auto& outputs = model_.graph().outputs();
  const analysis::Facts facts(model_, engines::settings_for(probes_.front().inputs));
  sums_.assign(outputs.size(), {});
  bool any_amount = false;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const ops::Array* array = probes_.front().outputs[i].array();
    sums_[i].name = outputs[i]->value->name();
    sums_[i].counts = array && is_amount(array->type());
    sums_[i].has_classes = array && compare::has_classes(*outputs[i]->value, *array);
    any_amount |= sums_[i].counts;
    double energy = 0, elements = 0, loudest = 0;
    for (const Probe& probe : probes_) {
      const ops::Array* each = probe.outputs[i].array();
      if (!each || each->is_string() || each->count() == 0) continue;
      const double here = energy_of(*each);
      energy += here, elements += static_cast<double>(each->count());
      loudest = std::max(loudest, here / static_cast<double>(each->count()));
    }
    sums_[i].energy = elements > 0 ? energy / elements : 0;
    const bool is_likely = loudest >= kLikely && is_probability(facts.of(*outputs[i]->value));
    sums_[i].silence = std::max(kSilence * sums_[i].energy, is_likely ? kUnlikely : 0);
  }
  for (std::size_t i = 0; !any_amount && i < sums_.size(); ++i) {
    const ops::Array* array = probes_.front().outputs[i].array();
    sums_[i].counts = array && !array->is_string();
  }
}

void OutputError::reset_sums() {
  for (Sums& each : sums_) {
    Sums fresh;
    fresh.name = each.name, fresh.counts = each.counts, fresh.has_classes = each.has_classes;
    fresh.energy = each.energy, fresh.silence = each.silence;
    each = fresh;
  }
  tried_.clear();
  last_.reset();
}

ProbeLoss OutputError::compare(const Probe& probe, const std::vector<ops::Datum>& after) {
  ProbeLoss loss;
  for (std::size_t i = 0; i < sums_.size() && i < after.size(); ++i) {
    const ops::Array *x = probe.outputs[i].array(), *y = after[i].array();
    if (!sums_[i].counts || !x || !y) continue;
    const double ratio = sums_[i].add(*x, *y);
    if (ratio <= loss.ratio) continue;
    loss.ratio = ratio;
    loss.output = i;
  }
  loss.snr = decibels(loss.ratio);
  return loss;
}

std::string OutputError::output_name(std::size_t output) const { return sums_[output].name; }

double OutputError::output_level(std::size_t output) const { return std::sqrt(sums_[output].energy); }

std::size_t OutputError::smallest_output() const {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const ops::Array* array = probes_.front().outputs[i].array();
    if (sums_[i].counts && array) smallest = std::min(smallest, static_cast<std::size_t>(array->count()));
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
  reset_sums();
  engines::RunModel run;
  try {
    run = load_(other);
  } catch (const Error&) {  // then all runs below count as failed
  }
  for (const std::size_t each : probes) {
    if (progress_) progress_(tried_.size(), probes.size());
    ProbeLoss loss{-300, 1e30, 0};
    try {
      if (run) loss = compare(probes_[each], run(probes_[each].inputs));
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
    line->output = sums_[each.loss.output].name;
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
  for (const Sums& each : sums_) {
    if (!each.counts) continue;
    OutputLine line{.output = each.name};
    if (each.noise > 0) line.snr = 10 * std::log10(std::max(each.signal, 1e-300) / each.noise);
    if (each.worst > 0) line.worst = decibels(each.worst);
    const double lengths = std::sqrt(each.signal) * std::sqrt(each.signal_after);
    if (lengths > 0) line.cosine = std::min(1.0, (each.signal + each.signal_after - each.noise) / 2 / lengths);
    if (each.rows > 0) line.top1 = static_cast<double>(each.agreeing) / static_cast<double>(each.rows);
    line.largest_error = each.largest;
    line.mean_error = each.count ? each.absolute / static_cast<double>(each.count) : 0;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace onnxpress::tasks
