// Broadcasting, and inference of results element by element.
#include "onnxpress/ops/kernels/elementwise.h"

#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/rules.h"

namespace onnxpress::ops {

std::optional<Sizes> broadcast_sizes(std::span<const Sizes* const> shapes) {
  std::size_t rank = 0;
  for (const Sizes* shape : shapes) rank = std::max(rank, shape->size());
  Sizes result(rank, 1);
  for (const Sizes* shape : shapes) {
    for (std::size_t i = 0; i < shape->size(); ++i) {
      std::int64_t& into = result[rank - shape->size() + i];
      const std::int64_t size = (*shape)[i];
      if (into == 1) {
        into = size;
      } else if (size != 1 && size != into) {
        return std::nullopt;
      }
    }
  }
  return result;
}

Walk::Walk(std::span<const std::int64_t> result, std::span<const Sizes* const> shapes) : strides(shapes.size()) {
  const std::size_t rank = result.size();
  std::vector<Sizes> full(shapes.size(), Sizes(rank, 0));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Sizes& shape = *shapes[k];
    const Sizes own = strides_of(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1) full[k][rank - shape.size() + i] = own[i];
    }
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (result[axis] == 1) continue;
    bool merges = !sizes.empty();
    for (std::size_t k = 0; merges && k < shapes.size(); ++k)
      merges = strides[k].back() == full[k][axis] * result[axis];
    if (merges) {
      sizes.back() *= result[axis];
      for (std::size_t k = 0; k < shapes.size(); ++k) strides[k].back() = full[k][axis];
    } else {
      sizes.push_back(result[axis]);
      for (std::size_t k = 0; k < shapes.size(); ++k) strides[k].push_back(full[k][axis]);
    }
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    for (Sizes& each : strides) each.push_back(0);
  }
}

std::optional<Array> combine(Call& call, const Array& a, const Array& b, const PairKernel& kernel, const void* work) {
  const auto failed = [](bool) { return std::nullopt; };
  if (a.type() != kernel.in || b.type() != kernel.in) return failed(call.fail_type());
  const Sizes* shapes[] = {&a.sizes(), &b.sizes()};
  auto sizes = broadcast_sizes(shapes);
  if (!sizes) return failed(call.fail("the operands' shapes cannot be broadcast together"));
  const Walk walk(*sizes, shapes);
  Array result = Array::make(kernel.out, std::move(*sizes));
  const auto width = static_cast<std::int64_t>(kernel.in_width);
  const std::int64_t length = walk.sizes.back();
  std::byte* to = result.mutable_bytes();
  walk.for_each_row([&](const Sizes& at) {
    kernel.compute({a.bytes() + at[0] * width, b.bytes() + at[1] * width, to, length, walk.strides[0].back(),
                    walk.strides[1].back()},
                   work);
    to += length * static_cast<std::int64_t>(kernel.out_width);
  });
  return result;
}

ElementType as_signed(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return ElementType::kInt8;
    case ElementType::kUint16:
      return ElementType::kInt16;
    case ElementType::kUint32:
      return ElementType::kInt32;
    case ElementType::kUint64:
      return ElementType::kInt64;
    default:
      return type;
  }
}

bool evaluate_pairs(Call& call, const std::optional<PairKernel>& kernel, const void* work) {
  if (!kernel) return call.fail_type();
  const Array second = second_operand(call);
  if (!first_keeps_shape(call, second)) return call.fail("the second operand cannot be broadcast to the first");
  auto result = combine(call, call.array(0), second, *kernel, work);
  return result && call.done(std::move(*result));
}

bool evaluate_all_pairs(Call& call, const std::optional<PairKernel>& kernel, const void* work) {
  if (!kernel) return call.fail_type();
  std::optional<Array> result = call.array(0);
  for (std::size_t i = 1; result && i < call.operand_count(); ++i)
    result = combine(call, *result, call.array(i), *kernel, work);
  return result && call.done(std::move(*result));
}

namespace {

template <typename T>
using Compute = void (*)(const T*, T*, std::size_t, const void*);

template <typename T>
void compute_straight(const Array& x, Array& result, Compute<T> compute, const void* work) {
  const T* from = x.data<T>().data();
  T* to = result.mutable_data<T>().data();
  for_pieces(x.count(),
             [&](std::size_t begin, std::size_t end) { compute(from + begin, to + begin, end - begin, work); });
}

// Computes in T although the elements have another type.
template <typename T>
void compute_as(const Array& x, Array& result, Compute<T> compute, const void* work) {
  for_pieces(x.count(), [&](std::size_t begin, std::size_t end) {
    T from[kConvertedAtOnce], to[kConvertedAtOnce];
    for (; begin < end; begin += kConvertedAtOnce) {
      const std::size_t length = std::min(end - begin, kConvertedAtOnce);
      load(x, begin, length, from);
      compute(from, to, length, work);
      store(to, length, result, begin);
    }
  });
}

}  // namespace

bool evaluate_real(Call& call, const Array& x, const RealKernel& kernel, const void* work) {
  if (!is_float(x.type()) && !is_integer(x.type())) return call.fail_type();
  Array result = Array::make(x.type(), x.sizes());
  if (x.type() == ElementType::kFloat) {
    compute_straight<float>(x, result, kernel.floats, work);
  } else if (x.type() == ElementType::kDouble) {
    compute_straight<double>(x, result, kernel.doubles, work);
  } else if (is_float(x.type())) {
    compute_as<float>(x, result, kernel.floats, work);
  } else {
    compute_as<double>(x, result, kernel.doubles, work);
  }
  return call.done(std::move(result));
}

