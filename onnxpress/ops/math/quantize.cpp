// Converts numbers to small integers (or floats) times a scale, and back.
#include "onnxpress/ops/math/quantize.h"

#include <fmt/format.h>

#include <cmath>

#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/scale_runs.h"

namespace onnxpress::ops {

namespace {

struct Bounds {
  float low, high;
};

// The bounds of the integer types that are results of quantization.
std::optional<Bounds> bounds_of(ElementType type) {
  const int bits = bits_of(type);
  if (!is_integer(type) || bits > 16) return std::nullopt;
  const bool is_signed = name_of(type).starts_with('i');
  const float steps = std::ldexp(1.0F, bits - (is_signed ? 1 : 0));
  return Bounds{is_signed ? -steps : 0, steps - 1};
}

bool is_quantized(ElementType type) {
  return bounds_of(type) || type == ElementType::kInt32 || (is_float(type) && bits_of(type) <= 8);
}

// Scales or zero points as floats; zeros if the operand is absent.
std::optional<std::vector<float>> floats_of(const Array& operand, std::size_t count) {
  std::vector<float> list(count, 0.0F);
  if (operand.type() == ElementType::kUndefined) return list;
  if (operand.count() != count || !load(operand, 0, count, list.data())) return std::nullopt;
  return list;
}

ElementType declared_type(const Params& params, std::string_view name) {
  const std::int64_t number = params.integer_or(name, 0);
  return number > 0 && number < kElementTypeCount ? static_cast<ElementType>(number) : ElementType::kUndefined;
}

// Rounds to the nearest integer, ties to even, for magnitudes below 2^22: the addition rounds. Vectorizes, unlike
// nearbyint.
float nearest_integer(float x) {
  constexpr float kShift = 0x1.8p23F;
  return (x + kShift) - kShift;
}

// x / scale, computed in the requested precision.
struct Divider {
  ElementType precision;

  float operator()(float x, float scale) const {
    if (precision == ElementType::kFloat16)
      return Float16(static_cast<float>(Float16(x)) / static_cast<float>(Float16(scale)));
    if (precision == ElementType::kBfloat16)
      return Bfloat16(static_cast<float>(Bfloat16(x)) / static_cast<float>(Bfloat16(scale)));
    return x / scale;
  }
};

// NaN becomes the lowest number.
float saturated(float quotient, float zero, const Bounds& bounds) {
  constexpr float kFar = 0x1p20F;  // beyond every bound and zero point, but in the range of nearest_integer()
  const float near = quotient > -kFar ? (quotient < kFar ? quotient : kFar) : -kFar;
  const float moved = nearest_integer(near) + zero;
  return moved > bounds.low ? (moved < bounds.high ? moved : bounds.high) : bounds.low;
}

struct Quantizer {
  std::vector<float> scales, zeros;
  Divider divide;
  std::optional<Bounds> bounds;  // of an integer type

