// MaxUnpool.
#include "onnxpress/ops/nn/unpool.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/pool_window.h"

namespace onnxpress::ops {

namespace {

// The input size for which such windows give `size` results.
std::int64_t unpooled(const PoolAxis& axis, std::int64_t size) {
  return (size - 1) * axis.stride + axis.kernel - axis.pad_begin - axis.pad_end;
}

// Converts the offset of an element from the shape `from` to the shape `to`, which has the same rank and is not
// smaller.
std::int64_t moved(std::int64_t offset, std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
  std::int64_t result = 0, stride = 1;
  for (std::size_t axis = from.size(); axis-- > 0; offset /= from[axis], stride *= to[axis])
    result += offset % from[axis] * stride;
  return result;
}

}  // namespace

namespace {

bool require_unpooled(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x) return true;
  if (!require_rank_at_least(in, 0, 2)) return false;
  const std::size_t axes = x->size() - 2;
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();
  if (!require_list(in, "kernel_shape", axes, kAny, false) || !require_list(in, "strides", axes, kAny, false) ||
      !require_list(in, "pads", 2 * axes, kAny, false))
    return false;
  if (!in.has(2)) return require_rank_at_least(in, 1, 2);
  if (!require_rank(in, 2, 1)) return false;
  const Shape* wanted = in.shape(2);
  const auto count = wanted ? in.dims.resolve(wanted->front()).size() : std::nullopt;
  if (!count || *count == static_cast<std::int64_t>(x->size())) return true;
  in.contradict(fmt::format("output_shape has {} entries, but needs {}", *count, x->size()));
  return false;
}

}  // namespace

void infer_max_unpool(Inference& in) {
  if (!require_unpooled(in)) return;
  if (in.params.given("output_shape")) {
    if (const auto wanted = in.symbolic("output_shape")) {
      in.set_shape(*wanted);
    } else if (const Shape* x = in.shape(0)) {
      in.set_rank(0, x->size());
    }
    return;
  }
  const Shape* x = in.shape(0);
  const auto window = PoolWindow::from(in.params);
  if (!x || !window || x->size() != window->axes.size() + 2) return;
  Shape y = *x;
  for (std::size_t i = 0; i < window->axes.size(); ++i) {
    const PoolAxis& axis = window->axes[i];
    const Dim steps = in.dims.mul(in.dims.sub(y[i + 2], Dim::size(1)), Dim::size(axis.stride));
    y[i + 2] = in.dims.add(steps, Dim::size(axis.kernel - axis.pad_begin - axis.pad_end));
  }
  in.set_shape(y);
}

bool evaluate_max_unpool(Call& call) {
  const Array &x = call.array(0), &indices = call.array(1);
  const auto window = PoolWindow::from(call.params);
  if (!window || x.rank() != window->axes.size() + 2) return call.fail("kernel_shape, strides or pads do not match");
  if (x.is_string() || indices.type() != ElementType::kInt64) return call.fail_type();
  if (indices.sizes() != x.sizes()) return call.fail("the indices do not have the shape of the input");
  Sizes natural = x.sizes();
  for (std::size_t i = 0; i < window->axes.size(); ++i) natural[i + 2] = unpooled(window->axes[i], x.size(i + 2));
  Sizes sizes = natural;
  if (call.has(2)) {
    const auto wanted = call.params.integers("output_shape");
    if (!wanted || wanted->size() != x.rank()) return call.fail("output_shape must have one size per axis");
    sizes = *wanted;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < natural[i]) return call.fail("output_shape is smaller than the windows need");
    }
  }
  const auto count = count_of(natural);
  if (!count || !count_of(sizes)) return call.fail("the result's sizes are not valid");
  Array y = Array::make(x.type(), sizes);
  std::memset(y.mutable_bytes(), 0, y.count() * y.width());
  for (std::size_t i = 0; i < x.count(); ++i) {
    const std::int64_t index = indices.data<std::int64_t>()[i];
    if (index < 0 || static_cast<std::uint64_t>(index) >= *count) return call.fail("an index is out of range");
    // Indices refer to the natural shape; a larger output_shape only adds zeros at the end of axes, as in the official
    // test data.
    const auto at = static_cast<std::size_t>(sizes == natural ? index : moved(index, natural, sizes));
    std::memcpy(y.mutable_bytes() + at * y.width(), x.bytes() + i * x.width(), x.width());
  }
  return call.done(std::move(y));
}

}  // namespace onnxpress::ops
