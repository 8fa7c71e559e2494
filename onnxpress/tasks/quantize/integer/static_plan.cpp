// Records activations, tries ranges for their codes, and keeps the layers as floats that would harm the outputs most.
#include "onnxpress/tasks/quantize/integer/static_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/recorder.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/shared/wire_size.h"
#include "onnxpress/tasks/quantize/integer/static_layers.h"
#include "onnxpress/tasks/quantize/layers/layer_inputs.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

namespace {

using weights::RangeMethod;
using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

// The numbers of an activation that runs of the model showed.
struct Seen {
  float low = 0, high = 0;
  std::vector<float> some;
  bool is_usable = true;  // floats, all of them finite

  void add(const ops::Array& array) {
    if (array.type() != ElementType::kFloat) return void(is_usable = false);
    const auto x = array.data<float>();
    for (const float each : x) {
      if (!std::isfinite(each)) return void(is_usable = false);
      low = std::min(low, each), high = std::max(high, each);
    }
    const std::size_t count = std::min(kLimits.integers.numbers, x.size());
    for (std::size_t i = 0; i < count; ++i) some.push_back(x[(2 * i + 1) * x.size() / (2 * count)]);
  }
};

class StaticPlanner {
 public:
  StaticPlanner(Model& model, const QuantizeOptions& options, OutputError& outputs, double quality,
                const Progress& progress)
      : model_(model), options_(options), outputs_(outputs), quality_(quality), progress_(progress) {}

  StaticResult run() {
    require_ops();
    find_layers();
    record();
    taken_.assign(layers_->layers().size(), true);
    choose_ranges();
    if (quality_ > 0) leave_out_the_worst();
    StaticResult result = describe();
    passes::insert_static(model_, layers_->plan(taken_, ranges_));
    return result;
  }

 private:
  void require_ops() const {
    const auto opset = model_.opset("");
    if (!opset || *opset < 13)
      throw Error("",
                  fmt::format("opset {} has no DequantizeLinear by channel, which option `activations=static` needs",
                              opset.value_or(1)),
                  "the model must have opset 13 or later: 'optimize' raises it with option `opset`");
    if (!outputs_.works())
      throw Error("",
                  fmt::format("option `activations=static` measures activations, but the model cannot be run: {}",
                              outputs_.why()),
                  "describe the inputs with option `shape`, option `dim` or option `value`, or give some with option "
                  "`samples`");
  }

  void find_layers() {
    QuantizeOptions all = options_;
    if (all.min_elements == QuantizeOptions().min_elements) all.min_elements = 1;
    planned_ = plan_weights(model_, all);
    if (options_.compensate != Compensate::kOff) sample_layers(model_, planned_, outputs_, progress_);
    begin_stage("rounding weights");
    layers_.emplace(model_, planned_);
    if (layers_->layers().empty())
      throw Error("", "option `activations=static` has nothing to change: no Conv, Gemm or MatMul has a float constant",
                  "is the model quantized already?");
  }

  void record() {
    begin_stage("recording activations");
    const std::vector<Value*> values = layers_->activations();
    const auto take = [this](const Value& value, std::size_t /*set*/, const ops::Array& array) {
      seen_[&value].add(array);
    };
    std::vector<const engines::NamedArrays*> sets;
    for (const std::size_t each : outputs_.to_choose()) sets.push_back(&outputs_.inputs_of(each));
    const compare::Comparison& runs = outputs_.comparison();
    try {
      compare::record_each(model_, runs.engine(), runs.settings(), values, sets, take, progress_);
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error& error) {
      throw Error(
          "", fmt::format(
                  "option `activations=static` cannot record activations: the model does not run with more outputs: {}",
                  error.message()));
    }
  }

  StaticLayers::Ranges ranges_by(RangeMethod method) const {
    std::vector<std::pair<const Value*, const Seen*>> all;
    for (const auto& [value, seen] : seen_) {
      if (seen.is_usable && !seen.some.empty()) all.emplace_back(value, &seen);
    }
    std::vector<passes::ActivationRange> made(all.size());
    parallel_for(all.size(), [&](std::size_t i) {
      made[i] = weights::choose_range(method, all[i].second->some, all[i].second->low, all[i].second->high);
    });
    StaticLayers::Ranges ranges;
    for (std::size_t i = 0; i < all.size(); ++i) ranges.emplace(all[i].first, made[i]);
    return ranges;
  }

  // Takes the ranges that were asked for, or those with the best outputs.
  void choose_ranges() {
    begin_stage("trying ranges of activations");
    if (options_.ranges != ActivationRanges::kAuto) {
      ranges_ = ranges_by(method_of(options_.ranges));
      method_ = word_of(options_.ranges);
      return;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const ActivationRanges each : {ActivationRanges::kMinMax, ActivationRanges::kPercentile,
                                        ActivationRanges::kMse, ActivationRanges::kEntropy}) {
      StaticLayers::Ranges tried = ranges_by(method_of(each));
      const double loss = harm(taken_, tried, outputs_.to_choose());
      if (loss >= least) continue;
      least = loss, ranges_ = std::move(tried), method_ = word_of(each);
    }
    if (ranges_.empty()) ranges_ = ranges_by(RangeMethod::kMinMax), method_ = "min-max";
  }

  static RangeMethod method_of(ActivationRanges ranges) {
    switch (ranges) {
      case ActivationRanges::kPercentile:
        return RangeMethod::kPercentile;
      case ActivationRanges::kMse:
        return RangeMethod::kMse;
      case ActivationRanges::kEntropy:
        return RangeMethod::kEntropy;
      default:
        return RangeMethod::kMinMax;
    }
  }

