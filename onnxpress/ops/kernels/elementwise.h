// Loops over elements, with broadcasting: written once for all element-wise ops.
#pragma once

#include <algorithm>
#include <type_traits>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::ops {

// Integer arithmetic wraps around, as ONNX Runtime's does; C++ leaves overflow of signed numbers undefined.
template <typename T, typename Work>
T wrapped(Work&& work, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(work(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  } else {
    return work(a, b);
  }
}

// The shape of arrays broadcast together; nullopt when they do not fit.
std::optional<Sizes> broadcast_sizes(std::span<const Sizes* const> shapes);

// How to walk several arrays along a common shape: neighbouring axes that can be walked as one are merged.
struct Walk {
  Sizes sizes;                 // of the merged axes, outermost first; never empty
  std::vector<Sizes> strides;  // per array, in elements; 0 along broadcast axes

  Walk(std::span<const std::int64_t> result, std::span<const Sizes* const> shapes);
  // Calls `row(offsets)` for each run of the innermost axis, with the offset of each array at its start.
  template <typename Row>
  void for_each_row(Row&& row) const {
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < sizes.size(); ++axis) rows *= sizes[axis];
    if (sizes.back() == 0) return;
    Sizes offsets(strides.size(), 0), at(sizes.size(), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      row(offsets);
      for (std::size_t axis = sizes.size() - 1; axis-- > 0;) {
        for (std::size_t k = 0; k < strides.size(); ++k) offsets[k] += strides[k][axis];
        if (++at[axis] < sizes[axis]) break;
        for (std::size_t k = 0; k < strides.size(); ++k) offsets[k] -= strides[k][axis] * sizes[axis];
        at[axis] = 0;
      }
    }
  }
};

// Before opset 7 operand 1 was lined up with operand 0 at the attribute `axis` instead of at the end: how many axes of
// size 1 it takes to say the same today. 0 for all later versions.
std::size_t trailing_axes(const Params& params, std::size_t rank_of_a, std::size_t rank_of_b);
// Operand 1, with those axes.
Array second_operand(const Call& call);

// result[i] = work(a[i], b[i]) with broadcasting; In and Out are element types, computed as Computed<In>. nullopt
// (through Call::fail) when the shapes or types do not fit.
template <typename In, typename Out, typename Work>
std::optional<Array> combined(Call& call, const Array& a, const Array& b, Work&& work) {
  const auto failed = [](bool) { return std::nullopt; };
  if (a.type() != kTypeOf<In> || b.type() != kTypeOf<In>) return failed(call.fail_type());
  const Sizes* shapes[] = {&a.sizes(), &b.sizes()};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes) return failed(call.fail("the operands' shapes cannot be broadcast together"));
  Array result = Array::make<Out>(*sizes);
  const Walk walk(*sizes, shapes);
  const In *from_a = a.data<In>().data(), *from_b = b.data<In>().data();
  Out* to = result.mutable_data<Out>().data();
  const std::int64_t length = walk.sizes.back(), step_a = walk.strides[0].back(), step_b = walk.strides[1].back();
  const auto one = [&](const In& x, const In& y) {
    return static_cast<Out>(work(static_cast<Computed<In>>(x), static_cast<Computed<In>>(y)));
  };
  walk.for_each_row([&](const Sizes& at) {
    const In *x = from_a + at[0], *y = from_b + at[1];
    if (step_a == 1 && step_b == 1) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i], y[i]);
    } else if (step_a == 1) {
      const In fixed = *y;
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i], fixed);
    } else if (step_b == 1) {
      const In fixed = *x;
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(fixed, y[i]);
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i * step_a], y[i * step_b]);
    }
    to += length;
  });
  return result;
}

template <typename In, typename Out, typename Work>
bool evaluate_binary_as(Call& call, Work&& work) {
  auto result = combined<In, Out>(call, call.array(0), second_operand(call), work);
  return result && call.done(std::move(*result));
}

// The same for every type of the list, with results of the operands' type.
template <typename Types, typename Work>
bool evaluate_binary(Call& call, Work&& work) {
  return dispatch(Types(), call.array(0).type(), [&]<typename T>() { return evaluate_binary_as<T, T>(call, work); }) ||
         (call.why().empty() && call.fail_type());
}

