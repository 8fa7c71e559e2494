// The inputs that outputs are compared on: the user's samples, or made-up inputs of several kinds.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/inputs/open_axes.h"
#include "onnxpress/inputs/samples.h"
#include "onnxpress/tasks/quantize/output_error.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

namespace {

// More inputs if runs are cheap and their inputs and outputs small: the worst of many depends less on chance.
struct InputCounts {
  std::uint64_t to_choose, to_check;  // of each kind
  bool few_kinds;                     // use only basic kinds to choose
  static InputCounts of(double work, double bytes_of_one_of_each_kind) {
    const SearchLimits::Inputs& limits = kLimits.inputs;
    const InputCounts many{limits.to_choose, limits.to_check, false};
    const InputCounts some{limits.to_choose / 2, limits.to_check / 4, false};
    const InputCounts few{limits.to_choose / 4, limits.to_check / 8, true};
    const auto fits = [&](const InputCounts& counts) {
      return bytes_of_one_of_each_kind * static_cast<double>(counts.to_choose + counts.to_check) <= limits.bytes;
    };
    if (work < limits.cheap_run && fits(many)) return many;
    return work < limits.slow_run && fits(some) ? some : few;
  }
};

// More than a cheap run is worth it only for layers that have next to nothing to work on. Our evaluator is slow.
double most_work_to_enlarge(std::int64_t shortest_axis, bool in_evaluator) {
  return kLimits.inputs.cheap_run * (shortest_axis < 4 ? 5 : 1) / (in_evaluator ? 8 : 1);
}

double bytes_of(const ops::Array& array) { return static_cast<double>(array.count()) * bits_of(array.type()) / 8; }

std::vector<inputs::InputKind> kinds_for(const engines::NamedArrays& inputs) {
  std::vector<inputs::InputKind> kinds(std::begin(inputs::kInputKinds), std::end(inputs::kInputKinds));
  bool has_floats = false, has_images = false;
  for (const auto& [name, array] : inputs) {
    has_floats |= is_float(array.type());
    has_images |= inputs::is_image(array.type(), array.sizes());
  }
  if (has_floats) kinds.push_back(inputs::InputKind::kNormalizedImage);
  if (has_images) kinds.push_back(inputs::InputKind::kText);
  if (has_images && has_floats) kinds.push_back(inputs::InputKind::kNormalizedText);
  return kinds;
}

// Is it one of the kinds that bits are chosen on if runs are very slow? Images are normalized where that is possible.
bool is_basic(inputs::InputKind kind, const std::vector<inputs::InputKind>& kinds) {
  const bool are_normalized = std::ranges::find(kinds, inputs::InputKind::kNormalizedImage) != kinds.end();
  return kind == inputs::InputKind::kNormal || kind == inputs::InputKind::kText ||
         kind == (are_normalized ? inputs::InputKind::kNormalizedImage : inputs::InputKind::kImage);
}

// As fast as the runtime can, because what is compared are outputs before and after rounding. Weights are swapped
// without marking them as changed.
constexpr engines::EngineSettings kSettings{
    .optimize = true, .pack_weights = true, .seed_random = true, .encode_anew = true};

// The engine that runs the model: our evaluator if the runtime does not load it.
std::shared_ptr<const engines::Engine> engine_for(Model& model, const QuantizeOptions& options) {
  if (!options.engine) return engines::evaluator_engine();
  try {
    options.engine->open(model, kSettings);
    return options.engine;
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error&) {
    return engines::evaluator_engine();
  }
}

}  // namespace

OutputError::OutputError(Model& model, const QuantizeOptions& options)
    : model_(model), comparison_(model, engine_for(model, options), kSettings) {
  RunOptions run_options;
  run_options.bindings = options.bindings;
  // A model may declare inputs of any size; making up more than this takes longer than measuring is worth.
  run_options.max_memory_bytes = std::uint64_t{128} << 20;
  if (!options.samples.empty())
    add_samples(options, std::move(run_options));
  else
    add_made_up(std::move(run_options));
  comparison_.close();
}

void OutputError::forget_all() {
  comparison_.clear();
  for_check_.clear();
}

