// Scattering: the loop over indices is the same for all types; a function per type and reduction writes each element.
#include "onnxpress/ops/tensor/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/moved_elements.h"
#include "onnxpress/ops/tensor/gather.h"

namespace onnxpress::ops {

namespace {

// to[i] = to[i] (+, *, min, max) from[i], or from[i] without a reduction.
using Combine = void (*)(void* to, const void* from, std::int64_t count);

template <typename T, typename Work>
void combine(void* to, const void* from, std::int64_t count) {
  auto* into = static_cast<T*>(to);
  const auto* of = static_cast<const T*>(from);
  for (std::int64_t i = 0; i < count; ++i)
    into[i] = static_cast<T>(Work()(static_cast<Computed<T>>(into[i]), static_cast<Computed<T>>(of[i])));
}

template <typename U>
void replace(void* to, const void* from, std::int64_t count) {
  std::copy_n(static_cast<const U*>(from), count, static_cast<U*>(to));
}

struct Sum {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x + y; }, a, b);
  }
};
struct Product {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x * y; }, a, b);
  }
};
// A NaN on either side wins, as in NumPy.
struct Smaller {
  template <typename T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;  // NOLINT(misc-redundant-expression): is it a nan
  }
};
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;  // NOLINT(misc-redundant-expression)
  }
};

// Null when the reduction is not known, or not defined for this type.
Combine combine_for(const Array& data, std::string_view reduction) {
  Combine found = nullptr;
  if (reduction == "none") {
    dispatch_width(data, [&]<typename U>() { found = replace<U>; });
    return found;
  }
  dispatch(NumberTypes(), data.type(), [&]<typename T>() {
    if (reduction == "add") found = combine<T, Sum>;
    if (reduction == "mul") found = combine<T, Product>;
    if (reduction == "min") found = combine<T, Smaller>;
    if (reduction == "max") found = combine<T, Larger>;
  });
  if (data.type() == ElementType::kBool) {
    if (reduction == "add" || reduction == "max") found = combine<Bool, Larger>;
    if (reduction == "mul" || reduction == "min") found = combine<Bool, Smaller>;
  }
  return found;
}

std::string_view reduction_of(const Params& params) { return params.text_or("reduction", "none"); }

Array copied(const Array& data) {
  Array made = Array::make(data.type(), data.sizes());
  const Sizes strides = strides_of(data.sizes());
  copy_block(data.sizes(), data, {0, strides}, made, {0, strides});
  return made;
}

// Applies an update at positions in two arrays of any element type.
struct Bases {
  std::byte* to;
  const std::byte* from;
  std::int64_t width;

  Bases(Array& into, const Array& updates)
      : to(into.mutable_bytes()), from(updates.bytes()), width(static_cast<std::int64_t>(into.width())) {}
  void apply(Combine combine_them, std::int64_t into, std::int64_t of, std::int64_t count) const {
    combine_them(to + into * width, from + of * width, count);
  }
};

// The result has the shape of operand 0.
void infer_scatter(Inference& in) {
  if (in.result_count() == 0) return;
  in.same_as(0, 0);
  if (reduction_of(in.params) != "none") return;
  const std::size_t updates = in.params.schema().operand("update") >= 0 ? 1 : 2;
  in.result().range = join(in.operand(0).range, in.operand(updates).range);
}

}  // namespace

void infer_scatter_elements(Inference& in) {
  infer_scatter(in);
  if (reduction_of(in.params) == "none") infer_moved_elements(in, evaluate_scatter_elements, 0b101);
}

void infer_scatter_nd(Inference& in) {
  infer_scatter(in);
  if (reduction_of(in.params) == "none") infer_moved_elements(in, evaluate_scatter_nd, 0b101);
}

void infer_tensor_scatter(Inference& in) {
  const Shape* data = in.shape(0);
  if (data &&
      (!required_axis(in, in.params.integer_or("axis", -2), data->size()) || !require_rank(in, 1, data->size())))
    return;
  infer_scatter(in);
}

