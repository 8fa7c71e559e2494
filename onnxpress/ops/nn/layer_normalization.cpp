// Each run of the last axes gets mean 0 and variance 1 (or only mean square 1), then a scale and a bias.
#include "onnxpress/ops/nn/layer_normalization.h"

#include <cmath>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/moments.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

struct Normalized {
  Array y, mean, inverse;  // mean and inverse standard deviation: one per run
};

// The array broadcast to the shape of `like`; nullopt when type or shape do not match.
std::optional<Array> spread(const Array& array, const Array& like) {
  const Sizes* shapes[] = {&like.sizes(), &array.sizes()};
  if (array.type() != like.type() || broadcast_sizes(shapes) != like.sizes()) return std::nullopt;
  const std::size_t missing = like.rank() - array.rank();
  const Sizes own = strides_of(array.sizes());
  Sizes strides(like.rank(), 0);
  for (std::size_t i = 0; i < array.rank(); ++i) strides[missing + i] = array.size(i) == 1 ? 0 : own[i];
  return gathered(array, like.sizes(), strides);
}

template <typename T>
void multiply_and_add(std::span<T> y, std::size_t length, const Array& scale, const Array& bias) {
  const auto scales = scale.data<T>();
  const bool has_bias = bias.count() > 0;
  if (length == 0) return;
  for (std::size_t at = 0; at < y.size(); at += length) {
    // Scales repeat from run to run, unless they were spread over the whole array.
    const std::size_t from = scales.size() == length ? 0 : at, from_bias = bias.count() == length ? 0 : at;
    for (std::size_t i = 0; i < length; ++i)
      y[at + i] = y[at + i] * scales[from + i] + (has_bias ? bias.data<T>()[from_bias + i] : T(0));
  }
}

// Does the array have the shape of one run, so that it need not be spread?
bool is_run(const Array& array, const Array& x, std::size_t axis) {
  return array.type() == x.type() &&
         array.sizes() == Sizes(x.sizes().begin() + static_cast<std::ptrdiff_t>(axis), x.sizes().end());
}

std::optional<Normalized> normalized(const Array& x, std::size_t axis, const Array& scale, const Array& bias,
                                     double epsilon, bool centred) {
  const bool has_bias = bias.type() != ElementType::kUndefined;
  const auto scales = is_run(scale, x, axis) ? scale : spread(scale, x);
  const auto biases = !has_bias || is_run(bias, x, axis) ? bias : spread(bias, x);
  if (!scales || !biases) return std::nullopt;
  Normalized result;
  result.y = Array::make(x.type(), x.sizes());
  Sizes stats(x.sizes().begin(), x.sizes().begin() + static_cast<std::ptrdiff_t>(axis));
  std::size_t length = 1;
  for (std::size_t i = axis; i < x.rank(); ++i) length *= static_cast<std::size_t>(x.size(i));
  stats.resize(x.rank(), 1);
  result.mean = Array::make(x.type(), stats);
  result.inverse = Array::make(x.type(), stats);
  dispatch(WideFloats(), x.type(), [&]<typename T>() {
    const T* from = x.data<T>().data();
    T* to = result.y.template mutable_data<T>().data();
    for (std::size_t run = 0; run < result.mean.count(); ++run, from += length, to += length) {
      Moments moments = moments_of(from, length);
      if (!centred) moments = {0, moments.variance + moments.mean * moments.mean};
      const double inverse = 1 / std::sqrt(moments.variance + epsilon);
      normalize_run(from, length, moments.mean, inverse, T(1), T(0), to);
      result.mean.template mutable_data<T>()[run] = static_cast<T>(moments.mean);
      result.inverse.template mutable_data<T>()[run] = static_cast<T>(inverse);
    }
    multiply_and_add(result.y.template mutable_data<T>(), length, *scales, *biases);
  });
  return result;
}

// Operands may have two types (T and V); the wider one is used for computing.
Array as_type(const Array& array, ElementType type) {
  const Array wide = widened(array);
  if (wide.type() == ElementType::kFloat && type == ElementType::kDouble) {
    Array result = Array::make<double>(wide.sizes());
    std::copy(wide.data<float>().begin(), wide.data<float>().end(), result.mutable_data<double>().begin());
    return result;
  }
  return narrowed(wide, type);
}

ElementType stash_type(const Params& params) {
  switch (params.integer_or("stash_type", 1)) {
    case 10:
      return ElementType::kFloat16;
    case 11:
      return ElementType::kDouble;
    case 16:
      return ElementType::kBfloat16;
    default:
      return ElementType::kFloat;
  }
}