  std::vector<Loss> losses(const std::vector<bool>& taken, const StaticLayers::Ranges& ranges,
                           const std::vector<std::size_t>& probes) {
    Model copy = model_.clone();
    passes::insert_static(copy, StaticLayers::for_copy(layers_->plan(taken, ranges), copy));
    return outputs_.losses_of(copy, probes);
  }
  // A sum of logarithms, so that a kind of input that is bad anyway does not decide alone.
  double harm(const std::vector<bool>& taken, const StaticLayers::Ranges& ranges,
              const std::vector<std::size_t>& probes) {
    double sum = 0;
    for (const Loss& loss : losses(taken, ranges, probes)) sum += std::log(std::max(loss.ratio, 1e-12));
    return sum;
  }
  bool holds(const std::vector<bool>& taken) {
    const auto found = losses(taken, ranges_, outputs_.all());
    return std::ranges::all_of(found,
                               [this](const Loss& loss) { return loss.snr >= quality_ + kLimits.integers.margin; });
  }

  // Leaves as few layers as floats as needed, starting with those that harm the outputs most by themselves.
  void leave_out_the_worst() {
    if (holds(taken_)) return;
    const std::vector<std::size_t> order = by_harm();
    begin_stage("leaving out the worst layers");
    const auto without = [&](std::size_t count) {
      std::vector<bool> taken(taken_.size(), true);
      for (std::size_t i = 0; i < count; ++i) taken[order[i]] = false;
      return taken;
    };
    std::size_t low = 0, high = order.size();  // `low` does not hold; `high` does, because nothing is rounded
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      if (progress_) progress_(order.size() - (high - low), order.size());
      (holds(without(middle)) ? high : low) = middle;
    }
    taken_ = without(high);
    take_back(order, high);
  }

  // Takes layers back in that turn out to do no harm.
  void take_back(const std::vector<std::size_t>& order, std::size_t left_out) {
    int tries = 0;
    for (std::size_t i = left_out; i-- > 0 && tries < kLimits.integers.tries; ++tries) {
      taken_[order[i]] = true;
      if (!holds(taken_)) taken_[order[i]] = false;
    }
  }

  std::vector<std::size_t> by_harm() {
    begin_stage("measuring how much each layer matters");
    const double most_work = 2 * kLimits.sensitivity.work;
    const std::vector<std::size_t> probes = outputs_.to_choose();
    const auto affordable = static_cast<std::size_t>(std::max(1.0, most_work / outputs_.work_of_trial(probes.size())));
    std::vector<double> harms(taken_.size(), 0);
    std::vector<bool> alone(taken_.size(), false);
    for (std::size_t i = 0; i < harms.size(); ++i) {
      if (progress_) progress_(i, harms.size());
      if (i >= affordable) {  // errors of later layers usually matter less: fewer layers amplify them
        harms[i] = harms[i - 1] * 0.99;
        continue;
      }
      alone[i] = true;
      for (const Loss& loss : losses(alone, ranges_, probes)) harms[i] = std::max(harms[i], loss.ratio);
      alone[i] = false;
    }
    std::vector<std::size_t> order(harms.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return harms[i]; });
    return order;
  }

  StaticResult describe() const {
    StaticResult result;
    std::vector<bool> said(planned_.size(), false);
    std::size_t count = 0;
    std::string floats;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const passes::StaticLayer& layer = layers_->layers()[i];
      const bool is_taken = taken_[i] && ranges_.contains(layer.node->input(0));
      if (is_taken) ++count;
      if (!is_taken && floats.size() < 200)
        floats += (floats.empty() ? "" : ", ") + quote_name(planned_[layers_->weight_of(i)].weight.value->name());
      if (!is_taken || said[layers_->weight_of(i)]) continue;
      said[layers_->weight_of(i)] = true;
      result.lines.push_back(line_of(i));
      const weights::WeightError& error = layers_->rounded(i).error;
      result.noise += error.noise, result.signal += error.signal;
    }
    result.note = fmt::format("{} of {} layers compute with integers, with ranges of activations by {}", count,
                              taken_.size(), method_);
    if (count < taken_.size()) result.note += "; these stay floats: " + floats;
    return result;
  }

  WeightLine line_of(std::size_t i) const {
    const passes::StaticLayer& layer = layers_->layers()[i];
    const PlannedWeight& planned = planned_[layers_->weight_of(i)];
    const weights::WeightError& error = layers_->rounded(i).error;
    WeightLine line{.tensor = std::string(planned.weight.value->name()), .op = std::string(layer.node->op_type())};
    line.scheme = "int8 static", line.method = layers_->method_of(i);
    line.elements = planned.source->count();
    line.before = planned.before;
    line.after = passes::initializer_bytes(ElementType::kInt8, planned.weight.tensor->dims, line.elements, 5) +
                 layer.weight.scales.size() * sizeof(float) + 60;
    line.bits = 8.0 * static_cast<double>(line.after) / static_cast<double>(std::max<std::uint64_t>(1, line.elements));
    if (error.noise > 0) line.sqnr = error.sqnr();
    line.largest_error = error.largest;
    line.cosine = error.cosine();
    return line;
  }

  Model& model_;
  const QuantizeOptions& options_;
  OutputError& outputs_;
  double quality_;
  const Progress& progress_;
  std::vector<PlannedWeight> planned_;
  std::optional<StaticLayers> layers_;
  std::unordered_map<const Value*, Seen> seen_;
  StaticLayers::Ranges ranges_;
  std::string method_;
  std::vector<bool> taken_;  // by layer
};

}  // namespace

StaticResult quantize_statically(Model& model, const QuantizeOptions& options, OutputError& outputs, double quality,
                                 const Progress& progress) {
  return StaticPlanner(model, options, outputs, quality, progress).run();
}

}  // namespace onnxpress