bool evaluate_scatter_elements(Call& call) {
  const Array &data = call.array(0), &indices = call.array(1), &updates = call.array(2);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), data.rank());
  auto list = indices.integers();
  if (!axis || !list || indices.rank() != data.rank() || indices.sizes() != updates.sizes() ||
      updates.type() != data.type())
    return call.fail("the axis, the indices or the updates do not match the operand");
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (i != *axis && indices.size(i) > data.size(i))
      return call.fail(fmt::format("there are {} indices along axis {} of size {}", indices.size(i), i, data.size(i)));
  }
  if (!normalize_indices(*list, data.size(*axis)))
    return call.fail(fmt::format("an index is out of range for size {}", data.size(*axis)));
  const Combine combine_them = combine_for(data, reduction_of(call.params));
  if (!combine_them) return call.fail("the reduction is not known for this type");
  Array made = copied(data);
  const Bases bases(made, updates);
  const Sizes strides = strides_of(data.sizes());
  Sizes at(data.rank(), 0);
  std::int64_t offset = 0;  // of the element, without the scattered axis
  for (std::size_t k = 0; k < list->size(); ++k) {
    bases.apply(combine_them, offset + (*list)[k] * strides[*axis], static_cast<std::int64_t>(k), 1);
    for (std::size_t i = data.rank(); i-- > 0;) {
      const std::int64_t stride = i == *axis ? 0 : strides[i];
      offset += stride;
      if (++at[i] < indices.size(i)) break;
      offset -= stride * indices.size(i);
      at[i] = 0;
    }
  }
  return call.done(std::move(made));
}

bool evaluate_scatter_nd(Call& call) {
  const Array &data = call.array(0), &indices = call.array(1), &updates = call.array(2);
  // There may be many more indices than elements, so indices of the standard's type are not copied.
  const bool is_plain = indices.type() == ElementType::kInt64;
  const auto converted = is_plain ? std::nullopt : indices.integers();
  if ((!is_plain && !converted) || indices.rank() == 0 || data.rank() == 0 || updates.type() != data.type())
    return call.fail("the operands' shapes do not match");
  const auto depth = static_cast<std::size_t>(indices.sizes().back());
  if (depth > data.rank())
    return call.fail(fmt::format("indices of length {} for an operand of rank {}", depth, data.rank()));
  Sizes expected(indices.sizes().begin(), indices.sizes().end() - 1);
  expected.insert(expected.end(), data.sizes().begin() + static_cast<std::ptrdiff_t>(depth), data.sizes().end());
  if (updates.sizes() != expected)
    return call.fail(fmt::format("the updates have shape {}, not {}", to_string(updates.sizes()), to_string(expected)));
  const Combine combine_them = combine_for(data, reduction_of(call.params));
  if (!combine_them) return call.fail("the reduction is not known for this type");
  Array made = copied(data);
  if (updates.count() == 0) return call.done(std::move(made));
  const Bases bases(made, updates);
  const Sizes strides = strides_of(data.sizes());
  const std::int64_t slice = product(data.sizes(), depth, data.rank());
  const std::int64_t* index = is_plain ? indices.data<std::int64_t>().data() : converted->data();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(updates.count()) / slice; ++i) {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < depth; ++k, ++index) {
      const std::int64_t size = data.size(k);
      if (*index < -size || *index >= size)
        return call.fail(fmt::format("index {} is out of range for size {}", *index, size));
      offset += (*index < 0 ? *index + size : *index) * strides[k];
    }
    bases.apply(combine_them, offset, i * slice, slice);
  }
  return call.done(std::move(made));
}

bool evaluate_tensor_scatter(Call& call) {
  const Array &past = call.array(0), &update = call.array(1);
  const auto axis = normal_axis(call.params.integer_or("axis", -2), past.rank());
  if (!axis || *axis == 0 || update.rank() != past.rank() || update.type() != past.type())
    return call.fail("the axis or the update does not match the cache");
  Sizes expected = past.sizes();
  expected[*axis] = update.size(*axis);
  const std::int64_t batch = past.size(0), capacity = past.size(*axis), length = update.size(*axis);
  auto starts = call.has(2) ? call.array(2).integers() : std::vector<std::int64_t>(static_cast<std::size_t>(batch), 0);
  if (update.sizes() != expected || length > capacity || !starts || starts->size() != static_cast<std::size_t>(batch))
    return call.fail("the update or the write indices do not match the cache");
  const bool circular = call.params.text_or("mode", "linear") == "circular";
  Array made = copied(past);
  const Sizes to = strides_of(past.sizes()), from = strides_of(update.sizes());
  for (std::int64_t b = 0; b < batch; ++b) {
    std::int64_t start = (*starts)[static_cast<std::size_t>(b)];
    if (circular && capacity > 0) start %= capacity;
    if (start < 0 || (!circular && start > capacity - length))
      return call.fail(fmt::format("write index {} is out of range", start));
    // At most two pieces: up to the end of the cache, and the rest at its beginning.
    const std::int64_t first = std::min(length, capacity - start);
    Sizes block = update.sizes();
    block[0] = 1;
    block[*axis] = first;
    copy_block(block, update, {b * from[0], from}, made, {b * to[0] + start * to[*axis], to});
    block[*axis] = length - first;
    copy_block(block, update, {b * from[0] + first * from[*axis], from}, made, {b * to[0], to});
  }
  return call.done(std::move(made));
}

}  // namespace onnxpress::ops
