// Gather and its relatives.
#include "onnxpress/ops/tensor/gather.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

bool normalize_indices(std::vector<std::int64_t>& indices, std::int64_t size) {
  for (std::int64_t& index : indices) {
    if (index < -size || index >= size) return false;
    if (index < 0) index += size;
  }
  return true;
}

Array gathered(const Array& data, std::size_t axis, std::span<const std::int64_t> indices, const Sizes& sizes) {
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Sizes result(data.sizes().begin(), data.sizes().begin() + at);
  result.insert(result.end(), sizes.begin(), sizes.end());
  result.insert(result.end(), data.sizes().begin() + at + 1, data.sizes().end());
  Array made = Array::make(data.type(), std::move(result));
  if (made.count() == 0) return made;
  const std::int64_t outer = product(data.sizes(), 0, axis), inner = product(data.sizes(), axis + 1, data.rank());
  dispatch_width(data, [&]<typename U>() {
    const U* from = units_of<U>(data);
    U* to = mutable_units_of<U>(made);
    for (std::int64_t i = 0; i < outer; ++i, from += data.size(axis) * inner) {
      if (inner == 1) {
        for (const std::int64_t index : indices) *to++ = from[index];
      } else {
        for (const std::int64_t index : indices) to = std::copy_n(from + index * inner, inner, to);
      }
    }
  });
  return made;
}

bool evaluate_gather(Call& call) {
  const Array &data = call.array(0), &indices = call.array(1);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), data.rank());
  if (!axis) return call.fail(fmt::format("the axis is out of range for an operand of rank {}", data.rank()));
  auto list = indices.integers();
  if (!list) return call.fail_type();
  if (!normalize_indices(*list, data.size(*axis)))
    return call.fail(fmt::format("an index is out of range for size {}", data.size(*axis)));
  Sizes sizes = data.sizes();
  sizes[*axis] = static_cast<std::int64_t>(list->size());
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  return call.done(gathered(data, *axis, *list, indices.sizes()));
}

namespace {

// Checkers and runtimes only look at indices when they gather.
void warn_of_indices(Inference& in, std::size_t axis) {
  const auto size = in.dims.resolve((*in.shape(0))[axis]).size();
  const Array* indices = size ? in.constant(1) : nullptr;
  const auto list = indices ? indices->integers() : std::nullopt;
  if (!list) return;
  const auto wrong = std::ranges::find_if(*list, [size](std::int64_t each) { return each < -*size || each >= *size; });
  if (wrong == list->end()) return;
  in.warn(fmt::format("no run can gather index {} of axis {}, which has size {}", *wrong, axis, *size));
}

}  // namespace

void infer_gather(Inference& in) {
  infer_moved_values(in);
  const Shape *data = in.shape(0), *indices = in.shape(1);
  if (!data || !indices || !require_rank_at_least(in, 0, 1)) return;
  const auto axis = required_axis(in, in.params.integer_or("axis", 0), data->size());
  if (!axis) return;
  warn_of_indices(in, *axis);
  Shape shape(data->begin(), data->begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), data->begin() + static_cast<std::ptrdiff_t>(*axis) + 1, data->end());
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_gather);
}

// --- GatherElements

void infer_gather_elements(Inference& in) {
  in.same_as(0, 1);
  infer_moved(in, evaluate_gather_elements);
  const auto axis = in.shape(0) ? normal_axis(in.params.integer_or("axis", 0), in.shape(0)->size()) : std::nullopt;
  if (axis) warn_of_indices(in, *axis);
}

bool evaluate_gather_elements(Call& call) {
  const Array &data = call.array(0), &indices = call.array(1);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), data.rank());
  auto list = indices.integers();
  if (!axis || !list || indices.rank() != data.rank())
    return call.fail("the axis or the indices do not match the operand");
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (i != *axis && indices.size(i) > data.size(i))
      return call.fail(fmt::format("there are {} indices along axis {} of size {}", indices.size(i), i, data.size(i)));
  }
  if (!normalize_indices(*list, data.size(*axis)))
    return call.fail(fmt::format("an index is out of range for size {}", data.size(*axis)));
  Array made = Array::make(data.type(), indices.sizes());
  if (made.count() == 0) return call.done(std::move(made));
  // Goes row by row along the last axis: `base` is the start of a row without the gathered axis, to which the index
  // adds its part.
  const Sizes strides = strides_of(data.sizes());
  const std::size_t last = data.rank() - 1;
  const std::int64_t length = indices.size(last), index_stride = strides[*axis], step = *axis == last ? 0 : 1;
  Sizes at(data.rank(), 0);
  dispatch_width(data, [&]<typename U>() {
    const U* from = units_of<U>(data);
    U* to = mutable_units_of<U>(made);
    for (std::size_t row = 0; row < list->size(); row += static_cast<std::size_t>(length)) {
      std::int64_t base = 0;
      for (std::size_t i = 0; i < last; ++i) base += i == *axis ? 0 : at[i] * strides[i];
      for (std::int64_t j = 0; j < length; ++j)
        *to++ = from[base + j * step + (*list)[row + static_cast<std::size_t>(j)] * index_stride];
      for (std::size_t i = last; i-- > 0;) {
        if (++at[i] < indices.size(i)) break;
        at[i] = 0;
      }
    }
  });
  return call.done(std::move(made));
}

