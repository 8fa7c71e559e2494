// Running sums and products along an axis, computed in double or 64-bit integers.
#include "onnxpress/ops/math/cumulate.h"

#include "onnxpress/ops/kernels/axis_layout.h"
#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

namespace {

struct Direction {
  bool exclusive, reverse;
};

template <typename T, typename Work>
void cumulate(const AxisLayout& layout, Direction direction, T start, Work&& work, const T* from, T* to) {
  const auto step = static_cast<std::ptrdiff_t>(layout.inner) * (direction.reverse ? -1 : 1);
  for (std::size_t i = 0; i < layout.outer; ++i) {
    for (std::size_t column = 0; column < layout.inner; ++column) {
      const std::size_t first = direction.reverse ? layout.length - 1 : 0;
      auto at = static_cast<std::ptrdiff_t>((i * layout.length + first) * layout.inner + column);
      T total = start;
      for (std::size_t k = 0; k < layout.length; ++k, at += step) {
        const T next = work(total, from[at]);
        to[at] = direction.exclusive ? total : next;
        total = next;
      }
    }
  }
}

template <typename Work>
bool evaluate_cumulated(Call& call, int start, Work&& work) {
  const Array& x = call.array(0);
  const auto given = call.params.integer("axis");
  const auto axis = given ? normal_axis(*given, x.rank()) : std::nullopt;
  if (!axis) return call.fail("'axis' is not a single number within the rank");
  if (!is_float(x.type()) && !is_integer(x.type())) return call.fail_type();
  // Integers are computed unsigned: the low bits of sums and products do not depend on the sign.
  const auto wide = converted(x, is_float(x.type()) ? ElementType::kDouble : ElementType::kUint64);
  const Direction direction = {call.params.flag("exclusive"), call.params.flag("reverse")};
  Array result = Array::make(wide->type(), x.sizes());
  if (x.count() > 0) {
    dispatch(TypeList<ElementType::kDouble, ElementType::kUint64>(), wide->type(), [&]<typename T>() {
      cumulate<T>(AxisLayout(x.sizes(), *axis), direction, static_cast<T>(start), work, wide->data<T>().data(),
                  result.mutable_data<T>().data());
    });
  }
  return call.done(*converted(result, x.type()));
}

}  // namespace

bool evaluate_cum_sum(Call& call) {
  return evaluate_cumulated(call, 0, [](auto a, auto b) { return a + b; });
}
bool evaluate_cum_prod(Call& call) {
  return evaluate_cumulated(call, 1, [](auto a, auto b) { return a * b; });
}

void infer_cumulated(Inference& in) { infer_same_shape(in); }

}  // namespace onnxpress::ops
