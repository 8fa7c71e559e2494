// Runs the first model first: what it cannot do, the second need not.
#include "onnxpress/tasks/verify/engine_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/verify/nudge.h"

namespace onnxpress::tasks {

namespace {

// Without a seed, ONNX Runtime takes the time and the number of the node: another node in front, and the same process
// gives other numbers. Dropout does nothing unless it is told that this is training.
bool draws_random_numbers(const Model& model, const analysis::OpResolver& ops) {
  bool found = false;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.op_of(node);
    if (!op || !op->has(ops::kRandom) || node.attribute("seed")) return;
    found |= !node.is("Dropout") || node.input_count() > 2;
  });
  return found;
}

std::optional<double> lower(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::string type_text(const ops::Datum& datum) {
  if (datum.array()) return to_string(datum.array()->type(), datum.array()->sizes());
  return datum.sequence() ? "sequence" : datum.empty() ? "nothing" : "map";
}

}  // namespace

EngineReport EngineComparison::compare() {
  report_.runtime = engine_.name();
  try {
    first_ = engine_.open(pair_.first);
  } catch (const Error& error) {
    report_.reason = fmt::format("the original does not load there: {}", error.message());
    return std::move(report_);
  }
  try {
    second_ = engine_.open(pair_.second);
  } catch (const Error& error) {
    report_.reason = fmt::format("runs the original, but not the result: {}", error.message());
  }
  nudge_ = nudge_of(pair_.first, pair_.facts);
  epsilon_ = coarsest_epsilon(pair_.first, pair_.facts);
  if (draws_random_numbers(pair_.first, pair_.facts.ops())) report_.varies = "the model draws random numbers";
  sums_.resize(pair_.outputs.size());
  for (const auto& [i, j] : pair_.outputs)
    report_.outputs.push_back({.output = std::string(pair_.first.graph().outputs()[i]->value->name())});
  try {
    pair_.samples.empty() ? run_trials() : run_samples();
  } catch (const Error& error) {
    report_.outputs.clear();
    report_.reason = fmt::format("the original does not run there: {}", error.message());
    return std::move(report_);
  }
  finish();
  return std::move(report_);
}

void EngineComparison::run_samples() {
  for (const Sample& sample : pair_.samples) {
    const Trial trial{.about = sample.from, .inputs = sample.inputs};
    if (!compare(trial, first_->run(trial.inputs))) return;
  }
}

void EngineComparison::run_trials() {
  const auto begin = std::chrono::steady_clock::now();
  Trials trials(pair_.first, pair_.facts, pair_.values, pair_.options.seed);
  Outputs outputs;
  const Trial first = trials.first([&](const Trial& trial) { outputs = first_->run(trial.inputs); });
  if (!compare(first, outputs)) return;
  const auto& wanted = pair_.options.samples;
  const std::size_t most = wanted ? static_cast<std::size_t>(*wanted) : trials.kinds() + 1;
  // Kinds that the model does not take do not count, but they end some time.
  for (std::size_t i = 0; report_.runs.size() < most && i < trials.kinds() + most; ++i) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    if (!wanted && (passed.count() > pair_.options.seconds || i >= trials.kinds())) break;
    try {
      const Trial trial = trials.make(i);
      outputs = first_->run(trial.inputs);
      if (!compare(trial, outputs)) return;
    } catch (const Error&) {  // a branch may need other inputs, and a window more than a size gives
    }
  }
}

NamedArrays EngineComparison::inputs_of_second(const NamedArrays& inputs) const {
  NamedArrays given;
  const auto there = pair_.second.graph().inputs();
  for (const auto& [name, array] : inputs) {
    std::string other = name;
    for (const auto& [from, to] : pair_.renamed) {
      if (from == name) other = to;
    }
    if (std::ranges::any_of(there, [&](const ValueInfo* info) { return info->value->name() == other; }))
      given.emplace_back(other, array);
  }
  given.insert(given.end(), pair_.options.further.begin(), pair_.options.further.end());
  return given;
}

EngineComparison::Outputs EngineComparison::floor_of(const Trial& trial) {
  const bool has_floats =
      std::ranges::any_of(trial.inputs, [](const auto& each) { return is_real(each.second.type()); });
  try {
    if (has_floats) return first_->run(nudged(trial.inputs, nudge_));
    if (!moved_model_ && !moved_) {
      moved_model_ = nudged_model(pair_.first, pair_.facts, nudge_);
      if (moved_model_) moved_ = engine_.open(*moved_model_);
    }
    if (moved_) return moved_->run(trial.inputs);
  } catch (const Error&) {  // then there is no floor but rounding
  }
  return {};
}

