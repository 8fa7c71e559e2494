// Normalizes channels by given statistics (BatchNormalization) or by their own.
#include "onnxpress/ops/nn/batch_normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/moments.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/scalar_activation.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// The elements of any float-like array as doubles.
std::vector<double> doubles_of(const Array& array) {
  std::vector<double> list;
  const Array wide = widened(array);
  dispatch(WideFloats(), wide.type(), [&]<typename T>() { list.assign(wide.data<T>().begin(), wide.data<T>().end()); });
  return list;
}

Array array_of(std::span<const double> list, ElementType type) {
  const auto count = static_cast<std::int64_t>(list.size());
  Array result = Array::make<double>({count});
  std::copy(list.begin(), list.end(), result.mutable_data<double>().begin());
  return type == ElementType::kDouble ? result : narrowed(narrowed(result, ElementType::kFloat), type);
}

// [batch][channel][position]
struct Layout {
  std::size_t batch, channels, positions;

  static Layout of(const Array& x, bool spatial) {
    Layout layout{1, 1, 1};
    if (x.rank() > 0) layout.batch = static_cast<std::size_t>(x.size(0));
    for (std::size_t axis = 1; axis < x.rank(); ++axis)
      (axis == 1 || !spatial ? layout.channels : layout.positions) *= static_cast<std::size_t>(x.size(axis));
    return layout;
  }
};

// Mean and variance of each channel over batch and positions.
template <typename T>
void channel_moments(const T* x, const Layout& layout, std::vector<double>& mean, std::vector<double>& variance) {
  const auto count = static_cast<double>(layout.batch * layout.positions);
  mean.assign(layout.channels, 0);
  variance.assign(layout.channels, 0);
  const auto for_each = [&](const std::function<void(std::size_t, const T*)>& run) {
    for (std::size_t i = 0; i < layout.batch * layout.channels; ++i) run(i % layout.channels, x + i * layout.positions);
  };
  for_each([&](std::size_t channel, const T* from) {
    for (std::size_t k = 0; k < layout.positions; ++k) mean[channel] += static_cast<double>(from[k]);
  });
  for (double& each : mean) each /= count;
  for_each([&](std::size_t channel, const T* from) {
    for (std::size_t k = 0; k < layout.positions; ++k) {
      const double difference = static_cast<double>(from[k]) - mean[channel];
      variance[channel] += difference * difference;
    }
  });
  for (double& each : variance) each /= count;
}

}  // namespace

void infer_batch_normalization(Inference& in) {
  // A node has either one result, or all that training needs.
  if (const std::size_t all = in.params.schema().results.size(); in.result_count() != 1 && in.result_count() != all)
    return in.contradict(fmt::format("has {} outputs, but must have 1 or {}", in.result_count(), all));
  // Older versions do not check shapes, though no runtime computes with any others.
  const bool checks_ranks = in.params.schema().attribute("training_mode") != nullptr;
  if (checks_ranks && (in.result_count() > 1) != in.params.flag("training_mode"))
    return in.contradict(fmt::format("has {} outputs, but training_mode is {}", in.result_count(),
                                     in.params.integer_or("training_mode", 0)));
  for (std::size_t i = 1; checks_ranks && i < in.operand_count(); ++i) {
    if (!require_rank(in, i, 1)) return;
  }
  in.same_as(0, 0);
  const Shape *x = in.shape(0), *scale = in.shape(1);
  const bool spatial = in.params.integer_or("spatial", 1) != 0;
  if (x && scale && spatial && x->size() > 1 && scale->size() == 1) in.unify((*x)[1], (*scale)[0]);
  for (std::size_t i = 2; checks_ranks && x && x->size() > 1 && i < in.operand_count(); ++i) {
    if (const Shape* each = in.shape(i)) in.unify((*x)[1], (*each)[0]);
  }
  // The other results are statistics, so they have the shape of any of the statistics and parameters.
  for (std::size_t i = 1; i < in.result_count(); ++i) {
    for (std::size_t operand = 1; operand < in.operand_count() && !in.result(i).shape; ++operand)
      in.same_as(i, operand);
    if (!in.result(i).shape && checks_ranks) in.set_shape(i, {x && x->size() > 1 ? (*x)[1] : Dim()});
  }
}

