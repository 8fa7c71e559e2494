// Dequantizes the operands, computes in float, and quantizes the result.
#include "onnxpress/ops/microsoft/qlinear.h"

#include <array>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"
#include "onnxpress/ops/math/softmax.h"

namespace onnxpress::ops {

namespace {

struct Scale {
  float scale = 1;
  int zero = 0;

  float value(int quantized) const { return static_cast<float>(quantized - zero) * scale; }
};

// Operand i is a scale, and the next one its zero point, which may be absent.
std::optional<Scale> scale_at(const Call& call, std::size_t i, ElementType type) {
  const auto scale = call.array(i).number();
  if (!scale || call.array(i).type() != ElementType::kFloat) return std::nullopt;
  Scale made{.scale = static_cast<float>(*scale)};
  if (!call.has(i + 1)) return made;
  const auto zero = call.array(i + 1).number();
  if (!zero || call.array(i + 1).type() != type) return std::nullopt;
  made.zero = static_cast<int>(*zero);
  return made;
}

// Rounds to the nearest, ties to even, and saturates to the type.
template <typename T>
T quantized(float steps, int zero) {
  const float moved = std::nearbyint(steps) + static_cast<float>(zero);
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::lowest()),
                 kHigh = static_cast<float>(std::numeric_limits<T>::max());
  return static_cast<T>(moved > kLow ? (moved < kHigh ? moved : kHigh) : kLow);
}

using Types = TypeList<ElementType::kUint8, ElementType::kInt8>;

bool fail_scales(Call& call) { return call.fail("a scale or zero point is not a single number of the right type"); }

// `steps(a, b)` returns the result in units of the result's scale.
template <typename MakeSteps>
bool evaluate_pair(Call& call, MakeSteps&& make_steps) {
  const Array &a = call.array(0), &b = call.array(3);
  const auto scale_a = scale_at(call, 1, a.type()), scale_b = scale_at(call, 4, a.type()),
             scale_c = scale_at(call, 6, a.type());
  if (!scale_a || !scale_b || !scale_c) return fail_scales(call);
  const auto work = [&]<typename T>() {
    const auto steps = make_steps(*scale_a, *scale_b, *scale_c);
    auto result = combined<T, T>(
        call, a, b, [&](T x, T y) { return quantized<T>(steps(x - scale_a->zero, y - scale_b->zero), scale_c->zero); });
    return result && call.done(std::move(*result));
  };
  return dispatch(Types(), a.type(), work) || (call.why().empty() && call.fail_type());
}

// A table of the 256 results of a function of one number.
template <typename T>
std::array<T, 256> table_of(const std::function<float(float)>& work, const Scale& from, const Scale& to) {
  std::array<T, 256> table;
  for (int i = 0; i < 256; ++i)
    table[static_cast<std::size_t>(i)] = quantized<T>(work(from.value(static_cast<T>(i))) / to.scale, to.zero);
  return table;
}

bool evaluate_table(Call& call, const std::function<float(float)>& function) {
  const Array& x = call.array(0);
  const auto from = scale_at(call, 1, x.type()), to = scale_at(call, 3, x.type());
  if (!from || !to) return fail_scales(call);
  const auto work = [&]<typename T>() {
    const auto table = table_of<T>(function, *from, *to);
    Array result = Array::make<T>(x.sizes());
    const auto source = x.data<T>();
    const auto target = result.mutable_data<T>();
    for (std::size_t i = 0; i < source.size(); ++i) target[i] = table[static_cast<std::uint8_t>(source[i])];
    return call.done(std::move(result));
  };
  return dispatch(Types(), x.type(), work) || call.fail_type();
}

}  // namespace

bool evaluate_qlinear_add(Call& call) {
  return evaluate_pair(call, [](const Scale& a, const Scale& b, const Scale& c) {
    return [ratio_a = a.scale / c.scale, ratio_b = b.scale / c.scale](int x, int y) {
      return static_cast<float>(x) * ratio_a + static_cast<float>(y) * ratio_b;
    };
  });
}

bool evaluate_qlinear_mul(Call& call) {
  return evaluate_pair(call, [](const Scale& a, const Scale& b, const Scale& c) {
    return [ratio = a.scale * b.scale / c.scale](int x, int y) { return static_cast<float>(x * y) * ratio; };
  });
}

bool evaluate_qlinear_sigmoid(Call& call) {
  return evaluate_table(call, [](float x) { return logistic_function(x); });
}

bool evaluate_qlinear_leaky_relu(Call& call) {
  const auto alpha = static_cast<float>(call.params.real_or("alpha", 0.01));
  return evaluate_table(call, [alpha](float x) { return x < 0 ? alpha * x : x; });
}