// Every second sample is kept for the check.
void OutputError::add_samples(const QuantizeOptions& options, RunOptions run_options) {
  std::vector<inputs::InputSet> samples = inputs::read_samples(options.samples, model_);
  sample_count_ = samples.size();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    run_options.arrays = std::move(samples[i].arrays);
    if (!add_probe(run_options, samples[i].about, i % 2 == 1)) return forget_all();
  }
  if (works()) work_ = engines::work_of_run(model_, inputs_of(0));
  if (works() && !repeats()) forget_all();
}

void OutputError::add_made_up(RunOptions run_options) {
  if (!find_sizes(run_options)) return;
  kinds_ = kinds_for(newest());
  const InputCounts counts = InputCounts::of(work_, bytes_of_probe() * static_cast<double>(kinds_.size()));
  forget_all();
  for (const bool for_check : {false, true}) {
    for (const inputs::InputKind kind : kinds_) {
      if (counts.few_kinds && !for_check && !is_basic(kind, kinds_)) continue;
      for (std::uint64_t seed = 0; seed < (for_check ? counts.to_check : counts.to_choose); ++seed) {
        set_style(run_options, {kind, (for_check ? 101 : 0) + seed});
        const bool all_the_same = kind == inputs::InputKind::kZeros && seed > 1;
        if (!all_the_same && !add_probe(run_options, std::string(name_of(kind)), for_check) &&
            (unusable_.empty() || unusable_.back().kind != name_of(kind)))
          unusable_.push_back({.kind = std::string(name_of(kind)), .note = "the model does not run on it: " + why_});
      }
    }
  }
  if (works() && !repeats()) forget_all();
  made_up_ = std::move(run_options);
}

// Of four inputs two are large and two small, so that the quality holds for both.
void OutputError::set_style(RunOptions& run_options, inputs::InputStyle style) const {
  run_options.assumed_size = style.seed / 2 % 2 == 0 ? large_size_ : small_size_;
  run_options.style = style;
}

std::size_t OutputError::affordable_inputs(double most_work) const {
  if (sample_count_ > 0 || !works()) return 0;
  return static_cast<std::size_t>(
      std::min({most_work / (2 * work_), kLimits.inputs.bytes / 2 / bytes_of_probe(), 1e4}));
}

double OutputError::bytes_of_probe() const {
  double bytes = 1;
  for (const auto& [name, array] : inputs_of(0)) bytes += bytes_of(array);
  for (const ops::Datum& datum : comparison_.outputs(0)) bytes += datum.array() ? bytes_of(*datum.array()) : 0;
  return bytes;
}

std::vector<std::size_t> OutputError::add_fresh(std::span<const std::string> kinds, std::size_t each) {
  if (!first_fresh_) first_fresh_ = size();
  for (const inputs::InputKind kind : kinds_) {
    if (std::ranges::find(kinds, name_of(kind)) == kinds.end()) continue;
    for (std::size_t i = 0; i < each; ++i) {
      set_style(made_up_, {kind, next_seed_++});
      add_probe(made_up_, std::string(name_of(kind)), true);
    }
  }
  comparison_.close();
  std::vector<std::size_t> made(size() - *first_fresh_);
  std::iota(made.begin(), made.end(), *first_fresh_);
  return made;
}

void OutputError::keep_fresh(std::span<const std::size_t> kept) {
  const std::size_t first = first_fresh_.value_or(size());
  std::vector<std::size_t> remaining = all();
  std::erase_if(remaining,
                [&](std::size_t each) { return each >= first && std::ranges::find(kept, each) == kept.end(); });
  for (std::size_t i = first; i < size(); ++i) {
    if (!std::ranges::binary_search(remaining, i)) ++forgotten_[kind_of(i)];
  }
  comparison_.keep(remaining);
  for_check_.resize(size());  // all fresh inputs are for the check
  first_fresh_.reset();
  last_ = {};  // inputs have other numbers now
}

