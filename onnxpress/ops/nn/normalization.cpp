// Normalizations: LpNormalization, LRN, MeanVarianceNormalization; the table of the family.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/in_place.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/moments.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/nn/batch_normalization.h"
#include "onnxpress/ops/nn/layer_normalization.h"

namespace onnxpress::ops {

namespace {

bool evaluate_lp_normalization(Call& call) {
  const Array x = widened(call.array(0));
  const auto axis = normal_axis(call.params.integer_or("axis", -1), x.rank());
  const std::int64_t p = call.params.integer_or("p", 2);
  if (!axis || (p != 1 && p != 2)) return call.fail("axis is out of range, or p is neither 1 nor 2");
  if (!is_float_like(x.type())) return call.fail_type();
  std::size_t inner = 1;
  for (std::size_t i = *axis + 1; i < x.rank(); ++i) inner *= static_cast<std::size_t>(x.size(i));
  const auto length = static_cast<std::size_t>(x.size(*axis));
  Array y = Array::make(x.type(), x.sizes());
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    const auto from = x.data<T>();
    const auto to = y.template mutable_data<T>();
    for (std::size_t i = 0; length > 0 && i < x.count() / length; ++i) {
      const std::size_t at = i / inner * inner * length + i % inner;
      double norm = 0;
      for (std::size_t k = 0; k < length; ++k) {
        const auto each = static_cast<double>(from[at + k * inner]);
        norm += p == 1 ? std::abs(each) : each * each;
      }
      if (p == 2) norm = std::sqrt(norm);
      for (std::size_t k = 0; k < length; ++k)
        to[at + k * inner] = norm == 0 ? T(0) : static_cast<T>(static_cast<double>(from[at + k * inner]) / norm);
    }
  });
  return call.done(narrowed(std::move(y), call.array(0).type()));
}

// Divides each channel by a power of the sum of squares of its neighbours.
template <typename T>
void normalize_neighbours(const Array& x, const Params& params, std::int64_t size, Array& y) {
  const std::int64_t channels = x.size(1), before = (size - 1) / 2, behind = size - 1 - before;
  const auto positions = static_cast<std::int64_t>(x.count()) / (x.size(0) * channels);
  const double alpha = params.real_or("alpha", 1e-4) / static_cast<double>(size);
  const double beta = params.real_or("beta", 0.75), bias = params.real_or("bias", 1);
  std::vector<double> squares(static_cast<std::size_t>(positions));
  for (std::int64_t i = 0; i < x.size(0) * channels; ++i) {
    const std::int64_t image = i / channels * channels, channel = i % channels;
    std::fill(squares.begin(), squares.end(), 0.0);
    const std::int64_t last = behind < channels - 1 - channel ? channel + behind : channels - 1;
    for (std::int64_t c = std::max<std::int64_t>(0, channel - before); c <= last; ++c) {
      const T* from = x.data<T>().data() + (image + c) * positions;
      for (std::size_t k = 0; k < squares.size(); ++k)
        squares[k] += static_cast<double>(from[k]) * static_cast<double>(from[k]);
    }
    const T* from = x.data<T>().data() + i * positions;
    T* to = y.mutable_data<T>().data() + i * positions;
    for (std::size_t k = 0; k < squares.size(); ++k)
      to[k] = static_cast<T>(static_cast<double>(from[k]) / std::pow(bias + alpha * squares[k], beta));
  }
}

bool evaluate_lrn(Call& call) {
  const Array x = widened(call.array(0));
  if (!is_float_like(x.type())) return call.fail_type();
  const std::int64_t size = call.params.integer_or("size", 0);
  if (x.rank() < 2 || size < 1) return call.fail("the operand has fewer than two dimensions, or size is not positive");
  Array y = Array::make(x.type(), x.sizes());
  spend_steps(x.count(), static_cast<std::uint64_t>(std::min(size, x.size(1))));
  if (x.count() > 0)
    dispatch(WideFloats(), x.type(), [&]<typename T>() { normalize_neighbours<T>(x, call.params, size, y); });
  return call.done(narrowed(std::move(y), call.array(0).type()));
}

