// Loops over elements, with broadcasting: written once for all element-wise ops.
#pragma once

#include <algorithm>
#include <type_traits>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::ops {

// Integer arithmetic wraps around, as in ONNX Runtime; in C++ signed overflow is undefined.
template <typename T, typename Work>
T wrapped(Work&& work, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(work(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  } else {
    return work(a, b);
  }
}

// The shape of arrays broadcast together; nullopt when that is not possible.
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

// Before opset 7, operand 1 was aligned with operand 0 at the attribute `axis` instead of at the end. Returns how many
// trailing axes of size 1 have the same effect in later versions; 0 for those.
std::size_t trailing_axes(const Params& params, std::size_t rank_of_a, std::size_t rank_of_b);
// Operand 1 with those axes added.
Array second_operand(const Call& call);
// In early versions the result has the shape of the first operand; false if the second one is larger.
bool first_keeps_shape(const Call& call, const Array& second);

// One run over two arrays: `length` results, from elements that are `step_a` and `step_b` apart (0: the same one for
// all).
struct PairRun {
  const void *a, *b;
  void* to;
  std::int64_t length, step_a, step_b;
};
// How to compute a run for one pair of element types. `work` is the op's function of two elements.
struct PairKernel {
  ElementType in, out;
  std::size_t in_width, out_width;  // of one element in memory
  void (*compute)(const PairRun& run, const void* work);
};
// Everything that does not depend on the types: there are hundreds of kernels, and this is compiled only once.
std::optional<Array> combine(Call& call, const Array& a, const Array& b, const PairKernel& kernel, const void* work);

// Types for which a vectorized loop for each kind of broadcasting is worthwhile.
template <typename T>
inline constexpr bool kIsOften = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                 std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t>;

template <typename In, typename Out, typename Work>
void compute_pairs(const PairRun& run, const void* erased) {
  const Work& work = *static_cast<const Work*>(erased);
  const In *x = static_cast<const In*>(run.a), *y = static_cast<const In*>(run.b);
  Out* to = static_cast<Out*>(run.to);
  const std::int64_t length = run.length;
  const auto one = [&work](const In& p, const In& q) {
    return static_cast<Out>(work(static_cast<Computed<In>>(p), static_cast<Computed<In>>(q)));
  };
  if constexpr (kIsOften<In>) {
    if (run.step_a == 1 && run.step_b == 1) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i], y[i]);
      return;
    }
    if (run.step_a == 1 && run.step_b == 0) {
      const In fixed = *y;
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(x[i], fixed);
      return;
    }
    if (run.step_b == 1 && run.step_a == 0) {
      const In fixed = *x;
      for (std::int64_t i = 0; i < length; ++i) to[i] = one(fixed, y[i]);
      return;
    }
  }
  for (std::int64_t i = 0; i < length; ++i, x += run.step_a, y += run.step_b) to[i] = one(*x, *y);
}

template <typename In, typename Out, typename Work>
constexpr PairKernel pair_kernel() {
  return {kTypeOf<In>, kTypeOf<Out>, sizeof(In), sizeof(Out), compute_pairs<In, Out, Work>};
}

// result[i] = work(a[i], b[i]) with broadcasting; In and Out are element types, and Computed<In> is the type to compute
// in. Nullopt (after Call::fail) when the shapes or types do not match.
template <typename In, typename Out, typename Work>
std::optional<Array> combined(Call& call, const Array& a, const Array& b, Work work) {
  return combine(call, a, b, pair_kernel<In, Out, Work>(), &work);
}

// The signed type of the same width; other types stay the same.
ElementType as_signed(ElementType type);
// Combine operands 0 and 1, or all of them one after the other. Without a kernel, the type is not supported.
bool evaluate_pairs(Call& call, const std::optional<PairKernel>& kernel, const void* work);
bool evaluate_all_pairs(Call& call, const std::optional<PairKernel>& kernel, const void* work);