bool evaluate_batch_normalization(Call& call) {
  const Array x = widened(call.array(0));
  if (!is_float_like(x.type())) return call.fail_type();
  const bool has_mode = call.params.schema().attribute("training_mode") != nullptr;
  const bool training = call.params.flag("training_mode");
  if (!has_mode && call.wants(1)) return call.fail("training is supported from version 14 of the op on");
  const Layout layout = Layout::of(x, call.params.integer_or("spatial", 1) != 0);
  const std::vector<double> scale = doubles_of(call.array(1)), bias = doubles_of(call.array(2));
  std::vector<double> mean = doubles_of(call.array(3)), variance = doubles_of(call.array(4));
  const std::vector<double>* lists[] = {&scale, &bias, &mean, &variance};
  for (const std::vector<double>* each : lists) {
    if (each->size() != layout.channels) return call.fail("scale, B, mean and var must have one element per channel");
  }
  Array y = Array::make(x.type(), x.sizes());
  if (x.count() == 0 && !training) return call.done(narrowed(std::move(y), call.array(0).type()));
  if (x.count() == 0) return call.fail("an operand without elements has no statistics");
  const double epsilon = call.params.real_or("epsilon", 1e-5), momentum = call.params.real_or("momentum", 0.9);
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    const T* from = x.data<T>().data();
    T* to = y.template mutable_data<T>().data();
    if (training) {
      std::vector<double> new_mean, new_variance;
      channel_moments(from, layout, new_mean, new_variance);
      const auto running = [&](std::size_t result, std::vector<double>& old, const std::vector<double>& current) {
        std::vector<double> mixed(old.size());
        for (std::size_t i = 0; i < old.size(); ++i) mixed[i] = old[i] * momentum + current[i] * (1 - momentum);
        if (call.wants(result)) call.set(result, array_of(mixed, call.array(3).type()));
        old = current;
      };
      running(1, mean, new_mean);
      running(2, variance, new_variance);
    }
    for (std::size_t i = 0; i < layout.batch * layout.channels; ++i) {
      const std::size_t channel = i % layout.channels;
      const auto factor = static_cast<T>(scale[channel] / std::sqrt(variance[channel] + epsilon));
      const auto shift = static_cast<T>(mean[channel]), add = static_cast<T>(bias[channel]);
      for (std::size_t k = 0; k < layout.positions; ++k) to[k] = (from[k] - shift) * factor + add;
      from += layout.positions;
      to += layout.positions;
    }
  });
  call.set(0, narrowed(std::move(y), call.array(0).type()));
  return true;
}

namespace {

// Normalizes groups of channels by their own statistics. There is a scale for each channel, or for each group.
std::optional<Array> normalized_groups(const Array& x, std::size_t groups, std::span<const double> scale,
                                       std::span<const double> bias, double epsilon) {
  const Layout layout = Layout::of(x, true);
  if (groups == 0 || layout.channels % groups != 0 || scale.size() != bias.size()) return std::nullopt;
  if (scale.size() != layout.channels && scale.size() != groups) return std::nullopt;
  const std::size_t together = layout.channels / groups, length = together * layout.positions;
  Array y = Array::make(x.type(), x.sizes());
  if (x.count() == 0) return y;
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    const T* from = x.data<T>().data();
    T* to = y.template mutable_data<T>().data();
    for (std::size_t i = 0; i < layout.batch * groups; ++i) {
      const Moments moments = moments_of(from, length);
      const double inverse = 1 / std::sqrt(moments.variance + epsilon);
      for (std::size_t k = 0; k < together; ++k, from += layout.positions, to += layout.positions) {
        const std::size_t at = scale.size() == groups ? i % groups : i % groups * together + k;
        normalize_run(from, layout.positions, moments.mean, inverse, static_cast<T>(scale[at]),
                      static_cast<T>(bias[at]), to);
      }
    }
  });
  return y;
}

bool evaluate_groups(Call& call, const Array& x, std::int64_t groups, std::int64_t scales) {
  if (!is_float_like(x.type())) return call.fail_type();
  if (x.rank() < 2) return call.fail("the operand must have at least two dimensions");
  if (groups < 1 || groups > x.size(1)) return call.fail("the number of groups is out of range");
  const std::vector<double> scale = doubles_of(call.array(1)), bias = doubles_of(call.array(2));
  if (static_cast<std::int64_t>(scale.size()) != scales) return call.fail("scale has the wrong number of elements");
  auto y = normalized_groups(x, static_cast<std::size_t>(groups), scale, bias, call.params.real_or("epsilon", 1e-5));
  if (!y) return call.fail("scale, bias, channels and groups do not match");
  call.set(0, std::move(*y));
  return true;
}

bool finish(Call& call) {
  call.set(0, narrowed(*call.results()[0].array(), call.array(0).type()));
  return true;
}

}  // namespace

bool evaluate_instance_normalization(Call& call) {
  const Array x = widened(call.array(0));
  const std::int64_t channels = x.rank() > 1 ? x.size(1) : 0;
  if (channels == 0 && x.rank() > 1) return call.done(call.array(0));
  return evaluate_groups(call, x, channels, channels) && finish(call);
}

bool evaluate_group_normalization_18(Call& call) {
  const std::int64_t groups = call.params.integer_or("num_groups", 0);
  return evaluate_groups(call, widened(call.array(0)), groups, groups) && finish(call);
}

bool evaluate_group_normalization(Call& call) {
  const Array x = widened(call.array(0));
  return evaluate_groups(call, x, call.params.integer_or("num_groups", 0), x.rank() > 1 ? x.size(1) : 0) &&
         finish(call);
}

bool evaluate_group_norm(Call& call) {
  Array x = widened(call.array(0));
  if (x.rank() < 3) return call.fail("X must have at least three dimensions");
  const bool last = call.params.integer_or("channels_last", 1) != 0;
  std::vector<std::size_t> to_first(x.rank()), to_last(x.rank());
  std::iota(to_first.begin(), to_first.end(), std::size_t{0});
  to_last = to_first;
  std::rotate(to_first.begin() + 1, to_first.end() - 1, to_first.end());
  std::rotate(to_last.begin() + 1, to_last.begin() + 2, to_last.end());
  if (last) x = permuted(x, to_first);
  if (!evaluate_groups(call, x, call.params.integer_or("groups", 0), x.size(1))) return false;
  Array y = *call.results()[0].array();
  if (call.params.flag("activation")) {
    dispatch(WideFloats(), y.type(),
             [&]<typename T>() { activation_named("silu")->apply(y.template mutable_data<T>()); });
  }
  call.set(0, last ? permuted(y, to_last) : y);
  return finish(call);
}

}  // namespace onnxpress::ops