// The attribute `opset` selects the Softmax: before 13, it is over all axes from `axis` on.
bool evaluate_qlinear_softmax(Call& call) {
  const Array& x = call.array(0);
  const auto from = scale_at(call, 1, x.type()), to = scale_at(call, 3, x.type());
  if (!from || !to) return fail_scales(call);
  const auto axis = normal_axis(call.params.integer_or("axis", -1), std::max<std::size_t>(x.rank(), 1));
  if (!axis) return call.fail("'axis' is out of range");
  const bool flat = call.params.integer_or("opset", 13) < 13;
  const AxisLayout layout(x.sizes(), *axis, flat ? x.rank() : *axis + 1);
  const auto work = [&]<typename T>() {
    Array values = Array::make<float>(x.sizes());
    for (std::size_t i = 0; i < x.count(); ++i) values.mutable_data<float>()[i] = from->value(x.data<T>()[i]);
    const Array shares = softmax(values, layout, SoftmaxKind::kSoftmax);
    Array result = Array::make<T>(x.sizes());
    for (std::size_t i = 0; i < x.count(); ++i)
      result.mutable_data<T>()[i] = quantized<T>(shares.data<float>()[i] / to->scale, to->zero);
    return call.done(std::move(result));
  };
  return dispatch(Types(), x.type(), work) || call.fail_type();
}

namespace {

// The shape of the operands (every third from number 2 on) joined along the axis; nullopt when they do not match.
std::optional<Sizes> joined_sizes(const Call& call, std::size_t axis) {
  Sizes sizes = call.array(2).sizes();
  sizes[axis] = 0;
  for (std::size_t i = 2; i < call.operand_count(); i += 3) {
    Sizes each = call.array(i).sizes();
    if (each.size() != sizes.size()) return std::nullopt;
    sizes[axis] += each[axis];
    each[axis] = sizes[axis];
    if (each != sizes || !count_of(sizes)) return std::nullopt;
  }
  return sizes;
}

// Writes x, in the result's scale, to every row of `stride` elements.
template <typename T>
void write_part(const Array& x, std::size_t axis, const std::array<T, 256>& table, std::size_t stride, T* to) {
  const AxisLayout layout(x.sizes(), axis);
  const std::size_t run = layout.length * layout.inner;
  const T* from = x.data<T>().data();
  for (std::size_t k = 0; k * run < x.count(); ++k, to += stride) {
    for (std::size_t i = 0; i < run; ++i) to[i] = table[static_cast<std::uint8_t>(*from++)];
  }
}

}  // namespace

// The operands are scale and zero point of the result, then each tensor with its scale and zero point.
bool evaluate_qlinear_concat(Call& call) {
  const auto to = scale_at(call, 0, call.array(1).type());
  const auto axis = normal_axis(call.params.integer_or("axis", 0), call.array(2).rank());
  if (!to || !axis || call.operand_count() < 5 || (call.operand_count() - 2) % 3 != 0)
    return call.fail("the operands do not come in threes, or 'axis' is out of range");
  const auto sizes = joined_sizes(call, *axis);
  if (!sizes) return call.fail("the operands' shapes differ in other axes than 'axis'");
  const auto work = [&]<typename T>() {
    Array result = Array::make<T>(*sizes);
    const AxisLayout whole(*sizes, *axis);
    T* target = result.mutable_data<T>().data();
    for (std::size_t i = 2; i < call.operand_count(); i += 3) {
      const Array& x = call.array(i);
      const auto from = scale_at(call, i + 1, x.type());
      if (x.type() != kTypeOf<T> || !from) return call.fail_type();
      const auto table = table_of<T>([](float value) { return value; }, *from, *to);
      write_part(x, *axis, table, whole.length * whole.inner, target);
      target += AxisLayout(x.sizes(), *axis).length * whole.inner;
    }
    return call.done(std::move(result));
  };
  return dispatch(Types(), call.array(1).type(), work) || (call.why().empty() && call.fail_type());
}

void infer_qlinear_binary(Inference& in) {
  const Shape* shapes[] = {in.shape(0), in.shape(3)};
  if (auto shape = broadcast(in, shapes)) in.set_shape(std::move(*shape));
}

void infer_qlinear_concat(Inference& in) {
  const Shape* first = in.shape(2);
  const auto axis = first ? normal_axis(in.params.integer_or("axis", 0), first->size()) : std::nullopt;
  if (!axis) return;
  Shape shape = *first;
  for (std::size_t i = 5; i < in.operand_count(); i += 3) {
    const Shape* next = in.shape(i);
    shape[*axis] = next && next->size() == shape.size() ? in.dims.add(shape[*axis], (*next)[*axis]) : Dim();
  }
  in.set_shape(std::move(shape));
}

}  // namespace onnxpress::ops
