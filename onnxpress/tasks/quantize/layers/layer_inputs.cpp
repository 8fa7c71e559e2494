// Runs the model, and keeps some of the vectors that each layer multiplies with its weight.
#include "onnxpress/tasks/quantize/layers/layer_inputs.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/recorder.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/quantize/layers/layer_vectors.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

namespace {

using weights::LayerSample;

// Work and memory stay within bounds that depend on the model alone, so that results do not depend on the machine.
struct SampleSizes {
  std::size_t to_fit, to_check, width;
  static SampleSizes of(double weights, double columns) {
    const SearchLimits::Layers& limits = kLimits.layers;
    const double room = limits.numbers / std::max(columns, 1.0);
    const auto between = [](double least, double wanted, double most) {
      return static_cast<std::size_t>(std::clamp(wanted, least, most));
    };
    return {between(96, room * 0.7, 1024),
            between(48, std::min(room * 0.3, limits.checks / std::max(weights, 1.0)), 256),
            between(64, limits.feedback / std::max(weights, 1.0), 256)};
  }
};

struct Layer {
  std::size_t weight;  // its index in planned_
  LayerUse use;
};

class LayerSampler {
 public:
  LayerSampler(Model& model, std::vector<PlannedWeight>& planned, const OutputError& outputs)
      : model_(model), planned_(planned), outputs_(outputs), ops_(model) {
    const SearchLimits::Layers& limits = kLimits.layers;
    const auto most_runs = static_cast<double>(limits.runs);
    for (const bool for_check : {false, true}) {
      std::vector<std::size_t> some;
      for (const std::size_t each : outputs.all()) {
        if (outputs.is_for_check(each) == for_check) some.push_back(each);
      }
      const double affordable = limits.work / 2 / std::max(outputs.work(), 1.0);
      const auto most = static_cast<std::size_t>(std::clamp(affordable, most_runs / 4, most_runs));
      const std::size_t count = std::min(most, some.size());
      for (std::size_t i = 0; i < count; ++i) probes_.push_back({some[i * some.size() / count], for_check, count});
    }
  }

  void run(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    find_layers();
    if (layers_.empty() || probes_.empty()) return;
    make_samples();
    std::vector<Value*> inputs;
    for (const Layer& layer : layers_) inputs.push_back(layer.use.node->input(0));
    std::vector<const engines::NamedArrays*> sets;
    for (const Probe& probe : probes_) sets.push_back(&outputs_.inputs_of(probe.number));
    const auto take_for_all = [this](const Value& value, std::size_t set, const ops::Array& array) {
      for (const Layer& layer : layers_) {
        if (layer.use.node->input(0) == &value) take(layer, probes_[set], array);
      }
    };
    const compare::Comparison& runs = outputs_.comparison();
    try {
      compare::record_each(model_, runs.engine(), runs.settings(), inputs, sets, take_for_all, progress);
    } catch (const engines::EngineDied&) {
      throw;
    } catch (const Error&) {  // the model does not run with more outputs
      return forget();
    }
    finish();
  }

 private:
  struct Vectors {
    std::vector<float> numbers, factors;
  };
  struct Probe {
    std::size_t number;
    bool for_check;
    std::size_t of;  // how many probes have the same `for_check`
  };

  void find_layers() {
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      PlannedWeight& each = planned_[i];
      if (!each.reason_kept.empty() || each.dynamic || each.weight.value->graph() != &model_.graph()) continue;
      const auto uses = layer_uses(*each.weight.value, *each.weight.tensor, ops_);
      if (uses.empty()) continue;
      samples_[i] = std::make_shared<LayerSample>(sample_for(uses.front(), *each.weight.tensor));
      each.bias = uses.size() == 1 ? uses.front().bias : nullptr;
      samples_[i]->has_bias = each.bias != nullptr;
      for (const LayerUse& use : uses) layers_.push_back({i, use});
    }
  }

  void make_samples() {
    double weights = 0, columns = 0;
    for (const auto& [i, sample] : samples_) {
      weights += static_cast<double>(planned_[i].source->count());
      columns += static_cast<double>(sample->groups * sample->columns);
    }
    sizes_ = SampleSizes::of(weights, columns);
    for (const auto& [i, sample] : samples_) sample->width = sizes_.width;
  }

  // Scales the vectors so that each run counts the same, however large its numbers are: what matters is the error
  // relative to the signal.
  void take(const Layer& layer, const Probe& probe, const ops::Array& input) {
    LayerSample& sample = *samples_.at(layer.weight);
    const std::size_t most = std::max<std::size_t>(1, (probe.for_check ? sizes_.to_check : sizes_.to_fit) / probe.of);
    std::vector<float> vectors = layer_vectors(layer.use, sample, input, most);
    const std::size_t width = sample.groups * sample.columns;
    double squares = 0;
    for (const float each : vectors) squares += static_cast<double>(each) * each;
    if (vectors.empty() || !(squares > 0) || !std::isfinite(squares)) return;
    const std::size_t count = vectors.size() / width;
    const auto scale = static_cast<float>(std::sqrt(static_cast<double>(count) / squares));
    if (!std::isfinite(scale)) return;
    for (float& each : vectors) each *= scale;
    Vectors& all = (probe.for_check ? checks_ : fits_)[layer.weight];
    all.numbers.insert(all.numbers.end(), vectors.begin(), vectors.end());
    all.factors.resize(all.factors.size() + vectors.size() / width, scale);
  }

  // Reorders vectors that hold all groups side by side, so that the vectors of each group are together.
  static std::vector<float> by_group(const std::vector<float>& vectors, const LayerSample& sample) {
    const std::size_t width = sample.groups * sample.columns, count = vectors.size() / width;
    std::vector<float> sorted(vectors.size());
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t g = 0; g < sample.groups; ++g)
        std::copy_n(vectors.data() + i * width + g * sample.columns, sample.columns,
                    sorted.data() + (g * count + i) * sample.columns);
    }
    return sorted;
  }

  void finish() {
    for (auto& [i, sample] : samples_) {
      // If one of the two sets is empty, the other one is used for both.
      if (checks_[i].factors.empty()) checks_[i] = fits_[i];
      if (fits_[i].factors.empty()) fits_[i] = checks_[i];
      sample->fitted = fits_[i].factors.size(), sample->checked = checks_[i].factors.size();
      if (sample->fitted == 0) continue;
      sample->to_fit = by_group(fits_[i].numbers, *sample), sample->fit_factors = std::move(fits_[i].factors);
      sample->to_check = by_group(checks_[i].numbers, *sample), sample->check_factors = std::move(checks_[i].factors);
      fits_[i] = {}, checks_[i] = {};
      planned_[i].layer = sample;
    }
  }

  void forget() {
    for (PlannedWeight& each : planned_) each.bias = nullptr;
  }

  Model& model_;
  std::vector<PlannedWeight>& planned_;
  const OutputError& outputs_;
  analysis::OpResolver ops_;
  std::vector<Probe> probes_;
  std::vector<Layer> layers_;
  std::unordered_map<std::size_t, std::shared_ptr<LayerSample>> samples_;  // by index of the weight
  std::unordered_map<std::size_t, Vectors> fits_, checks_;
  SampleSizes sizes_ = {};
};

}  // namespace

void sample_layers(Model& model, std::vector<PlannedWeight>& planned, const OutputError& outputs,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  if (!outputs.works()) return;
  begin_stage("recording inputs of layers");
  LayerSampler(model, planned, outputs).run(progress);
}

}  // namespace onnxpress