// Finds a size for dims that the model leaves open: the first with which some kind of input works. Other random numbers
// are tried only if the kinds fail for different reasons, and nothing more is tried after a run took too much memory or
// time.
bool OutputError::find_sizes(RunOptions& run_options) {
  constexpr std::int64_t kSizes[] = {64, 512, 2048, 16, 1};
  const std::uint64_t most_bytes = run_options.max_memory_bytes;
  std::string first;
  for (const std::int64_t size : kSizes) {
    run_options.assumed_size = size;
    run_options.max_memory_bytes = size < kLimits.inputs.large_size ? most_bytes : kLimits.inputs.bytes_if_large;
    std::string before;
    bool all_alike = true;
    for (const std::uint64_t seed : {0U, 1U}) {
      for (const inputs::InputKind kind :
           {inputs::InputKind::kNormal, inputs::InputKind::kImage, inputs::InputKind::kUniform}) {
        if (seed > 0 && all_alike) break;
        run_options.style = inputs::InputStyle{kind, seed};
        if (add_probe(run_options, "", false)) {
          work_ = engines::work_of_run(model_, newest());
          small_size_ = run_options.assumed_size;
          enlarge(run_options);
          large_size_ = run_options.assumed_size;
          return true;
        }
        if (first.empty()) first = why_;
        all_alike = all_alike && (before.empty() || before == why_);
        before = why_;
        if (too_much_) break;
      }
      if (too_much_) break;
    }
    if (!has_open_dims_ || too_much_) break;
  }
  why_ = first;
  return false;
}

// Doubles the size of open dims until no axis inside the model is short, unless that takes too much work or has no
// effect. Keeps the input that has the size it chose.
void OutputError::enlarge(RunOptions& run_options) {
  constexpr std::int64_t kLargest = 1 << 16;
  constexpr int kMostWithoutEffect = 2;
  if (!has_open_dims_) return;
  const std::int64_t long_enough = kLimits.inputs.long_axis;
  const analysis::FactSettings open = settings_of(run_options.bindings, model_);
  const auto shortest = [&] { return inputs::smallest_open_axis(model_, open, engines::settings_for(newest())); };
  std::optional<std::int64_t> best = shortest();
  RunOptions larger = run_options;
  for (int without_effect = 0; best.value_or(long_enough) < long_enough && without_effect < kMostWithoutEffect;) {
    larger.assumed_size *= 2;
    if (larger.assumed_size >= kLimits.inputs.large_size) larger.max_memory_bytes = kLimits.inputs.bytes_if_large;
    if (larger.assumed_size > kLargest || !add_probe(larger, "", false)) return;
    const double work = engines::work_of_run(model_, newest());
    const std::optional<std::int64_t> found = shortest();
    const bool is_too_slow = work > most_work_to_enlarge(*best, comparison_.engine().is_evaluator());
    const bool is_better = !is_too_slow && found.value_or(0) > *best;
    forget(is_better ? 0 : size() - 1);
    if (is_too_slow) return;
    without_effect = is_better ? 0 : without_effect + 1;
    if (!is_better) continue;
    best = found, work_ = work, run_options = larger;
  }
}

void OutputError::forget(std::size_t probe) {
  std::vector<std::size_t> others = all();
  std::erase(others, probe);
  comparison_.keep(others);
  for_check_.erase(for_check_.begin() + static_cast<std::ptrdiff_t>(probe));
}

bool OutputError::add_probe(const RunOptions& options, std::string about, bool for_check) {
  inputs::InputSet set{.about = std::move(about), .kind = std::nullopt, .arrays = {}};
  if (options.style) set.kind = options.style->kind;
  RunReport report;
  try {
    set.arrays = engines::arrays_of(made_inputs(model_, options, report));
    has_open_dims_ = !report.assumed.empty();
  } catch (const Error& error) {
    if (sample_count_ > 0) throw;  // the user's sample does not fit the model
    why_ = error.message();
    return false;
  }
  try {
    comparison_.add(std::move(set));
  } catch (const engines::TooMuchToRun& error) {
    why_ = error.message();
    too_much_ = true;
    return false;
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error& error) {
    why_ = error.message();
    return false;
  }
  for_check_.push_back(for_check);
  return true;
}

}  // namespace onnxpress
