// FlexAttention computes all heads at once, because its bodies see all scores.
#include "onnxpress/ops/nn/flex_attention.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/rounded_math.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// Repeats each head for all query heads that share it.
Array repeated_heads(const Array& array, std::int64_t times) {
  if (times == 1) return array;
  const Sizes strides = strides_of(array.sizes());
  const Sizes sizes = {array.size(0), array.size(1), times, array.size(2), array.size(3)};
  return gathered(array, sizes, {strides[0], strides[1], 0, strides[2], strides[3]})
      .reshaped({array.size(0), array.size(1) * times, array.size(2), array.size(3)});
}

Array computed_in(const Array& array, ElementType type) {
  if (array.type() == ElementType::kFloat && type == ElementType::kDouble) {
    Array result = Array::make<double>(array.sizes());
    std::copy(array.data<float>().begin(), array.data<float>().end(), result.mutable_data<double>().begin());
    return result;
  }
  return type == ElementType::kDouble ? array : narrowed(narrowed(array, ElementType::kFloat), type);
}

// Applies the body named `name` to the array; without such a body the array stays the same.
bool modify(Call& call, std::string_view name, ElementType type, Array& array) {
  Graph* body = call.params.graph(name);
  if (!body) return true;
  const Datum inputs[] = {computed_in(array, type)};
  std::vector<Datum> outputs;
  std::string why;
  if (!call.run_body || !call.run_body(*body, inputs, outputs, why)) return call.fail(why);
  const Array* result = outputs.size() == 1 ? outputs[0].array() : nullptr;
  if (!result || result->sizes() != array.sizes() || result->type() != type)
    return call.fail("a body changed the shape or type of the scores");
  array = widened(*result);
  return true;
}

template <typename T>
Array softmax_rows(const Array& scores) {
  Array result = Array::make<T>(scores.sizes());
  const auto length = static_cast<std::size_t>(scores.size(3));
  const T* from = scores.data<T>().data();
  T* to = result.template mutable_data<T>().data();
  for (std::size_t at = 0; at < scores.count(); at += length) {
    const T most = *std::max_element(from + at, from + at + length);
    T sum = 0;
    for (std::size_t i = at; i < at + length; ++i) sum += to[i] = rounded_exponential(from[i] - most);
    for (std::size_t i = at; i < at + length; ++i) to[i] /= sum;
  }
  return result;
}

std::optional<ElementType> precision(const Params& params, ElementType type) {
  switch (params.integer_or("softmax_precision", type == ElementType::kDouble ? 11 : 1)) {
    case 1:
      return ElementType::kFloat;
    case 10:
      return ElementType::kFloat16;
    case 11:
      return ElementType::kDouble;
    case 16:
      return ElementType::kBfloat16;
    default:
      return std::nullopt;
  }
}

}  // namespace

void infer_flex_attention(Inference& in) {
  const Shape *q = in.shape(0), *v = in.shape(2);
  if (!q || q->size() != 4) return;
  in.set_shape({(*q)[0], (*q)[1], (*q)[2], v && v->size() == 4 ? (*v)[3] : Dim()});
}

bool evaluate_flex_attention(Call& call) {
  const ElementType type = call.array(0).type();
  const Array q = widened(call.array(0)), k = widened(call.array(1)), v = widened(call.array(2));
  if (!is_float_like(type) || k.type() != q.type() || v.type() != q.type()) return call.fail_type();
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || k.size(0) != q.size(0) || v.size(0) != q.size(0) ||
      k.size(1) != v.size(1) || k.size(1) < 1 || q.size(1) % k.size(1) != 0)
    return call.fail("Q, K and V must have four dimensions that match");
  const auto compute = precision(call.params, type);
  if (!compute) return call.fail("softmax_precision is not a float type");
  const Array keys = repeated_heads(k, q.size(1) / k.size(1)), values = repeated_heads(v, q.size(1) / k.size(1));
  const auto plan = plan_matmul(q.sizes(), keys.sizes(), false, true);
  if (!plan) return call.fail("Q and K do not match");
  Array scores = multiply(*plan, q, keys);
  const double scale = call.params.real_or("scale", 1 / std::sqrt(static_cast<double>(q.size(3))));
  dispatch(WideFloats(), scores.type(), [&]<typename T>() {
    for (T& each : scores.template mutable_data<T>()) each *= static_cast<T>(scale);
  });
  scores = widened(computed_in(scores, *compute));
  if (!modify(call, "score_mod", *compute, scores)) return false;
  Array probabilities =
      scores.type() == ElementType::kDouble ? softmax_rows<double>(scores) : softmax_rows<float>(scores);
  if (!modify(call, "prob_mod", *compute, probabilities)) return false;
  const Array wide_values = probabilities.type() == values.type() ? values : computed_in(values, probabilities.type());
  const auto last = plan_matmul(probabilities.sizes(), wide_values.sizes());
  if (!last) return call.fail("K and V do not match");
  Array y = multiply(*last, probabilities, wide_values);
  return call.done(computed_in(y, type));
}

}  // namespace onnxpress::ops
