// Finds the largest or smallest element along an axis; the first or the last of equal ones.
#include "onnxpress/ops/math/arg_max.h"

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/axis_layout.h"
#include "onnxpress/ops/kernels/elementwise.h"

namespace onnxpress::ops {

namespace {

template <typename T, typename Better>
void find_places(const AxisLayout& layout, const T* from, bool last, Better&& better, std::int64_t* to) {
  for (std::size_t i = 0; i < layout.outer; ++i) {
    const T* block = from + i * layout.length * layout.inner;
    for (std::size_t column = 0; column < layout.inner; ++column) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < layout.length; ++k) {
        const auto x = static_cast<Computed<T>>(block[k * layout.inner + column]);
        const auto y = static_cast<Computed<T>>(block[best * layout.inner + column]);
        if (better(x, y) || (last && x == y)) best = k;
      }
      *to++ = static_cast<std::int64_t>(best);
    }
  }
}

template <typename Better>
bool evaluate_extreme(Call& call, Better&& better) {
  const Array& x = call.array(0);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), x.rank());
  if (!axis) return call.fail("'axis' is out of range");
  const AxisLayout layout(x.sizes(), *axis);
  Sizes sizes = x.sizes();
  sizes[*axis] = 1;
  if (call.params.integer_or("keepdims", 1) != 1) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*axis));
  if (layout.length == 0 && layout.outer * layout.inner > 0) return call.fail("the axis has no elements");
  Array result = Array::make<std::int64_t>(sizes);
  if (result.count() == 0) return call.done(std::move(result));  // another axis may be empty while this one is long
  const bool last = call.params.flag("select_last_index");
  const bool done = dispatch(NumberTypes(), x.type(), [&]<typename T>() {
    find_places(layout, x.data<T>().data(), last, better, result.mutable_data<std::int64_t>().data());
  });
  return done ? call.done(std::move(result)) : call.fail_type();
}

}  // namespace

bool evaluate_arg_max(Call& call) {
  return evaluate_extreme(call, [](auto x, auto y) { return x > y; });
}
bool evaluate_arg_min(Call& call) {
  return evaluate_extreme(call, [](auto x, auto y) { return x < y; });
}

void infer_arg_extreme(Inference& in) {
  if (in.result_count() == 0) return;
  in.result().range = {0, std::numeric_limits<double>::infinity(), true};
  const Shape* x = in.shape(0);
  const auto axis = x ? required_axis(in, in.params.integer_or("axis", 0), x->size()) : std::nullopt;
  if (!axis) return;
  if (!require_flag(in, "keepdims")) return;
  Shape shape = *x;
  if (const auto size = shape[*axis].size(); size && *size > 0) in.result().range.high = static_cast<double>(*size - 1);
  shape[*axis] = Dim::size(1);
  if (in.params.integer_or("keepdims", 1) != 1) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  in.set_shape(std::move(shape));
}

}  // namespace onnxpress::ops