// The same for every type of the list, with results of the operands' type.
template <typename Types, typename Work>
bool evaluate_binary(Call& call, const Work& work) {
  std::optional<PairKernel> kernel;
  dispatch(Types(), call.array(0).type(), [&]<typename T>() { kernel = pair_kernel<T, T, Work>(); });
  return evaluate_pairs(call, kernel, &work);
}

// The same for functions that give the same bits for signed and unsigned integers (sums, products, ...): all are
// computed as signed, so the list contains only signed types.
template <typename Types, typename Work>
bool evaluate_same_bits(Call& call, const Work& work) {
  const ElementType type = call.array(0).type();
  std::optional<PairKernel> kernel;
  dispatch(Types(), as_signed(type), [&]<typename T>() { kernel = pair_kernel<T, T, Work>(); });
  if (kernel) kernel->in = kernel->out = type;
  return evaluate_pairs(call, kernel, &work);
}

// The same for any number of operands, all of one type.
template <typename Types, typename Work>
bool evaluate_variadic(Call& call, const Work& work) {
  std::optional<PairKernel> kernel;
  dispatch(Types(), call.array(0).type(), [&]<typename T>() { kernel = pair_kernel<T, T, Work>(); });
  return evaluate_all_pairs(call, kernel, &work);
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

// Calls work(begin, end) for pieces of [0, count), on several threads if that is worthwhile. `weight`: the cost of one
// item, relative to a function of one element.
void for_pieces(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work, std::size_t weight = 1);

// Calls `kernel.template operator()<T>(x)` with x as a float or double array, and returns its result in the type of x.
// 16-bit floats are computed as floats.
template <typename Kernel>
bool evaluate_wide(Call& call, const Array& x, Kernel&& kernel) {
  if (x.type() == ElementType::kDouble) return call.done(kernel.template operator()<double>(x));
  if (x.type() == ElementType::kFloat) return call.done(kernel.template operator()<float>(x));
  if (!is_float(x.type())) return call.fail_type();
  return call.done(*converted(kernel.template operator()<float>(*converted(x, ElementType::kFloat)), x.type()));
}

// A function of a real number, applied to many. `from` and `to` do not overlap.
struct RealKernel {
  void (*floats)(const float* from, float* to, std::size_t count, const void* work);
  void (*doubles)(const double* from, double* to, std::size_t count, const void* work);
};
bool evaluate_real(Call& call, const Array& x, const RealKernel& kernel, const void* work);

template <typename T, typename Work>
void compute_reals(const T* from, T* to, std::size_t count, const void* erased) {
  const Work& work = *static_cast<const Work*>(erased);
  for (std::size_t i = 0; i < count; ++i) to[i] = work(from[i]);
}

// result[i] = work(x[i]) for functions of real numbers: `work` is called only with floats or doubles. 16-bit floats are
// computed as floats, integers as doubles and truncated.
template <typename Work>
bool evaluate_real(Call& call, const Array& x, const Work& work) {
  constexpr RealKernel kKernel = {compute_reals<float, Work>, compute_reals<double, Work>};
  return evaluate_real(call, x, kKernel, &work);
}

// --- Inference

// Sets the shape of both operands broadcast together, in all versions.
void infer_binary_shape(Inference& in);
// Sets element-wise expressions for two integer operands (or one) whose elements are known, with broadcasting. The
// result's shape must be set before.
void infer_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work);
void infer_elements(Inference& in, const std::function<Dim(Dim)>& work);
// The expression if arithmetic in this type does not wrap around, otherwise unknown. Expressions without a known bound
// consist of tensor sizes, and types of 32 bits and more are assumed to hold those, as in every runtime.
Dim fitting(Inference& in, Dim value, ElementType type);
// A result element of an element-wise op depends only on the operands' elements, so operands of equal elements give a
// result of equal elements.
void infer_splat(Inference& in);
// Result 0 has the shape of operand 0, and its elements are within these bounds whatever the operand holds.
void infer_bounded(Inference& in, double low, double high);

}  // namespace onnxpress::ops