  void operator()(const ScaleRun& run, const float* from, float* to) const {
    const bool plain = divide.precision != ElementType::kFloat16 && divide.precision != ElementType::kBfloat16;
    if (run.step == 0 && plain && bounds) {
      const float scale = scales[run.scale], zero = zeros[run.scale];
      const Bounds limits = *bounds;
      for (std::size_t i = 0; i < run.length; ++i) to[i] = saturated(from[i] / scale, zero, limits);
      return;
    }
    for (std::size_t i = 0; i < run.length; ++i) {
      const std::size_t k = run.scale + i * run.step;
      const float quotient = divide(from[i], scales[k]);
      to[i] = bounds ? saturated(quotient, zeros[k], *bounds) : quotient + zeros[k];
    }
  }
};

}  // namespace

bool evaluate_quantize_linear(Call& call) {
  const Array &x = call.array(0), &scale = call.array(1), &zero = call.array(2);
  ElementType type = call.has(2) ? zero.type() : declared_type(call.params, "output_dtype");
  if (type == ElementType::kUndefined) type = ElementType::kUint8;
  if (!is_quantized(type) || type == ElementType::kInt32) return call.fail_type();
  if (!is_float(scale.type()) && scale.type() != ElementType::kInt32) return call.fail_type();
  std::string why;
  const auto runs = ScaleRuns::of(call.params, x.sizes(), scale.sizes(), why);
  if (!runs) return call.fail(why);
  const auto wide = converted(x, ElementType::kFloat);
  const auto scales = floats_of(scale, scale.count()), zeros = floats_of(zero, scale.count());
  if (!wide || !scales || !zeros) return call.fail("the operands' types or shapes do not match");
  const ElementType precision = declared_type(call.params, "precision");
  const Quantizer quantizer{
      *scales, *zeros, {precision != ElementType::kUndefined ? precision : scale.type()}, bounds_of(type)};
  Array result = Array::make<float>(x.sizes());
  const float* from = wide->data<float>().data();
  float* to = result.mutable_data<float>().data();
  runs->for_each([&](const ScaleRun& run) { quantizer(run, from + run.begin, to + run.begin); });
  return call.done(*converted(result, type, {.saturate = call.params.integer_or("saturate", 1) != 0}));
}

// (x - zero) * scale. Differences of 32-bit integers are computed in double, where they are exact.
bool evaluate_dequantize_linear(Call& call) {
  const Array &x = call.array(0), &scale = call.array(1), &zero = call.array(2);
  if (!is_quantized(x.type()) || !is_float(scale.type())) return call.fail_type();
  if (call.has(2) && zero.type() != x.type()) return call.fail_type();
  ElementType type = declared_type(call.params, "output_dtype");
  if (type == ElementType::kUndefined) type = scale.type();
  if (!is_float(type)) return call.fail_type();
  std::string why;
  const auto runs = ScaleRuns::of(call.params, x.sizes(), scale.sizes(), why);
  if (!runs) return call.fail(why);
  const auto scales = floats_of(scale, scale.count());
  std::vector<double> zeros(scale.count(), 0);
  if (!scales || (call.has(2) && (zero.count() != zeros.size() || !load(zero, 0, zeros.size(), zeros.data()))))
    return call.fail("the zero point does not have the shape of the scale");
  const auto work = [&]<typename T>() {
    const auto wide = converted(x, kTypeOf<T>);
    const T* from = wide->template data<T>().data();
    Array result = Array::make<float>(x.sizes());
    float* to = result.mutable_data<float>().data();
    runs->for_each([&](const ScaleRun& run) {
      const T* source = from + run.begin;
      float* target = to + run.begin;
      if (run.step == 0) {
        const T offset = static_cast<T>(zeros[run.scale]);
        const float factor = (*scales)[run.scale];
        for (std::size_t i = 0; i < run.length; ++i) target[i] = static_cast<float>(source[i] - offset) * factor;
      } else {
        for (std::size_t i = 0; i < run.length; ++i)
          target[i] = static_cast<float>(source[i] - static_cast<T>(zeros[run.scale + i])) * (*scales)[run.scale + i];
      }
    });
    return call.done(*converted(result, type));
  };
  return x.type() == ElementType::kInt32 ? work.template operator()<double>() : work.template operator()<float>();
}

bool evaluate_dynamic_quantize_linear(Call& call) {
  const Array& x = call.array(0);
  if (x.type() != ElementType::kFloat) return call.fail_type();
  const auto from = x.data<float>();
  float low = 0, high = 0;
  for (const float each : from) {
    low = each < low ? each : low;
    high = each > high ? each : high;
  }
  // If all elements are zero, any scale works; ONNX Runtime uses 1.
  const float scale = high == low ? 1.0F : (high - low) / 255.0F;
  const float zero = nearest_integer(std::clamp(-low / scale, 0.0F, 255.0F));
  Array y = Array::make<std::uint8_t>(x.sizes());
  std::uint8_t* to = y.mutable_data<std::uint8_t>().data();
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(saturated(from[i] / scale, zero, {0, 255})));
  call.set(0, std::move(y));
  call.set(1, Array::scalar(scale));
  call.set(2, Array::scalar(static_cast<std::uint8_t>(zero)));
  return true;
}

void infer_quantize_linear(Inference& in) {
  infer_same_shape(in);
  const ElementType declared = declared_type(in.params, "output_dtype");
  if (in.has(2)) {
    if (!in.operand(2).is_tensor()) return;
    const ElementType zero = in.operand(2).element;
    if (declared != ElementType::kUndefined && is_known(zero) && zero != declared)
      return in.contradict(
          fmt::format("output_dtype is {}, but the zero point is {}", name_of(declared), name_of(zero)));
    return in.set_element(0, zero);
  }
  in.set_element(0, declared == ElementType::kUndefined ? ElementType::kUint8 : declared);
}

void infer_dequantize_linear(Inference& in) {
  infer_same_shape(in);
  const ElementType declared = declared_type(in.params, "output_dtype");
  if (declared != ElementType::kUndefined) {
    in.set_element(0, declared);
  } else if (in.operand(1).is_tensor()) {
    in.set_element(0, in.operand(1).element);
  }
}

void infer_dynamic_quantize_linear(Inference& in) {
  infer_same_shape(in);
  in.set_shape(1, {});
  in.set_shape(2, {});
}

}  // namespace onnxpress::ops