std::size_t trailing_axes(const Params& params, std::size_t rank_of_a, std::size_t rank_of_b) {
  if (!params.schema().attribute("broadcast") || !params.given("axis")) return 0;
  const auto axis = normal_axis(params.integer_or("axis", 0), rank_of_a);
  return axis && *axis + rank_of_b < rank_of_a ? rank_of_a - *axis - rank_of_b : 0;
}

Array second_operand(const Call& call) {
  const Array& b = call.array(1);
  const std::size_t more = trailing_axes(call.params, call.array(0).rank(), b.rank());
  if (more == 0) return b;
  Sizes sizes = b.sizes();
  sizes.resize(sizes.size() + more, 1);
  return b.reshaped(std::move(sizes));
}

bool first_keeps_shape(const Call& call, const Array& second) {
  if (!call.params.schema().attribute("broadcast")) return true;
  const Sizes* shapes[] = {&call.array(0).sizes(), &second.sizes()};
  return broadcast_sizes(shapes) == call.array(0).sizes();
}

void for_pieces(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work, std::size_t weight) {
  constexpr std::size_t kWorthThreads = std::size_t{1} << 18;
  const std::size_t piece = std::max<std::size_t>((kWorthThreads / 4) / std::max<std::size_t>(weight, 1), 1);
  if (count <= 4 * piece) return work(0, count);
  parallel_for((count + piece - 1) / piece, [&](std::size_t i) { work(i * piece, std::min((i + 1) * piece, count)); });
}

void infer_binary_shape(Inference& in) {
  const Shape *a = in.shape(0), *b = in.shape(1);
  if (!a || !b) return;
  if (in.params.schema().attribute("broadcast")) {  // in early versions A keeps its shape
    const bool may_differ = in.params.integer_or("broadcast", 0) != 0;
    if (!may_differ && !require_rank(in, 1, a->size())) return;
    for (std::size_t i = 0; !may_differ && i < a->size(); ++i) in.unify((*a)[i], (*b)[i]);
    return in.set_shape(*a);
  }
  Shape second = *b;
  second.resize(second.size() + trailing_axes(in.params, a->size(), b->size()), Dim::size(1));
  const Shape* shapes[] = {a, &second};
  if (auto shape = broadcast(in, shapes)) in.set_shape(std::move(*shape));
}

void infer_elements(Inference& in, const std::function<Dim(Dim, Dim)>& work) {
  if (in.result_count() == 0 || !in.elements(0) || !in.elements(1)) return;
  if (trailing_axes(in.params, in.operand(0).rank(), in.operand(1).rank()) != 0) return;
  const auto a = in.operand(0).sizes(), b = in.operand(1).sizes();
  if (!a || !b) return;
  const Sizes* shapes[] = {&*a, &*b};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || count_of(*sizes).value_or(kMostElementsKnown + 1) > kMostElementsKnown) return;
  std::vector<Dim> elements;
  const Walk walk(*sizes, shapes);
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i) {
      elements.push_back(work((*in.elements(0))[static_cast<std::size_t>(at[0] + i * walk.strides[0].back())],
                              (*in.elements(1))[static_cast<std::size_t>(at[1] + i * walk.strides[1].back())]));
    }
  });
  in.set_elements(0, std::move(elements));
}

void infer_elements(Inference& in, const std::function<Dim(Dim)>& work) {
  if (in.result_count() == 0 || !in.elements(0)) return;
  std::vector<Dim> elements;
  for (const Dim each : *in.elements(0)) elements.push_back(work(each));
  in.set_elements(0, std::move(elements));
}

Dim fitting(Inference& in, Dim value, ElementType type) {
  if (value.is_unknown()) return value;
  if (type == ElementType::kBool) return in.dims.at_least(value, 0) && in.dims.at_most(value, 1) ? value : Dim();
  if (!is_integer(type)) return Dim();
  const int bits = bits_of(type);
  const std::string_view name = name_of(type);
  const bool is_unsigned = name.starts_with('u');
  if (is_unsigned && !in.dims.at_least(value, 0)) return Dim();
  const int wide = std::min(bits - (is_unsigned ? 0 : 1), 62);
  const std::int64_t most = wide == 62 ? Dim::kMostSize : (std::int64_t{1} << wide) - 1;
  const auto low = in.dims.lower_bound(value), high = in.dims.upper_bound(value);
  if ((low && *low < -most - 1) || (high && *high > most)) return Dim();
  return bits >= 32 || (low && high) ? value : Dim();
}

void infer_splat(Inference& in) {
  if (in.result_count() == 0) return;
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    if (in.has(i) && !in.operand(i).is_splat) return;
  }
  in.result().is_splat = true;
}

void infer_bounded(Inference& in, double low, double high) {
  infer_same_shape(in);
  infer_splat(in);
  if (in.result_count() == 0) return;
  in.result().range = {low, high, in.operand(0).range.finite && high < std::numeric_limits<double>::infinity()};
}

}  // namespace onnxpress::ops
