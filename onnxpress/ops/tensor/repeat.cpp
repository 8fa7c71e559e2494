// Expand and Tile: strides of 0 do the work.
#include "onnxpress/ops/tensor/repeat.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

void infer_expand(Inference& in) {
  if (!require_rank(in, 1, 1)) return;
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  const auto target = in.symbolic("shape");
  if (!data || !target) return;
  const std::size_t rank = std::max(data->size(), target->size());
  Shape shape(rank, Dim::size(1));
  for (std::size_t i = 0; i < rank; ++i) {
    const bool has_data = i + data->size() >= rank, has_target = i + target->size() >= rank;
    const Dim own = has_data ? (*data)[i + data->size() - rank] : Dim::size(1);
    const Dim wanted = has_target ? (*target)[i + target->size() - rank] : Dim::size(1);
    // A dim of 2 or more cannot be repeated, so it stays, whatever the target. A target of 2 or more is always reached.
    shape[i] = wanted.is_unknown() && in.dims.at_least(own, 2)   ? own
               : own.is_unknown() && in.dims.at_least(wanted, 2) ? wanted
                                                                 : in.dims.broadcast(own, wanted);
    if (!own.is_unknown()) shape[i] = known_or_fresh(in, shape[i], 0, i);
  }
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_expand);
}

bool evaluate_expand(Call& call) {
  const Array& data = call.array(0);
  const auto target = call.params.integers("shape");
  if (!target) return call.fail("the shape is not a list of integers");
  const Sizes* shapes[] = {&data.sizes(), &*target};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || !count_of(*sizes))
    return call.fail(fmt::format("shape {} cannot be expanded to {}", to_string(data.sizes()), to_string(*target)));
  if (*sizes == data.sizes()) return call.done(data);
  Layout layout{0, Sizes(sizes->size(), 0)};
  const Sizes strides = strides_of(data.sizes());
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    if (data.size(axis) != 1) layout.strides[sizes->size() - data.rank() + axis] = strides[axis];
  }
  return call.done(block_of(data, layout, *sizes, *sizes));
}

namespace {

void set_tiled(Inference& in, const std::vector<Dim>& repeats) {
  Shape shape = *in.shape(0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape[axis].is_unknown()) shape[axis] = known_or_fresh(in, in.dims.mul(shape[axis], repeats[axis]), 0, axis);
  }
  in.set_shape(std::move(shape));
}

bool done_tiled(Call& call, const Sizes& repeats) {
  const Array& data = call.array(0);
  const Sizes strides = strides_of(data.sizes());
  // Every axis becomes two: one for the repeats, and the axis itself.
  Sizes sizes, block;
  Layout layout;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    const auto size = count_of(Sizes{repeats[axis], data.size(axis)});
    if (!size) return call.fail(fmt::format("{} repeats are not possible", repeats[axis]));
    sizes.push_back(static_cast<std::int64_t>(*size));
    block.insert(block.end(), {repeats[axis], data.size(axis)});
    layout.strides.insert(layout.strides.end(), {0, strides[axis]});
  }
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  return call.done(block_of(data, layout, block, std::move(sizes)));
}

}  // namespace

void infer_tile(Inference& in) {
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  if (!data) return;
  const auto repeats = in.symbolic("repeats");
  if (is_stated(in, 1) && (!require_rank(in, 1, 1) || !require_length(in, "repeats", data->size()))) return;
  if (repeats && std::ranges::any_of(*repeats, [](Dim each) { return each.size().value_or(0) < 0; }))
    return in.contradict("a number of repeats is below 0");
  set_tiled(in, repeats && repeats->size() == data->size() ? *repeats : std::vector<Dim>(data->size()));
  infer_moved_elements(in, evaluate_tile);
}

bool evaluate_tile(Call& call) {
  const auto repeats = call.params.integers("repeats");
  if (!repeats || repeats->size() != call.array(0).rank())
    return call.fail(fmt::format("the repeats do not match an operand of rank {}", call.array(0).rank()));
  return done_tiled(call, *repeats);
}

namespace {

// The number of repeats of each axis, for the version with `tiles` and `axis`, which have the type of the data.
std::optional<Sizes> tiles_of(const Params& params, std::size_t rank) {
  const auto tiles = params.real("tiles"), axis = params.real("axis");
  if (!tiles || !axis || !(*tiles >= 0 && *tiles <= static_cast<double>(kMostElements)) ||
      !(*axis >= -64 && *axis <= 64))
    return std::nullopt;
  const auto normal = normal_axis(static_cast<std::int64_t>(*axis), rank);
  if (!normal) return std::nullopt;
  Sizes repeats(rank, 1);
  repeats[*normal] = static_cast<std::int64_t>(*tiles);
  return repeats;
}

}  // namespace

void infer_tile_one_axis(Inference& in) {
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  if (!data) return;
  std::vector<Dim> repeats(data->size());
  if (const auto known = tiles_of(in.params, data->size())) {
    for (std::size_t axis = 0; axis < repeats.size(); ++axis) repeats[axis] = Dim::size((*known)[axis]);
  }
  set_tiled(in, repeats);
}

bool evaluate_tile_one_axis(Call& call) {
  const auto repeats = tiles_of(call.params, call.array(0).rank());
  return repeats ? done_tiled(call, *repeats) : call.fail("the tiles or the axis is not valid");
}

}  // namespace onnxpress::ops