bool EngineComparison::compare(const Trial& trial, const Outputs& expected) {
  report_.runs.push_back(trial.about);
  if (!second_) return false;
  Outputs found;
  try {
    found = second_->run(inputs_of_second(trial.inputs));
  } catch (const Error& error) {
    report_.reason = fmt::format("runs the original, but not the result: {}", error.message());
    return false;
  }
  const bool same = std::ranges::all_of(pair_.outputs, [&](const auto& each) {
    return each.first < expected.size() && each.second < found.size() &&
           difference_of(expected[each.first], found[each.second]).same_bits;
  });
  if (!same && report_.varies.empty()) {
    const Outputs again = first_->run(trial.inputs);
    for (std::size_t i = 0; i < expected.size() && i < again.size(); ++i) {
      if (!difference_of(expected[i], again[i]).same_bits) report_.varies = "the original gives other bits each time";
    }
  }
  const Outputs moved = floor_of(trial);
  for (std::size_t k = 0; k < pair_.outputs.size(); ++k) {
    const auto [i, j] = pair_.outputs[k];
    if (i < expected.size() && j < found.size())
      add(trial, k, expected[i], found[j], i < moved.size() ? &moved[i] : nullptr);
  }
  if (pair_.options.keep_outputs) {
    kept_first.push_back(expected);
    kept_second.push_back(std::move(found));
  }
  return true;
}

Verdict EngineComparison::judge(const OutputDifference& difference, const OutputDifference& floor) const {
  if (difference.same_bits) return Verdict::kIdentical;
  const VerifyOptions& options = pair_.options;
  const Distance& distance = difference.distance;
  bool equal = difference.why.empty();
  if (options.tolerance > 0 || options.snr > 0) {
    if (!difference.is_real) return Verdict::kDiffers;
    equal &= distance.not_finite == 0;
    if (options.tolerance > 0) equal &= distance.max_abs <= options.tolerance * distance.largest;
    if (options.snr > 0) equal &= distance.snr().value_or(options.snr) >= options.snr;
  } else {
    equal = is_within_floor(difference, floor, epsilon_);
  }
  return equal ? Verdict::kEqual : Verdict::kDiffers;
}

void EngineComparison::add(const Trial& trial, std::size_t i, const ops::Datum& right, const ops::Datum& other,
                           const ops::Datum* moved) {
  VerifiedOutput& line = report_.outputs[i];
  const Value& output = *pair_.first.graph().outputs()[pair_.outputs[i].first]->value;
  const bool classes = right.array() && is_real(right.array()->type()) && has_classes(output, *right.array());
  const OutputDifference found = difference_of(right, other, classes);
  const OutputDifference floor = moved ? difference_of(right, *moved) : OutputDifference();
  const Verdict verdict = judge(found, floor);
  if (line.type.empty()) line.type = type_text(right);
  if (verdict == Verdict::kDiffers && line.verdict != Verdict::kDiffers) {
    line.why = fmt::format(
        "{} ({})",
        found.why.empty() ? fmt::format("{} of {} elements differ", found.different, found.elements) : found.why,
        trial.about);
    if (!guilty_) guilty_ = trial;
  }
  line.verdict = std::max(line.verdict, verdict);
  sums_[i].add(found);
  line.snr = lower(line.snr, found.distance.snr());
  line.cosine = lower(line.cosine, found.distance.cosine());
  line.floor_snr = lower(line.floor_snr, floor.distance.snr());
  line.floor_max_abs = std::max(line.floor_max_abs, floor.distance.max_abs);
}

void EngineComparison::finish() {
  report_.verdict = report_.reason.empty() ? Verdict::kIdentical : Verdict::kDiffers;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const OutputDifference& sum = sums_[i];
    VerifiedOutput& line = report_.outputs[i];
    line.elements = sum.elements, line.different = sum.different, line.not_finite = sum.distance.not_finite;
    line.max_abs = sum.distance.max_abs, line.max_rel = sum.distance.max_rel, line.ulps = sum.distance.ulps;
    if (sum.rows > 0) line.top1 = static_cast<double>(sum.same_best) / static_cast<double>(sum.rows);
    if (sum.has_five) line.top5 = sum.same_five / static_cast<double>(sum.rows);
    report_.verdict = std::max(*report_.verdict, line.verdict);
  }
}

}  // namespace onnxpress::tasks
