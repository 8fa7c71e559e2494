// Comparison, logic and bits, element by element: Equal, Less, And, Not, BitwiseAnd, IsNaN, Where, ...
#include <cmath>
#include <cstring>

#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/math/where.h"

namespace onnxpress::ops {

namespace {

using ComparedTypes =
    TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
             ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16, ElementType::kUint32,
             ElementType::kInt32, ElementType::kUint64, ElementType::kInt64, ElementType::kBool, ElementType::kString>;
using SignedTypes = TypeList<ElementType::kInt8, ElementType::kInt16, ElementType::kInt32, ElementType::kInt64>;
using LogicTypes = TypeList<ElementType::kBool>;

template <typename Types, typename Work>
bool evaluate_comparison(Call& call, const Work& work) {
  std::optional<PairKernel> kernel;
  dispatch(Types(), call.array(0).type(), [&]<typename T>() { kernel = pair_kernel<T, Bool, Work>(); });
  return evaluate_pairs(call, kernel, &work);
}

bool evaluate_equal(Call& call) {
  return evaluate_comparison<ComparedTypes>(call, [](const auto& a, const auto& b) { return a == b; });
}
bool evaluate_greater(Call& call) {
  return evaluate_comparison<NumberTypes>(call, [](auto a, auto b) { return a > b; });
}
bool evaluate_greater_or_equal(Call& call) {
  return evaluate_comparison<NumberTypes>(call, [](auto a, auto b) { return a >= b; });
}
bool evaluate_less(Call& call) {
  return evaluate_comparison<NumberTypes>(call, [](auto a, auto b) { return a < b; });
}
bool evaluate_less_or_equal(Call& call) {
  return evaluate_comparison<NumberTypes>(call, [](auto a, auto b) { return a <= b; });
}
bool evaluate_and(Call& call) {
  return evaluate_comparison<LogicTypes>(call, [](bool a, bool b) { return a && b; });
}
bool evaluate_or(Call& call) {
  return evaluate_comparison<LogicTypes>(call, [](bool a, bool b) { return a || b; });
}
bool evaluate_xor(Call& call) {
  return evaluate_comparison<LogicTypes>(call, [](bool a, bool b) { return a != b; });
}
bool evaluate_not(Call& call) {
  return evaluate_unary<LogicTypes>(call, [](bool a) { return !a; });
}

bool evaluate_bitwise_and(Call& call) {
  return evaluate_same_bits<SignedTypes>(call, [](auto a, auto b) { return a & b; });
}
bool evaluate_bitwise_or(Call& call) {
  return evaluate_same_bits<SignedTypes>(call, [](auto a, auto b) { return a | b; });
}
bool evaluate_bitwise_xor(Call& call) {
  return evaluate_same_bits<SignedTypes>(call, [](auto a, auto b) { return a ^ b; });
}
bool evaluate_bitwise_not(Call& call) {
  return evaluate_unary<IntegerTypes>(call, [](auto a) { return ~a; });
}

// result[i] = work(x[i]) for floating-point numbers, as double.
template <typename Work>
bool evaluate_question(Call& call, Work&& work) {
  const Array& x = call.array(0);
  if (!is_float(x.type())) return call.fail_type();
  Array result = Array::make<Bool>(x.sizes());
  const auto to = result.mutable_data<Bool>();
  double buffer[kConvertedAtOnce];
  for (std::size_t begin = 0; begin < x.count(); begin += kConvertedAtOnce) {
    const std::size_t length = std::min(x.count() - begin, kConvertedAtOnce);
    load(x, begin, length, buffer);
    for (std::size_t i = 0; i < length; ++i) to[begin + i] = Bool(work(buffer[i]));
  }
  return call.done(std::move(result));
}

bool evaluate_is_nan(Call& call) {
  return evaluate_question(call, [](double x) { return x != x; });
}

bool evaluate_is_inf(Call& call) {
  const bool positive = call.params.flag("detect_positive"), negative = call.params.flag("detect_negative");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return evaluate_question(call,
                           [=](double x) { return (positive && x == kInfinity) || (negative && x == -kInfinity); });
}

// --- Inference. Elements are 1 or 0 if that is proved, otherwise unknown.

Dim truth(bool proved, bool refuted) { return proved ? Dim::size(1) : refuted ? Dim::size(0) : Dim(); }

void infer_truths(Inference& in, const std::function<Dim(Dim, Dim)>& work) {
  infer_binary_shape(in);
  infer_splat(in);
  infer_elements(in, work);
  if (in.result_count() > 0) in.result().range = {0, 1, true};
}

void infer_equal(Inference& in) {
  infer_truths(in, [&](Dim a, Dim b) {
    const Dim difference = in.dims.sub(a, b);
    return truth(in.dims.equal(a, b), in.dims.at_least(difference, 1) || in.dims.at_most(difference, -1));
  });
}
// Is a - b > limit?
void infer_difference_above(Inference& in, std::int64_t limit) {
  infer_truths(in, [&](Dim a, Dim b) {
    const Dim difference = in.dims.sub(a, b);
    return truth(in.dims.at_least(difference, limit + 1), in.dims.at_most(difference, limit));
  });
}
void infer_greater(Inference& in) { infer_difference_above(in, 0); }
void infer_greater_or_equal(Inference& in) { infer_difference_above(in, -1); }
void infer_difference_below(Inference& in, std::int64_t limit) {
  infer_truths(in, [&](Dim a, Dim b) {
    const Dim difference = in.dims.sub(a, b);
    return truth(in.dims.at_most(difference, limit - 1), in.dims.at_least(difference, limit));
  });
}
void infer_less(Inference& in) { infer_difference_below(in, 0); }
void infer_less_or_equal(Inference& in) { infer_difference_below(in, 1); }

void infer_and(Inference& in) {
  infer_truths(in, [](Dim a, Dim b) {
    const Dim no = Dim::size(0), yes = Dim::size(1);
    return truth(a == yes && b == yes, a == no || b == no);
  });
}
void infer_or(Inference& in) {
  infer_truths(in, [](Dim a, Dim b) {
    const Dim no = Dim::size(0), yes = Dim::size(1);
    return truth(a == yes || b == yes, a == no && b == no);
  });
}
void infer_xor(Inference& in) {
  infer_truths(in, [](Dim a, Dim b) { return a.is_size() && b.is_size() ? truth(a != b, a == b) : Dim(); });
}
void infer_not(Inference& in) {
  infer_bounded(in, 0, 1);
  infer_elements(in, [](Dim a) { return truth(a == Dim::size(0), a == Dim::size(1)); });
  if (in.result_count() > 0) in.result().range.finite = true;
}
void infer_question(Inference& in) {
  infer_bounded(in, 0, 1);
  if (in.result_count() > 0) in.result().range.finite = true;
}
void infer_bits(Inference& in) {
  infer_binary_shape(in);
  infer_splat(in);
}
void infer_bitwise_not(Inference& in) {
  infer_same_shape(in);
  infer_splat(in);
}

constexpr std::uint32_t kSymmetric = kElementwise | kCommutative;

constexpr OpDef kComparisonRows[] = {
    {.name = "And", .traits = kSymmetric | kDecodes, .infer = infer_and, .evaluate = evaluate_and},
    {.name = "BitwiseAnd", .traits = kSymmetric | kDecodes, .infer = infer_bits, .evaluate = evaluate_bitwise_and},
    {.name = "BitwiseNot", .traits = kElementwise, .infer = infer_bitwise_not, .evaluate = evaluate_bitwise_not},
    {.name = "BitwiseOr", .traits = kSymmetric | kDecodes, .infer = infer_bits, .evaluate = evaluate_bitwise_or},
    {.name = "BitwiseXor", .traits = kSymmetric | kDecodes, .infer = infer_bits, .evaluate = evaluate_bitwise_xor},
    {.name = "Equal", .traits = kSymmetric | kDecodes, .infer = infer_equal, .evaluate = evaluate_equal},
    {.name = "Greater", .traits = kElementwise, .infer = infer_greater, .evaluate = evaluate_greater},
    {.name = "GreaterOrEqual",
     .traits = kElementwise,
     .infer = infer_greater_or_equal,
     .evaluate = evaluate_greater_or_equal},
    {.name = "IsInf", .traits = kElementwise, .infer = infer_question, .evaluate = evaluate_is_inf},
    {.name = "IsNaN", .traits = kElementwise, .infer = infer_question, .evaluate = evaluate_is_nan},
    {.name = "Less", .traits = kElementwise | kDecodes, .infer = infer_less, .evaluate = evaluate_less},
    {.name = "LessOrEqual", .traits = kElementwise, .infer = infer_less_or_equal, .evaluate = evaluate_less_or_equal},
    {.name = "Not", .traits = kElementwise | kDecodes, .infer = infer_not, .evaluate = evaluate_not},
    {.name = "Or", .traits = kSymmetric | kDecodes, .infer = infer_or, .evaluate = evaluate_or},
    {.name = "Where",
     .traits = kElementwise | kDecodes,
     .infer = infer_where,
     .evaluate = evaluate_where,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kDouble, ElementType::kBfloat16)},
    {.name = "Xor", .traits = kSymmetric | kDecodes, .infer = infer_xor, .evaluate = evaluate_xor},
};

}  // namespace

Family comparison() { return kComparisonRows; }

}  // namespace onnxpress::ops