Array stashed(const Array& array, ElementType type) {
  if (type == ElementType::kDouble) return as_type(array, type);
  return narrowed(narrowed(array, ElementType::kFloat), type);
}

bool evaluate_layers(Call& call, bool centred) {
  const Array &x = call.array(0), &scale = call.array(1);
  const auto axis = normal_axis(call.params.integer_or("axis", -1), x.rank());
  if (!axis) return call.fail("axis is out of range");
  if (!is_float_like(x.type()) || !is_float_like(scale.type())) return call.fail_type();
  const ElementType wide = x.type() == ElementType::kDouble ? ElementType::kDouble : ElementType::kFloat;
  const Array bias = centred && call.has(2) ? as_type(call.array(2), wide) : Array();
  auto result =
      normalized(widened(x), *axis, as_type(scale, wide), bias, call.params.real_or("epsilon", 1e-5), centred);
  if (!result) return call.fail("scale or bias cannot be broadcast to X: " + shapes_text(scale.sizes(), x.sizes()));
  call.set(0,
           narrowed(narrowed(std::move(result->y), scale.type() == ElementType::kDouble ? wide : ElementType::kFloat),
                    scale.type()));
  const ElementType stash = stash_type(call.params);
  if (call.wants(1)) call.set(1, stashed(centred ? result->mean : result->inverse, stash));
  if (call.wants(2)) call.set(2, stashed(result->inverse, stash));
  return true;
}

}  // namespace

void infer_layer_normalization(Inference& in) {
  in.same_as(0, 0);
  const Shape* x = in.shape(0);
  for (std::size_t i = 1; i < in.result_count(); ++i) in.set_element(i, stash_type(in.params));
  if (!x) return;
  const auto axis = required_axis(in, in.params.integer_or("axis", -1), x->size());
  if (!axis) return;
  Shape stats(x->begin(), x->begin() + static_cast<std::ptrdiff_t>(*axis));
  stats.resize(x->size(), Dim::size(1));
  for (std::size_t i = 1; i < in.result_count(); ++i) in.set_shape(i, stats);
}

bool evaluate_layer_normalization(Call& call) { return evaluate_layers(call, true); }
bool evaluate_rms_normalization(Call& call) { return evaluate_layers(call, false); }

// --- com.microsoft SkipLayerNormalization: LayerNormalization(input + skip + bias)

void infer_skip_layer_normalization(Inference& in) {
  in.same_as(0, 0);
  in.same_as(3, 0);
  const Shape* x = in.shape(0);
  if (!x || x->empty()) return;
  Shape stats = *x;
  stats.back() = Dim::size(1);
  in.set_shape(1, stats);
  in.set_shape(2, stats);
}

namespace {

// What ONNX Runtime's kernels require of SkipLayerNormalization and SkipSimplifiedLayerNormalization.
const char* problem_of_skip(const Call& call) {
  const Sizes& x = call.array(0).sizes();
  const Sizes& skip = call.array(1).sizes();
  if (x.size() != 2 && x.size() != 3) return "input must have two or three dimensions";
  if (skip.size() != 2 && skip.size() != 3) return "skip must have two or three dimensions";
  const bool same_rows = std::equal(x.end() - 2, x.end(), skip.end() - 2);
  if (!same_rows || (skip.size() > x.size() && skip[0] != 1) ||
      (skip.size() == 3 && x.size() == 3 && skip[0] != 1 && skip[0] != x[0]))
    return "skip must have the shape of input; only the batch may be 1 or missing";
  for (std::size_t i = 2; i < call.operand_count(); ++i) {
    if (call.has(i) && call.array(i).sizes() != Sizes{x.back()})
      return "gamma, beta and bias must have one dimension, the last of input";
  }
  return nullptr;
}

bool evaluate_skip(Call& call, bool centred) {
  const ElementType type = call.array(0).type();
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    if (call.has(i) && (call.array(i).type() != type || type == ElementType::kDouble || !is_float_like(type)))
      return call.fail_type();
  }
  const Array x = widened(call.array(0));
  if (const char* problem = problem_of_skip(call)) return call.fail(problem);
  Array sum = Array::make<float>(x.sizes());
  const auto to = sum.mutable_data<float>();
  std::copy(x.data<float>().begin(), x.data<float>().end(), to.begin());
  for (const std::size_t operand : {std::size_t{1}, std::size_t{centred ? 4U : 3U}}) {
    if (!call.has(operand)) continue;
    const auto add = spread(widened(call.array(operand)), x);
    if (!add) return call.fail("skip or bias cannot be broadcast to input");
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += add->data<float>()[i];
  }
  const Array bias = centred && call.has(3) ? widened(call.array(3)) : Array();
  auto result =
      normalized(sum, x.rank() - 1, widened(call.array(2)), bias, call.params.real_or("epsilon", 1e-12), centred);
  if (!result) return call.fail("gamma or beta cannot be broadcast to input");
  call.set(0, narrowed(std::move(result->y), type));
  if (call.wants(1)) call.set(1, std::move(result->mean));
  if (call.wants(2)) call.set(2, std::move(result->inverse));
  if (call.wants(3)) call.set(3, narrowed(std::move(sum), type));
  return true;
}

}  // namespace

