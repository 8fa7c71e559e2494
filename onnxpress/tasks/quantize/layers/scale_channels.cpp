// Tries scales for the channels between two layers, and keeps them if the second layer then loses less by rounding.
#include "onnxpress/tasks/quantize/layers/scale_channels.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/tasks/quantize/forms/sampled_rows.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/weights/find/channel_links.h"
#include "onnxpress/weights/lossy/channel_scales.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress {

namespace {

using weights::ChannelConstant;
using weights::ChannelLink;
using weights::LayerSample;

constexpr std::string_view kJudgedBy[] = {"int4 block=32 asym", "int6"};  // if no scheme was requested

std::vector<float> floats_of(const Model& model, const Value& constant) {
  const weights::FloatSource source(model.files, *constant_tensor(constant));
  std::vector<float> numbers(source.count());
  source.read(0, numbers.size(), numbers.data());
  return numbers;
}

Bytes scaled_bytes(std::vector<float> numbers, std::uint64_t inner, std::span<const float> scales, bool divide) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float scale = scales[i / inner % scales.size()];
    numbers[i] = divide ? numbers[i] / scale : numbers[i] * scale;
  }
  return Bytes::owned({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
}

std::shared_ptr<const LayerSample> scaled_sample(const LayerSample& sample, std::span<const float> scales) {
  auto scaled = std::make_shared<LayerSample>(sample);
  const std::size_t taps = sample.columns / scales.size();
  for (auto* vectors : {&scaled->to_fit, &scaled->to_check}) {
    for (std::size_t i = 0; i < vectors->size(); ++i) (*vectors)[i] /= scales[i % sample.columns / taps];
  }
  return scaled;
}

class ChannelScaler {
 public:
  ChannelScaler(Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options)
      : model_(model), options_(options) {
    for (PlannedWeight& each : planned) by_value_.emplace(each.weight.value, &each);
  }

  std::vector<ScaledTensor> run(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    std::vector<ChannelLink> links = weights::find_channel_links(model_.graph());
    std::erase_if(links, [this](const ChannelLink& link) { return !is_known(link); });
    if (links.empty()) return {};
    begin_stage("scaling channels");
    std::vector<Choice> choices(links.size());
    std::uint64_t done = 0;
    // A weight before one link may be behind another, so all scales are chosen with the original weights.
    std::mutex mutex;
    parallel_for(links.size(), [&](std::size_t i) {
      choices[i] = best_for(links[i]);
      if (!progress) return;
      const std::lock_guard lock(mutex);
      progress(++done, links.size());
    });
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (!choices[i].scales.empty()) apply(links[i], choices[i]);
    }
    return std::move(changed_);
  }

 private:
  struct Choice {
    std::vector<float> scales;  // empty: none
    std::string_view name;
  };

  // Constants that must stay as they are, or are stored without loss, are not scaled, unless they are only too small to
  // be rounded.
  bool may_change(const ChannelConstant& constant) const {
    const auto found = by_value_.find(constant.value);
    if (found == by_value_.end() || found->second->reason_kept.empty()) return true;
    return found->second->weight.tensor->element_count().value_or(0) < options_.min_elements;
  }

  bool is_known(const ChannelLink& link) const {
    if (!std::ranges::all_of(link.before, [this](const auto& each) { return may_change(each); })) return false;
    return std::ranges::all_of(link.behind, [&](const ChannelConstant& each) {
      const auto found = by_value_.find(each.value);
      if (found == by_value_.end()) return false;
      const PlannedWeight& weight = *found->second;
      return weight.reason_kept.empty() && !weight.dynamic && weight.layer && weight.layer->groups == 1 &&
             weight.layer->columns % link.channels == 0;
    });
  }

  std::vector<double> largest(const ChannelConstant& constant, std::size_t channels) const {
    std::vector<double> most(channels, 0);
    const std::vector<float> numbers = floats_of(model_, *constant.value);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      double& here = most[i / constant.inner % channels];
      here = std::max(here, std::abs(static_cast<double>(numbers[i])));
    }
    return most;
  }

  Choice best_for(const ChannelLink& link) const {
    std::vector<Choice> candidates;
    const LayerSample& sample = *by_value_.at(link.behind.front().value)->layer;
    for (const double power : {0.25, 0.5, 0.75})
      candidates.push_back({weights::activation_scales(sample, link.channels, power), "activation-aware scales"});
    if (link.weight_before) {
      std::vector<double> behind(link.channels, 0);
      for (const ChannelConstant& each : link.behind) {
        const std::vector<double> here = largest(each, link.channels);
        for (std::size_t i = 0; i < behind.size(); ++i) behind[i] = std::max(behind[i], here[i]);
      }
      candidates.push_back(
          {weights::equalizing_scales(largest(link.before.front(), link.channels), behind), "equalization"});
    }
    std::vector<RowSample> samples;  // own the tensors that `behind` points to
    std::vector<PlannedWeight> behind;
    for (const ChannelConstant& each : link.behind) {
      const PlannedWeight& weight = *by_value_.at(each.value);
      auto rows = RowSample::of(model_, weight);
      behind.push_back(rows ? rows->planned() : weight);
      if (rows) samples.push_back(std::move(*rows));
    }
    const double without = noise_with(behind, std::vector<float>(link.channels, 1));
    double least = kLimits.layers.scaled * without;
    Choice best;
    for (Choice& each : candidates) {
      if (std::ranges::all_of(each.scales, [](float scale) { return scale == 1; })) continue;
      const double noise = noise_with(behind, each.scales);
      if (!(noise < least)) continue;
      least = noise;
      best = std::move(each);
    }
    return best;
  }

  // Noise over signal in the results of the layers behind the link: the geometric mean.
  double noise_with(std::span<const PlannedWeight> behind, std::span<const float> scales) const {
    double sum = 0;
    for (const PlannedWeight& each : behind) {
      const std::uint64_t inner = each.layer->column_stride * (each.layer->columns / scales.size());
      std::vector<float> numbers(each.source->count());
      each.source->read(0, numbers.size(), numbers.data());
      Tensor tensor = *each.weight.tensor;
      tensor.storage = Storage::kMade;
      tensor.content = scaled_bytes(std::move(numbers), inner, scales, false);
      PlannedWeight weight = each;
      weight.weight.tensor = &tensor;
      weight.source = std::make_shared<weights::FloatSource>(model_.files, tensor);
      weight.layer = scaled_sample(*each.layer, scales);
      sum += noise_of(weight);
    }
    return std::exp(sum / static_cast<double>(behind.size()));
  }

  // The logarithm of noise over signal: the mean over some schemes.
  double noise_of(const PlannedWeight& weight) const {
    const weights::LayerRounding layer(*weight.source, weight.layer);
    double sum = 0, count = 0;
    for (const weights::Scheme& scheme : schemes_for(weight)) {
      const weights::Quantized plain = weights::quantize(weight.source, weight.weight.role, scheme);
      double loss = layer.loss_of(plain).least();
      if (scheme.level_count() <= 256) loss = std::min(loss, layer.loss_of(layer.compensated(plain)).least());
      sum += std::log(std::max(loss, 1e-30)), ++count;
    }
    return sum / std::max(count, 1.0);
  }

  static std::vector<weights::Scheme> schemes_for(const PlannedWeight& weight) {
    if (weight.requested && weight.requested->codes == weights::Codes::kInteger) return {*weight.requested};
    std::vector<weights::Scheme> schemes;
    for (const std::string_view each : kJudgedBy) schemes.push_back(weights::parse_scheme(each));
    return schemes;
  }

  void apply(const ChannelLink& link, const Choice& choice) {
    for (const ChannelConstant& each : link.before) change(each, choice, true);
    for (const ChannelConstant& each : link.behind) {
      change(each, choice, false);
      PlannedWeight& weight = *by_value_.at(each.value);
      weight.layer = scaled_sample(*weight.layer, choice.scales);
      weight.scaled = choice.name;
    }
  }

  void change(const ChannelConstant& constant, const Choice& choice, bool divide) {
    ScaledTensor line{.tensor = std::string(constant.value->name()), .method = std::string(choice.name)};
    const std::vector<float> before = floats_of(model_, *constant.value);
    Bytes bytes = scaled_bytes(before, constant.inner, choice.scales, divide);
    for (std::size_t i = 0; i < before.size(); ++i)
      line.largest_change = std::max<double>(line.largest_change, std::abs(bytes.load<float>(i) - before[i]));
    changed_.push_back(std::move(line));
    replace_content(*constant.value, std::move(bytes));
    const auto found = by_value_.find(constant.value);
    if (found != by_value_.end() && found->second->source)
      found->second->source = std::make_shared<weights::FloatSource>(model_.files, *constant_tensor(*constant.value));
  }

  Model& model_;
  const QuantizeOptions& options_;
  std::unordered_map<const Value*, PlannedWeight*> by_value_;
  std::vector<ScaledTensor> changed_;
};

}  // namespace

std::vector<ScaledTensor> scale_channels(Model& model, std::vector<PlannedWeight>& planned,
                                         const QuantizeOptions& options,
                                         const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return ChannelScaler(model, planned, options).run(progress);
}

}  // namespace onnxpress
