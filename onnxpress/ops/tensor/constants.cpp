// Constant in all its forms, ConstantOfShape, Range, EyeLike.
#include "onnxpress/ops/tensor/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/tensor_fact.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// The content of a tensor in an attribute; nullopt, with the reason in `why`, when it is damaged or its file is
// missing.
template <typename T>
std::optional<Array> read(const T& tensor, std::string& why) {
  try {
    return Array::from(tensor);
  } catch (const Error& error) {
    why = error.what();
    return std::nullopt;
  }
}

Array array_of_texts(std::span<const std::string_view> texts, Sizes sizes) {
  Array made = Array::make<std::string>(std::move(sizes));
  std::copy(texts.begin(), texts.end(), made.mutable_data<std::string>().begin());
  return made;
}

std::optional<Array> constant_of(const Params& params, std::string& why) {
  if (const Tensor* tensor = params.tensor("value")) return read(*tensor, why);
  if (const SparseTensor* sparse = params.sparse_tensor("sparse_value")) return read(*sparse, why);
  if (const auto number = params.integer("value_int")) return Array::scalar(*number);
  if (const auto number = params.real("value_float")) return Array::scalar(static_cast<float>(*number));
  if (const auto text = params.text("value_string")) return array_of_texts({&*text, 1}, {});
  if (const auto list = params.integers("value_ints")) return Array::of<std::int64_t>(*list);
  if (const auto list = params.reals("value_floats")) return Array::of<float>(*list);
  if (const auto list = params.texts("value_strings"))
    return array_of_texts(*list, {static_cast<std::int64_t>(list->size())});
  why = "the constant has no value";
  return std::nullopt;
}

// The element that ConstantOfShape repeats.
std::optional<Array> repeated_element(const Params& params, std::string& why) {
  if (!params.given("value")) return Array::scalar(0.0F);
  const Tensor* tensor = params.tensor("value");
  auto value = tensor ? read(*tensor, why) : std::nullopt;
  if (value && value->count() == 1) return value->reshaped({});
  if (why.empty()) why = "the value must be a tensor of one element";
  return std::nullopt;
}

}  // namespace

void infer_constant(Inference& in) {
  std::size_t values = 0;
  for (const Attribute* attribute : in.params.node().attributes())
    values += attribute->name.starts_with("value") || attribute->name == "sparse_value" ? 1 : 0;
  if (values != 1) return in.contradict(fmt::format("has {} values, but must have one", values));
  if (const Tensor* tensor = in.params.tensor("value")) return in.set(0, fact_of_tensor(*tensor));
  std::string why;
  if (const auto value = constant_of(in.params, why)) in.set(0, Fact::of(*value));
}

bool evaluate_constant(Call& call) {
  std::string why;
  auto value = constant_of(call.params, why);
  return value ? call.done(std::move(*value)) : call.fail(std::move(why));
}

void infer_constant_of_shape(Inference& in) {
  if (in.result_count() == 0) return;
  if (const Tensor* given = in.params.tensor("value"); given && given->dims.size() != 1)
    return in.contradict(fmt::format("value has rank {}, but must have rank 1", given->dims.size()));
  std::string why;
  const auto value = repeated_element(in.params, why);
  if (!value) return;
  const Fact element = Fact::of(*value);
  in.set_element(0, element.element);
  in.result().range = element.range;
  in.result().is_splat = true;
  const auto target = in.symbolic("input");
  if (!target) return;
  const auto below = std::ranges::find_if(*target, [](Dim dim) { return dim.size().value_or(0) < 0; });
  if (below != target->end()) return in.contradict(fmt::format("the shape has the entry {}", *below->size()));
  Shape shape;
  for (std::size_t i = 0; i < target->size(); ++i) shape.push_back(known_or_fresh(in, (*target)[i], 0, i));
  in.set_shape(std::move(shape));
  const auto sizes = in.result().sizes();
  const auto count = sizes ? count_of(*sizes) : std::nullopt;
  if (element.elements && count && *count <= kMostElementsKnown)
    in.set_elements(0, std::vector<Dim>(*count, element.elements->front()));
}

bool evaluate_constant_of_shape(Call& call) {
  const auto sizes = call.params.integers("input");
  if (!sizes) return call.fail("the shape is not a list of sizes");
  if (!count_of(*sizes)) return call.fail("the shape has a negative size, or more elements than memory can hold");
  std::string why;
  const auto value = repeated_element(call.params, why);
  if (!value) return call.fail(std::move(why));
  Array made = Array::make(value->type(), *sizes);
  fill(made, &*value);
  return call.done(std::move(made));
}

