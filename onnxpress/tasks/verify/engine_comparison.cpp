// Runs both models on the same inputs, the first one first: inputs that it cannot run are not tried on the second.
#include "onnxpress/tasks/verify/engine_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "onnxpress/base/error.h"
#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/engines/random_ops.h"

namespace onnxpress {

namespace {

std::optional<double> lower(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

}  // namespace

EngineReport EngineComparison::compare() {
  report_.engine = engine_.name();
  begin_stage(fmt::format("loading {} in {}", kFirstModel, report_.engine));
  try {
    first_ = engine_.open(pair_.first);
  } catch (const engines::EngineDied& died) {
    throw_for(died, kFirstModel);
  } catch (const Error& error) {
    report_.reason = fmt::format("the original does not load there: {}", error.message());
    return std::move(report_);
  }
  begin_stage(fmt::format("loading {} in {}", kSecondModel, report_.engine));
  try {
    second_ = engine_.open(pair_.second);
  } catch (const Error& error) {
    note_second_failed(error);
  }
  floor_.emplace(pair_.first, pair_.facts, engine_);
  // Without a seed, ONNX Runtime uses the time and the index of the node, so an additional node before it changes the
  // numbers, even in the same process.
  if (engines::random_ops_of(pair_.first, pair_.facts.ops()) == engines::RandomOps::kUnseeded)
    report_.varies = "the model draws random numbers";
  sums_.resize(pair_.outputs.size());
  for (const auto& [i, j] : pair_.outputs)
    report_.outputs.push_back({.output = std::string(pair_.first.graph().outputs()[i]->value->name())});
  try {
    pair_.samples.empty() ? run_trials() : run_samples();
  } catch (const engines::EngineDied&) {
    throw;
  } catch (const Error& error) {
    report_.outputs.clear();
    report_.reason = fmt::format("the original does not run there: {}", error.message());
    return std::move(report_);
  }
  finish();
  return std::move(report_);
}

void EngineComparison::run_samples() {
  for (const inputs::InputSet& trial : pair_.samples) {
    Outputs expected;
    try {
      expected = run_first(trial);
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error& error) {
      throw Error("", fmt::format("with {}: {}", trial.about, error.message()));
    }
    if (!compare(trial, expected)) return;
    if (!has_time(std::numeric_limits<double>::infinity()) && report_.runs.size() < pair_.samples.size()) {
      report_.stopped = fmt::format("after {} of {} sets of inputs", report_.runs.size(), pair_.samples.size());
      return;
    }
  }
}

std::size_t EngineComparison::most_trials(const inputs::InputPlan& plan) const {
  constexpr std::size_t kMoreNoise = 40;
  if (pair_.options.sets) return static_cast<std::size_t>(*pair_.options.sets);
  return plan.kinds() + 1 + (pair_.few_differences ? kMoreNoise : 0);
}

bool EngineComparison::has_time(double least) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  return passed.count() <= std::min(least, pair_.options.time_limit > 0 ? pair_.options.time_limit : least);
}

// Includes what is known so far, so that a caller who stops the process can report it.
void EngineComparison::say_running(const char* model, const inputs::InputSet& trial) const {
  std::string found;
  if (guilty_) found = fmt::format("; it differs on {}", guilty_->about);
  if (!guilty_ && compared_ > 0) found = fmt::format("; no difference on the {} sets of inputs before", compared_);
  begin_stage(fmt::format("running {} on {}{}", model, trial.about, found));
}

EngineComparison::Outputs EngineComparison::run_first(const inputs::InputSet& trial) {
  say_running(kFirstModel, trial);
  try {
    return first_->run(trial.arrays);
  } catch (const engines::EngineDied& died) {
    throw_for(died, fmt::format("{} with {}", kFirstModel, trial.about));
  }
}

// Says which model the runtime ran.
void EngineComparison::throw_for(const engines::EngineDied& died, const std::string& model) const {
  const bool out_of_time = died.timed_out() && pair_.options.time_limit > 0;
  throw engines::EngineDied(
      fmt::format("{}: {}", model, died.message()), died.timed_out(),
      out_of_time ? "raise option `time_limit`, or choose smaller inputs with option `dim`" : died.hint());
}

// A second model that the runtime refuses, or crashes on, differs from the first. One that gives no answer may still
// give the right one.
void EngineComparison::note_second_failed(const Error& error, const std::string& inputs) {
  const auto* died = dynamic_cast<const engines::EngineDied*>(&error);
  if (died && died->timed_out())
    throw_for(*died, inputs.empty() ? kSecondModel : fmt::format("{} with {}", kSecondModel, inputs));
  report_.reason = fmt::format("runs the original, but not the result: {}", error.message());
}

void EngineComparison::run_trials() {
  inputs::InputPlan plan(pair_.first, pair_.facts, pair_.values, pair_.options.seed);
  Outputs outputs;
  const inputs::InputSet first = plan.first([&](const inputs::InputSet& trial) { outputs = run_first(trial); });
  if (!compare(first, outputs)) return;
  const bool fixed = pair_.options.sets.has_value();
  const std::size_t most = most_trials(plan);
  // Kinds of inputs that the model cannot run do not count as runs, so `i` is limited as well.
  for (std::size_t i = 0; report_.runs.size() < most && i < plan.kinds() + most; ++i) {
    if (!has_time(fixed ? std::numeric_limits<double>::infinity() : pair_.options.seconds)) {
      if (fixed) report_.stopped = fmt::format("after {} of {} sets of inputs", report_.runs.size(), most);
      break;
    }
    if (i >= plan.kinds() && !fixed && guilty_) break;  // more noise would not change the answer
    try {
      const inputs::InputSet trial = plan.make(i);
      outputs = run_first(trial);
      if (!compare(trial, outputs)) return;
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error&) {  // a branch may need other inputs, or a window may be larger than the input
    }
  }
}

engines::NamedArrays EngineComparison::inputs_of_second(const engines::NamedArrays& inputs) const {
  engines::NamedArrays given;
  const auto there = pair_.second.graph().inputs();
  for (const auto& [name, array] : inputs) {
    std::string other = name;
    for (const auto& [from, to] : pair_.renamed) {
      if (from == name) other = to;
    }
    if (std::ranges::any_of(there, [&](const ValueInfo* info) { return info->value->name() == other; }))
      given.emplace_back(other, array);
  }
  return given;
}

// Raises the floors by the difference between two runs of the first model.
void EngineComparison::widen(AllChanges& floors, compare::OutputDifference Changes::*which, const Outputs& expected,
                             const Outputs& moved) const {
  for (std::size_t k = 0; k < floors.size() && !moved.empty(); ++k) {
    const std::size_t i = pair_.outputs[k].first;
    (floors[k].*which).widen(compare::difference_of(expected.at(i), moved.at(i)));
  }
}

// Some kernels read uninitialized memory. The difference of such a model from itself is part of its floor.
void EngineComparison::check_repeats(const inputs::InputSet& trial, const Outputs& expected, AllChanges& floors) {
  constexpr std::size_t kEnough = 2;
  if (report_.varies.empty() && repeated_ >= kEnough) return;
  ++repeated_;
  widen(floors, &Changes::moved, expected, first_->run(trial.arrays));
  const bool same = std::ranges::all_of(floors, [](const Changes& each) { return each.moved.same_bits; });
  if (!same && report_.varies.empty()) report_.varies = "the original gives different bits in each run";
}

// A single small change may happen to have little effect, especially on outputs with few elements; then mere rounding
// would look like a real difference. So outputs only count as different after all kinds of small changes were tried.
EngineComparison::AllChanges EngineComparison::floors(const inputs::InputSet& trial, const Outputs& expected,
                                                      const std::vector<compare::OutputDifference>& found) {
  AllChanges floors(found.size());
  const bool same = std::ranges::all_of(found, [](const compare::OutputDifference& each) { return each.same_bits; });
  // Nothing to judge, and the first run has already recorded a floor for the report.
  if (same && report_.runs.size() > 1) return floors;
  if (!same) check_repeats(trial, expected, floors);
  const auto is_unclear = [&] {
    bool unclear = false;
    for (std::size_t k = 0; k < found.size(); ++k)
      unclear |= report_.outputs[k].verdict != Verdict::kDiffers && judge(found[k], floors[k]) == Verdict::kDiffers;
    return unclear && !has_limits();
  };
  for (std::size_t direction = 0; direction < compare::kDirections; ++direction) {
    if (direction > 0 && !is_unclear()) return floors;
    widen(floors, &Changes::moved, expected, floor_->run_moved(*first_, trial.arrays, direction));
  }
  // Repeated quantization amplifies rounding errors up to a level that no longer depends on their original size. Each
  // draw shows that level, within a few dB, unless it happens to change no quantized value at all.
  for (std::size_t draw = 0; draw < compare::kDraws && !pair_.same_ops && is_unclear(); ++draw)
    widen(floors, &Changes::rounded, expected, floor_->run_rounded(trial.arrays, draw));
  return floors;
}

bool EngineComparison::compare(const inputs::InputSet& trial, const Outputs& expected) {
  report_.runs.push_back(trial.about);
  note_sizes(trial);
  if (!second_) return false;
  Outputs found;
  say_running(kSecondModel, trial);
  try {
    found = second_->run(inputs_of_second(trial.arrays));
  } catch (const Error& error) {
    note_second_failed(error, trial.about);
    return false;
  }
  say_running(kFirstModel, trial);
  const std::vector<compare::OutputDifference> different =
      compare::differences_of(pair_.first, pair_.outputs, expected, found);
  const AllChanges floor = floors(trial, expected, different);
  for (std::size_t k = 0; k < pair_.outputs.size(); ++k) {
    VerifiedOutput& line = report_.outputs[k];
    if (line.type.empty()) line.type = type_text(expected.at(pair_.outputs[k].first));
    add(trial, k, different[k], floor[k]);
  }
  ++compared_;
  if (pair_.options.labels || pair_.options.metric) keep(expected, found);
  return !(guilty_ && pair_.options.stops_at_difference);
}

void EngineComparison::keep(const Outputs& expected, const Outputs& found) {
  kept_first.emplace_back();
  kept_second.emplace_back();
  for (const auto& [i, j] : pair_.outputs) {
    kept_first.back().push_back(expected.at(i));
    kept_second.back().push_back(found.at(j));
  }
}

Verdict EngineComparison::judge(const compare::OutputDifference& difference, const Changes& floor) const {
  if (difference.same_bits) return Verdict::kIdentical;
  const VerifyCall& options = pair_.options;
  const compare::Distance& distance = difference.distance;
  if (!has_limits()) {
    // A change of the inputs by a millionth is about ten roundings, but a rewrite may round differently in each layer:
    // allow ten times its effect. `floor.rounded` already includes a rounding in each layer, so allow only twice that.
    constexpr double kTimesMoved = 10, kTimesRounded = 2;
    const double epsilon = floor_->epsilon();
    const bool within = compare::is_within_floor(difference, floor.moved, epsilon, kTimesMoved) ||
                        compare::is_within_floor(difference, floor.rounded, epsilon, kTimesRounded);
    return within ? Verdict::kEqual : Verdict::kDiffers;
  }
  if (!difference.is_real || !difference.why.empty() || distance.not_finite > 0) return Verdict::kDiffers;
  bool equal = true;
  if (options.exact) equal &= distance.is_zero();
  if (options.tolerance > 0) equal &= distance.max_abs <= options.tolerance * distance.largest;
  if (options.quality > 0) equal &= distance.snr().value_or(options.quality) >= options.quality;
  return equal ? Verdict::kEqual : Verdict::kDiffers;
}

void EngineComparison::add(const inputs::InputSet& trial, std::size_t i, const compare::OutputDifference& found,
                           const Changes& floor) {
  VerifiedOutput& line = report_.outputs[i];
  const Verdict verdict = judge(found, floor);
  if (verdict == Verdict::kDiffers && line.verdict != Verdict::kDiffers) {
    line.why = fmt::format(
        "{} ({})",
        found.why.empty() ? fmt::format("{} of {} elements differ", found.different, found.elements) : found.why,
        trial.about);
    if (!guilty_) guilty_ = trial;
  }
  line.verdict = std::max(line.verdict, verdict);
  sums_[i].add(found);
  compare::OutputDifference widest = floor.moved;
  widest.widen(floor.rounded);
  const compare::Distance &off = found.distance, &moved = widest.distance;
  if (off.signal > 0) line.snr = lower(line.snr, off.snr());
  line.cosine = lower(line.cosine, off.cosine());
  line.floor_max_abs = std::max(line.floor_max_abs, moved.max_abs);
  if (off.largest <= 0) return;  // a share of zero is not defined
  line.max_share = std::max(line.max_share.value_or(0), off.max_abs / off.largest);
  line.floor_share = std::max(line.floor_share, moved.max_abs / off.largest);
  if (moved.noise > 0) line.floor_snr = lower(line.floor_snr, signal_to_noise(off.signal, moved.noise));
}

void EngineComparison::note_sizes(const inputs::InputSet& set) {
  for (const auto& [name, size] : set.sizes) {
    const auto known = std::ranges::find(sizes_, name, &SizeRange::name);
    if (known == sizes_.end()) {
      sizes_.push_back({name, size, size});
    } else {
      known->least = std::min(known->least, size);
      known->most = std::max(known->most, size);
    }
  }
}

void EngineComparison::finish() {
  for (const auto& [name, least, most] : sizes_)
    report_.sizes.push_back(least == most ? fmt::format("{}={}", name, least)
                                          : fmt::format("{}={} to {}", name, least, most));
  report_.verdict = report_.reason.empty() ? Verdict::kIdentical : Verdict::kDiffers;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const compare::OutputDifference& sum = sums_[i];
    VerifiedOutput& line = report_.outputs[i];
    line.elements = sum.elements, line.different = sum.different, line.not_finite = sum.distance.not_finite;
    if (sum.is_real)
      line.max_abs = sum.distance.max_abs, line.max_rel = sum.distance.max_rel, line.ulps = sum.distance.ulps;
    line.top1 = sum.classes.top1(), line.top5 = sum.classes.top5();
    report_.verdict = std::max(*report_.verdict, line.verdict);
  }
}

}  // namespace onnxpress