// --- GatherND

void infer_gather_nd(Inference& in) {
  infer_moved_values(in);
  const Shape *data = in.shape(0), *indices = in.shape(1);
  if (!data || !indices || !require_rank_at_least(in, 0, 1) || !require_rank_at_least(in, 1, 1)) return;
  const auto depth = in.dims.resolve(indices->back()).size();
  const std::int64_t batch = in.params.integer_or("batch_dims", 0), rank = static_cast<std::int64_t>(data->size());
  if (depth && batch >= 0 && batch <= rank && *depth > rank - batch)
    return in.contradict(
        fmt::format("indices have {} coordinates, but operand 0 has {} axes for them", *depth, rank - batch));
  if (!depth || *depth < 0 || batch < 0 || static_cast<std::uint64_t>(batch) >= indices->size() ||
      static_cast<std::uint64_t>(*depth) + static_cast<std::uint64_t>(batch) > data->size())
    return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) in.unify((*data)[i], (*indices)[i]);
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + *depth + batch, data->end());
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_gather_nd);
}

bool evaluate_gather_nd(Call& call) {
  const Array &data = call.array(0), &indices = call.array(1);
  const auto list = indices.integers();
  const std::int64_t batch_dims = call.params.integer_or("batch_dims", 0);
  if (!list || indices.rank() == 0 || batch_dims < 0 || batch_dims >= static_cast<std::int64_t>(indices.rank()))
    return call.fail("the indices or batch_dims do not match the operand");
  const auto batch = static_cast<std::size_t>(batch_dims);
  const auto depth = static_cast<std::size_t>(indices.sizes().back());
  if (batch + depth > data.rank() ||
      !std::equal(data.sizes().begin(), data.sizes().begin() + batch_dims, indices.sizes().begin()))
    return call.fail(fmt::format("indices of shape {} do not match an operand of shape {}", to_string(indices.sizes()),
                                 to_string(data.sizes())));
  Sizes sizes(indices.sizes().begin(), indices.sizes().end() - 1);
  sizes.insert(sizes.end(), data.sizes().begin() + static_cast<std::ptrdiff_t>(batch + depth), data.sizes().end());
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array made = Array::make(data.type(), std::move(sizes));
  if (made.count() == 0) return call.done(std::move(made));
  const Sizes strides = strides_of(data.sizes());
  const std::int64_t slice = product(data.sizes(), batch + depth, data.rank());
  const std::int64_t batches = product(data.sizes(), 0, batch),
                     batch_stride = product(data.sizes(), batch, data.rank());
  const std::int64_t per_batch = product(indices.sizes(), batch, indices.rank() - 1);
  bool inside = true;
  dispatch_width(data, [&]<typename U>() {
    const std::int64_t* index = list->data();
    U* to = mutable_units_of<U>(made);
    for (std::int64_t i = 0; i < batches * per_batch && inside; ++i) {
      std::int64_t offset = i / per_batch * batch_stride;
      for (std::size_t k = 0; k < depth; ++k, ++index) {
        const std::int64_t size = data.size(batch + k);
        inside &= *index >= -size && *index < size;
        if (inside) offset += (*index < 0 ? *index + size : *index) * strides[batch + k];
      }
      if (inside) to = std::copy_n(units_of<U>(data) + offset, slice, to);
    }
  });
  return inside ? call.done(std::move(made)) : call.fail("an index is out of range");
}

// --- Compress

void infer_compress(Inference& in) {
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  if (!in.params.given("axis")) return in.set_shape({in.fresh(0, 0)});
  const auto axis = data ? required_axis(in, in.params.integer_or("axis", 0), data->size()) : std::nullopt;
  if (!axis) return;
  Shape shape = *data;
  shape[*axis] = in.fresh(0, *axis);
  in.set_shape(std::move(shape));
}

bool evaluate_compress(Call& call) {
  const bool flat = !call.params.given("axis");
  const Array& given = call.array(0);
  const Array data = flat ? given.reshaped({static_cast<std::int64_t>(given.count())}) : given;
  const auto axis = flat ? std::optional<std::size_t>(0) : normal_axis(call.params.integer_or("axis", 0), data.rank());
  const auto condition = call.array(1).integers();
  if (!axis || !condition || data.rank() == 0) return call.fail("the axis or the condition does not match the operand");
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < condition->size(); ++i) {
    if ((*condition)[i] == 0) continue;
    if (static_cast<std::int64_t>(i) >= data.size(*axis)) return call.fail("the condition is longer than the axis");
    kept.push_back(static_cast<std::int64_t>(i));
  }
  return call.done(gathered(data, *axis, kept, {static_cast<std::int64_t>(kept.size())}));
}

}  // namespace onnxpress::ops
