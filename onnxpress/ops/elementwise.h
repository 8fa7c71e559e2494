// Loops over elements, with broadcasting: written once for all element-wise ops.
#pragma once

#include <type_traits>

#include "onnxpress/ops/call.h"
#include "onnxpress/ops/inference.h"

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

// result[i] = work(a[i], b[i]) with broadcasting; In and Out are element types, computed as Computed<In>.
template <typename In, typename Out, typename Work>
bool evaluate_binary_as(Call& call, Work&& work) {
  const Array &a = call.array(0), &b = call.array(1);
  if (a.type() != kTypeOf<In> || b.type() != kTypeOf<In>) return call.fail_type();
  const Sizes* shapes[] = {&a.sizes(), &b.sizes()};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes) return call.fail("the operands' shapes cannot be broadcast together");
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
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i], *y);
    } else if (step_b == 1) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(*x, y[i]);
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(*x, *y);
    }
    to += length;
  });
  return call.done(std::move(result));
}

// The same for every type of the list, with results of the operands' type.
template <typename Types, typename Work>
bool evaluate_binary(Call& call, Work&& work) {
  return dispatch(Types(), call.array(0).type(), [&]<typename T>() { return evaluate_binary_as<T, T>(call, work); }) ||
         (call.why().empty() && call.fail_type());
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

// Element-wise expressions for two integer operands whose elements are known, with broadcasting. The result's shape
// must be set before.
void infer_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work);

}  // namespace onnxpress::ops