namespace {

// How many steps of `delta` fit between start and limit, rounded up, at least 0.
Dim step_count(Inference& in, Dim start, Dim limit, Dim delta) {
  const auto step = in.dims.resolve(delta).size();
  if (!step || *step == 0) return Dim();
  const Dim distance = *step > 0 ? in.dims.sub(limit, start) : in.dims.sub(start, limit);
  const Dim count = in.dims.ceil_div(distance, Dim::size(std::abs(*step)));
  return in.dims.at_least(count, 0) ? count : in.dims.max(count, Dim::size(0));
}

void infer_integer_range(Inference& in, Dim start, Dim limit, Dim delta) {
  const Dim count = step_count(in, start, limit, delta);
  in.set_shape({known_or_fresh(in, count, 0, 0)});
  const auto step = in.dims.resolve(delta).size();
  if (!step) return;
  const auto low = in.dims.lower_bound(*step > 0 ? start : limit),
             high = in.dims.upper_bound(*step > 0 ? limit : start);
  if (low) in.result().range.low = static_cast<double>(*low);
  if (high) in.result().range.high = static_cast<double>(*high);
  in.result().range.finite = true;
  if (const auto size = count.size(); size && static_cast<std::uint64_t>(*size) <= kMostElementsKnown) {
    std::vector<Dim> elements;
    for (std::int64_t i = 0; i < *size; ++i) elements.push_back(in.dims.add(start, in.dims.mul(Dim::size(i), delta)));
    in.set_elements(0, std::move(elements));
  }
}

// The number of elements of Range; -1 if there are too many.
template <typename T>
std::int64_t range_count(T start, T limit, T delta) {
  if constexpr (std::is_integral_v<T>) {
    // The distance of two 64-bit integers may not fit in a signed 64-bit integer.
    const bool up = delta > 0;
    if (up ? limit <= start : limit >= start) return 0;
    const auto distance =
        static_cast<std::uint64_t>(up ? limit : start) - static_cast<std::uint64_t>(up ? start : limit);
    const std::uint64_t step = up ? static_cast<std::uint64_t>(delta) : 0 - static_cast<std::uint64_t>(delta);
    const std::uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
    return count > kMostElements ? -1 : static_cast<std::int64_t>(count);
  } else {
    const double count = std::ceil(static_cast<double>(limit - start) / static_cast<double>(delta));
    if (std::isnan(count) || count > static_cast<double>(kMostElements)) return -1;
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
  }
}

template <typename T>
bool fill_range(Call& call) {
  using C = Computed<T>;
  const auto start = static_cast<C>(call.array(0).data<T>()[0]), limit = static_cast<C>(call.array(1).data<T>()[0]);
  const auto delta = call.has(2) ? static_cast<C>(call.array(2).data<T>()[0]) : static_cast<C>(1);
  if (delta == 0) return call.fail("the step is 0");
  const std::int64_t count = range_count(start, limit, delta);
  if (count < 0) return call.fail("the range has too many elements");
  Array made = Array::make<T>({count});
  const auto to = made.mutable_data<T>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      to[i] = static_cast<T>(static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(delta));
    } else {
      to[i] = static_cast<T>(start + static_cast<C>(i) * delta);
    }
  }
  return call.done(std::move(made));
}

}  // namespace

void infer_range(Inference& in) {
  if (in.result_count() == 0) return;
  in.set_rank(0, 1);
  const bool reads_all = is_stated(in, 0) && is_stated(in, 1) && is_stated(in, 2);
  for (const std::size_t i : {0, 1, 2}) {
    if (reads_all && !require_rank(in, i, 0)) return;
  }
  const ElementType type = in.result().element;
  const auto one = [&](std::size_t i) {
    const auto* elements = in.elements(i);
    return elements && elements->size() == 1 ? elements->front() : Dim();
  };
  if (is_integer(type)) {
    infer_integer_range(in, one(0), one(1), in.has(2) ? one(2) : Dim::size(1));
    return;
  }
  const auto start = in.params.real("start"), limit = in.params.real("limit"), delta = in.params.real("delta");
  const bool known = start && limit && (delta || !in.has(2)) && type != ElementType::kUndefined;
  // Computed in the element type, because rounding decides whether the last step is taken.
  const double step = delta.value_or(1);
  std::int64_t count = -1;
  if (known && step != 0) {
    count = type == ElementType::kDouble
                ? range_count(*start, *limit, step)
                : range_count(static_cast<float>(*start), static_cast<float>(*limit), static_cast<float>(step));
  }
  in.set_shape({count >= 0 ? Dim::size(count) : in.fresh(0, 0)});
}

bool evaluate_range(Call& call) {
  const ElementType type = call.array(0).type();
  for (std::size_t i = 0; i < (call.has(2) ? 3U : 2U); ++i) {
    if (call.array(i).type() != type || call.array(i).count() != 1)
      return call.fail("start, limit and delta must be scalars of one type");
  }
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                         ElementType::kInt16, ElementType::kInt32, ElementType::kInt64>;
  return dispatch(Types(), type, [&]<typename T>() { return fill_range<T>(call); }) ||
         (call.why().empty() && call.fail_type());
}

namespace {

ElementType eye_type(const Params& params, ElementType otherwise) {
  const auto given = params.integer("dtype");
  return given ? static_cast<ElementType>(*given) : otherwise;
}

}  // namespace

void infer_eye_like(Inference& in) {
  if (in.result_count() == 0 || !require_rank(in, 0, 2)) return;
  in.set_element(0, eye_type(in.params, in.operand(0).element));
  in.same_as(0, 0);
  in.result().range = {0, 1, true};
}

bool evaluate_eye_like(Call& call) {
  const Array& like = call.array(0);
  if (like.rank() != 2) return call.fail(fmt::format("the operand has rank {}, not 2", like.rank()));
  const std::int64_t rows = like.size(0), columns = like.size(1), shift = call.params.integer_or("k", 0);
  using Types =
      TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
               ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16, ElementType::kUint32,
               ElementType::kInt32, ElementType::kUint64, ElementType::kInt64, ElementType::kBool>;
  const ElementType type = eye_type(call.params, like.type());
  return dispatch(Types(), type,
                  [&]<typename T>() {
                    Array made = zeros(type, like.sizes());
                    T* to = made.mutable_data<T>().data();
                    for (std::int64_t row = 0; row < rows; ++row) {
                      // Compared without adding, which could overflow: shift may be any 64-bit integer.
                      if (shift >= -row && shift < columns - row)
                        to[row * columns + row + shift] = static_cast<T>(Computed<T>(1));
                    }
                    return call.done(std::move(made));
                  }) ||
         call.fail_type();
}

}  // namespace onnxpress::ops