bool evaluate_mean_variance(Call& call) {
  const Array given = widened(call.array(0));
  if (!is_float_like(given.type())) return call.fail_type();
  const auto axes = normal_axes(call.params.integers("axes").value_or(Sizes{0, 2, 3}), given.rank());
  if (!axes) return call.fail("an axis is out of range or occurs twice");
  std::vector<std::size_t> order, back(given.rank());
  for (std::size_t axis = 0; axis < given.rank(); ++axis) {
    if (std::find(axes->begin(), axes->end(), axis) == axes->end()) order.push_back(axis);
  }
  std::size_t length = 1;
  for (const std::size_t axis : *axes) {
    order.push_back(axis);
    length *= static_cast<std::size_t>(given.size(axis));
  }
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  const Array x = permuted(given, order);
  Array y = Array::make(x.type(), x.sizes());
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    for (std::size_t at = 0; at < x.count(); at += length) {
      const T* from = x.data<T>().data() + at;
      const Moments moments = moments_of(from, length);
      // The function in the specification adds 1e-9 to the standard deviation.
      normalize_run(from, length, moments.mean, 1 / (std::sqrt(moments.variance) + 1e-9), T(1), T(0),
                    y.template mutable_data<T>().data() + at);
    }
  });
  return call.done(narrowed(permuted(y, back), call.array(0).type()));
}

// A square and a sum over the window of channels, then a power and a division.
void cost_lrn(CostQuery& query) {
  const std::int64_t size = query.in.params.integer_or("size", -1);
  query.cost.flops = size >= 0 && Dim::fits(size)
                         ? query.product(query.result_elements(), query.dims.add(Dim::size(size), Dim::size(4)))
                         : Dim();
}

// The standard allows other types, but defines the op as a function that adds a float to the elements.
void infer_mean_variance(Inference& in) {
  const ElementType type = in.operand(0).element;
  if (is_known(type) && type != ElementType::kFloat)
    return in.contradict(fmt::format("the function that defines it works for float only, not for {}", name_of(type)));
  in.same_as(0, 0);
}

constexpr OpDef kNormalizationRows[] = {
    {.name = "BatchNormalization",
     .traits = kOverwrites,
     .infer = infer_batch_normalization,
     .evaluate = evaluate_batch_normalization,
     .cost = cost_times_result<2>},
    {.name = "InstanceNormalization",
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_instance_normalization,
     .cost = cost_times_operand<7>},
    {.name = "GroupNormalization",
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_group_normalization_18,
     .cost = cost_times_operand<7>},
    {.name = "GroupNormalization",
     .since = 21,
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_group_normalization,
     .cost = cost_times_operand<7>},
    {.name = "LayerNormalization",
     .traits = kOverwrites,
     .infer = infer_layer_normalization,
     .evaluate = evaluate_layer_normalization,
     .cost = cost_times_operand<7>},
    {.name = "RMSNormalization",
     .traits = kOverwrites,
     .infer = infer_layer_normalization,
     .evaluate = evaluate_rms_normalization,
     .cost = cost_times_operand<4>},
    {.name = "SimplifiedLayerNormalization",
     .traits = kOverwrites,
     .infer = infer_layer_normalization,
     .evaluate = evaluate_rms_normalization,
     .cost = cost_times_operand<4>},
    {.name = "LpNormalization",
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_lp_normalization,
     .cost = cost_times_operand<3>},
    {.name = "LRN", .traits = kOverwrites, .infer = infer_same_shape, .evaluate = evaluate_lrn, .cost = cost_lrn},
    {.name = "MeanVarianceNormalization",
     .traits = kOverwrites,
     .infer = infer_mean_variance,
     .evaluate = evaluate_mean_variance,
     .cost = cost_times_operand<5>},
    {.name = "SkipLayerNormalization",
     .domain = "com.microsoft",
     .traits = kOverwrites,
     .infer = infer_skip_layer_normalization,
     .evaluate = evaluate_skip_layer_normalization,
     .cost = cost_times_operand<8>},
    {.name = "SkipSimplifiedLayerNormalization",
     .domain = "com.microsoft",
     .traits = kOverwrites,
     .infer = infer_skip_layer_normalization,
     .evaluate = evaluate_skip_rms_normalization,
     .cost = cost_times_operand<5>},
    {.name = "EmbedLayerNormalization",
     .domain = "com.microsoft",
     .infer = infer_embed_layer_normalization,
     .evaluate = evaluate_embed_layer_normalization,
     .cost = cost_times_result<9>,
     .weights = {0b11100, table_axes}},
    {.name = "GroupNorm",
     .domain = "com.microsoft",
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_group_norm,
     .cost = cost_times_operand<7>},
};

}  // namespace

Family normalization() { return kNormalizationRows; }

}  // namespace onnxpress::ops
