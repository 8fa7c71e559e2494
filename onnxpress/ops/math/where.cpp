// Where, for all element types: elements are moved by their width.
#include "onnxpress/ops/math/where.h"

#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

namespace {

struct Sixteen {
  std::uint64_t halves[2];
};

template <typename T>
void choose(const Walk& walk, const Bool* conditions, const T* x, const T* y, T* to) {
  const std::int64_t length = walk.sizes.back();
  const std::int64_t step_c = walk.strides[0].back(), step_x = walk.strides[1].back(), step_y = walk.strides[2].back();
  walk.for_each_row([&](const Sizes& at) {
    const Bool* c = conditions + at[0];
    const T *from_x = x + at[1], *from_y = y + at[2];
    if (step_c == 1 && step_x == 1 && step_y == 1) {
      for (std::int64_t i = 0; i < length; ++i) to[i] = c[i] ? from_x[i] : from_y[i];
    } else {
      for (std::int64_t i = 0; i < length; ++i) to[i] = c[i * step_c] ? from_x[i * step_x] : from_y[i * step_y];
    }
    to += length;
  });
}

template <typename T>
bool choose_bytes(const Walk& walk, const Bool* conditions, const Array& x, const Array& y, Array& result) {
  choose(walk, conditions, reinterpret_cast<const T*>(x.bytes()), reinterpret_cast<const T*>(y.bytes()),
         reinterpret_cast<T*>(result.mutable_bytes()));
  return true;
}

bool choose_any(const Walk& walk, const Bool* conditions, const Array& x, const Array& y, Array& result) {
  switch (x.width()) {
    case 1:
      return choose_bytes<std::uint8_t>(walk, conditions, x, y, result);
    case 2:
      return choose_bytes<std::uint16_t>(walk, conditions, x, y, result);
    case 4:
      return choose_bytes<std::uint32_t>(walk, conditions, x, y, result);
    case 8:
      return choose_bytes<std::uint64_t>(walk, conditions, x, y, result);
    case 16:
      return choose_bytes<Sixteen>(walk, conditions, x, y, result);
    default:
      return false;
  }
}

// Sets expressions for the elements, with the three operands broadcast together.
void infer_where_elements(Inference& in) {
  const auto *c = in.elements(0), *x = in.elements(1), *y = in.elements(2);
  const auto sizes_c = in.operand(0).sizes(), sizes_x = in.operand(1).sizes(), sizes_y = in.operand(2).sizes();
  if (in.result_count() == 0 || !x || !y || !sizes_c || !sizes_x || !sizes_y) return;
  const Sizes* shapes[] = {&*sizes_c, &*sizes_x, &*sizes_y};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || count_of(*sizes).value_or(kMostElementsKnown + 1) > kMostElementsKnown) return;
  const Walk walk(*sizes, shapes);
  std::vector<Dim> elements;
  const auto at_step = [&](const std::vector<Dim>& list, const Sizes& at, std::size_t k, std::int64_t i) {
    return list[static_cast<std::size_t>(at[k] + i * walk.strides[k].back())];
  };
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i) {
      const Dim condition = c ? at_step(*c, at, 0, i) : Dim();
      const Dim one = at_step(*x, at, 1, i), other = at_step(*y, at, 2, i);
      const bool same = !one.is_unknown() && in.dims.equal(one, other);
      elements.push_back(condition == Dim::size(1) || same ? one : condition == Dim::size(0) ? other : Dim());
    }
  });
  in.set_elements(0, std::move(elements));
}

}  // namespace

bool evaluate_where(Call& call) {
  const Array &condition = call.array(0), &x = call.array(1), &y = call.array(2);
  if (condition.type() != ElementType::kBool || x.type() != y.type() || !is_known(x.type())) return call.fail_type();
  const Sizes* shapes[] = {&condition.sizes(), &x.sizes(), &y.sizes()};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes) return call.fail("the operands' shapes cannot be broadcast together");
  Array result = Array::make(x.type(), *sizes);
  const Walk walk(*sizes, shapes);
  const Bool* conditions = condition.data<Bool>().data();
  if (x.is_string()) {
    choose(walk, conditions, x.data<std::string>().data(), y.data<std::string>().data(),
           result.mutable_data<std::string>().data());
  } else if (!choose_any(walk, conditions, x, y, result)) {
    return call.fail_type();
  }
  return call.done(std::move(result));
}

void infer_where(Inference& in) {
  infer_broadcast(in);
  infer_splat(in);
  infer_where_elements(in);
  if (in.result_count() == 0) return;
  const Range &x = in.operand(1).range, &y = in.operand(2).range;
  in.result().range = {std::min(x.low, y.low), std::max(x.high, y.high), x.finite && y.finite};
}

}  // namespace onnxpress::ops