bool evaluate_skip_layer_normalization(Call& call) { return evaluate_skip(call, true); }
bool evaluate_skip_rms_normalization(Call& call) { return evaluate_skip(call, false); }

// --- com.microsoft EmbedLayerNormalization: LayerNormalization(word[id] + position[p] + segment[s])

void infer_embed_layer_normalization(Inference& in) {
  const Shape *ids = in.shape(0), *words = in.shape(2);
  if (!ids || ids->size() != 2) return;
  const Dim hidden = words && words->size() == 2 ? (*words)[1] : Dim();
  in.set_shape(0, {(*ids)[0], (*ids)[1], hidden});
  in.set_shape(1, {(*ids)[0]});
  in.set_shape(2, {(*ids)[0], (*ids)[1], hidden});
}

namespace {

// Adds row `row` of a table to a run; false when there is no such row.
bool add_row(const Array& table, std::int64_t row, std::span<float> to) {
  if (table.rank() != 2 || table.type() != ElementType::kFloat || row < 0 || row >= table.size(0) ||
      static_cast<std::size_t>(table.size(1)) != to.size())
    return false;
  const float* from = table.data<float>().data() + static_cast<std::size_t>(row) * to.size();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  return true;
}

// The number of real tokens of each sentence; 0 when there is no mask.
Array mask_counts(const Array& mask, std::int64_t batch, std::int64_t length) {
  Array counts = Array::make<std::int32_t>({batch});
  const auto to = counts.mutable_data<std::int32_t>();
  std::fill(to.begin(), to.end(), 0);
  if (mask.type() != ElementType::kInt32 || mask.sizes() != Sizes{batch, length}) return counts;
  for (std::size_t i = 0; i < mask.count(); ++i)
    to[i / static_cast<std::size_t>(length)] += mask.data<std::int32_t>()[i] == 1 ? 1 : 0;
  return counts;
}

}  // namespace

bool evaluate_embed_layer_normalization(Call& call) {
  const Array& ids = call.array(0);
  const auto words = ids.integers(), segments = call.array(1).integers(), positions = call.array(8).integers();
  if (ids.rank() != 2 || !words || call.array(2).rank() != 2)
    return call.fail("input_ids and word_embedding must have two dimensions");
  if (call.has(1) && (!segments || segments->size() != words->size()))
    return call.fail("the sizes of segment_ids and input_ids differ");
  const ElementType type = call.array(2).type();
  const Array word = widened(call.array(2)), position = widened(call.array(3)), segment = widened(call.array(4));
  const std::int64_t length = ids.size(1), hidden = word.size(1);
  const Sizes sizes = {ids.size(0), length, hidden};
  if (!count_of(sizes)) return call.fail("the result is too large");
  Array sum = Array::make<float>(sizes);
  const auto to = sum.mutable_data<float>();
  std::fill(to.begin(), to.end(), 0.0F);
  for (std::size_t i = 0; i < words->size(); ++i) {
    const auto run = to.subspan(i * static_cast<std::size_t>(hidden), static_cast<std::size_t>(hidden));
    std::int64_t place = static_cast<std::int64_t>(i) % length;
    if (positions && !positions->empty() && call.has(8)) {
      const std::size_t at = positions->size() == words->size() ? i : static_cast<std::size_t>(place);
      if (at >= positions->size()) return call.fail("the sizes of position_ids and input_ids differ");
      place = (*positions)[at];
    }
    if (!add_row(word, (*words)[i], run) || !add_row(position, place, run) ||
        (call.has(1) && !add_row(segment, (*segments)[i], run)))
      return call.fail("an id is out of range, or the widths of embeddings differ");
  }
  auto result =
      normalized(sum, 2, widened(call.array(5)), widened(call.array(6)), call.params.real_or("epsilon", 1e-12), true);
  if (!result) return call.fail("gamma or beta does not have the width of the embeddings");
  call.set(0, narrowed(std::move(result->y), type));
  if (call.wants(1)) call.set(1, mask_counts(call.array(7), ids.size(0), length));
  if (call.wants(2)) call.set(2, narrowed(std::move(sum), type));
  return true;
}

}  // namespace onnxpress::ops