// The same for operands of any number, all of one type.
template <typename Types, typename Work>
bool evaluate_variadic(Call& call, Work&& work) {
  std::optional<Array> result = call.array(0);
  const auto fold = [&]<typename T>() {
    for (std::size_t i = 1; result && i < call.operand_count(); ++i)
      result = combined<T, T>(call, *result, call.array(i), work);
    return result && call.done(std::move(*result));
  };
  return dispatch(Types(), call.array(0).type(), fold) || (call.why().empty() && call.fail_type());
}

// result[i] = work(a[i]).
template <typename Types, typename Work>
bool evaluate_unary(Call& call, Work&& work) {
  const Array& a = call.array(0);
  return dispatch(Types(), a.type(),
                  [&]<typename T>() {
                    Array result = Array::make<T>(a.sizes());
                    const auto from = a.data<T>();
                    const auto to = result.mutable_data<T>();
                    for (std::size_t i = 0; i < from.size(); ++i)
                      to[i] = static_cast<T>(work(static_cast<Computed<T>>(from[i])));
                    return call.done(std::move(result));
                  }) ||
         call.fail_type();
}

// Calls work(begin, end) for pieces of [0, count), on several threads when that is worth it. `weight`: what one item
// costs, in functions of one element.
void for_pieces(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work, std::size_t weight = 1);

// Calls `kernel.template operator()<T>(x)` with a float or double array and T, and gives the array it returns as result
// in the type of x. Floats of 16 bits are computed as floats.
template <typename Kernel>
bool evaluate_wide(Call& call, const Array& x, Kernel&& kernel) {
  if (x.type() == ElementType::kDouble) return call.done(kernel.template operator()<double>(x));
  if (x.type() == ElementType::kFloat) return call.done(kernel.template operator()<float>(x));
  if (!is_float(x.type())) return call.fail_type();
  return call.done(*converted(kernel.template operator()<float>(*converted(x, ElementType::kFloat)), x.type()));
}

// result[i] = work(x[i]) for functions of real numbers: `work` is called with floats or doubles only. Floats of 16 bits
// are computed as floats, integers as doubles and cut off.
template <typename Work>
bool evaluate_real(Call& call, const Array& x, Work&& work) {
  if (!is_float(x.type()) && !is_integer(x.type())) return call.fail_type();
  Array result = Array::make(x.type(), x.sizes());
  const auto straight = [&]<typename T>() {
    const T* from = x.data<T>().data();
    T* to = result.mutable_data<T>().data();
    for_pieces(x.count(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[i] = work(from[i]);
    });
  };
  const auto through = [&]<typename T>() {
    for_pieces(x.count(), [&](std::size_t begin, std::size_t end) {
      T buffer[kConvertedAtOnce];
      for (; begin < end; begin += kConvertedAtOnce) {
        const std::size_t length = std::min(end - begin, kConvertedAtOnce);
        load(x, begin, length, buffer);
        for (std::size_t i = 0; i < length; ++i) buffer[i] = work(buffer[i]);
        store(buffer, length, result, begin);
      }
    });
  };
  if (x.type() == ElementType::kFloat) {
    straight.template operator()<float>();
  } else if (x.type() == ElementType::kDouble) {
    straight.template operator()<double>();
  } else if (is_float(x.type())) {
    through.template operator()<float>();
  } else {
    through.template operator()<double>();
  }
  return call.done(std::move(result));
}

// --- Inference

// The shape of both operands broadcast together, in all versions.
void infer_binary_shape(Inference& in);
// Element-wise expressions for two integer operands whose elements are known, with broadcasting. The result's shape
// must be set before.
void infer_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work);
void infer_elements(Inference& in, const std::function<Dim(Dim)>& work);
// The expression when arithmetic in the type does not wrap around there, unknown otherwise. Expressions without a known
// bound are made of sizes of tensors; types of 32 bits and more are taken to hold them, as every runtime does.
Dim fitting(Inference& in, Dim value, ElementType type);
// A result element of an element-wise op depends on the operands' elements only, so equal ones give equal ones.
void infer_splat(Inference& in);
// Result 0 has the shape of operand 0, and its elements lie between these bounds whatever the operand's are.
void infer_bounded(Inference& in, double low, double high);

}  // namespace onnxpress::ops
