// Ops that move elements: Transpose, DepthToSpace, Trilu and ReverseSequence are here; Slice, Pad, Expand and Tile have
// their own files.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"
#include "onnxpress/ops/tensor/pad.h"
#include "onnxpress/ops/tensor/repeat.h"
#include "onnxpress/ops/tensor/slice.h"

namespace onnxpress::ops {

namespace {

// --- Transpose

// The order of axes, reversed by default; nullopt when it is not a permutation.
std::optional<std::vector<std::size_t>> permutation_of(const Params& params, std::size_t rank) {
  std::vector<std::size_t> order;
  if (!params.given("perm")) {
    for (std::size_t axis = rank; axis-- > 0;) order.push_back(axis);
    return order;
  }
  const auto given = params.integers("perm");
  if (!given || given->size() != rank) return std::nullopt;
  if (std::any_of(given->begin(), given->end(), [](std::int64_t axis) { return axis < 0; })) return std::nullopt;
  return normal_axes(*given, rank);
}

bool evaluate_transpose(Call& call) {
  const Array& data = call.array(0);
  const auto order = permutation_of(call.params, data.rank());
  if (!order) return call.fail(fmt::format("perm is not a permutation of {} axes", data.rank()));
  const Sizes strides = strides_of(data.sizes());
  Sizes sizes;
  Layout layout;
  for (const std::size_t axis : *order) {
    sizes.push_back(data.size(axis));
    layout.strides.push_back(strides[axis]);
  }
  return call.done(block_of(data, layout, sizes, sizes));
}

void infer_transpose(Inference& in) {
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  const auto order = data ? permutation_of(in.params, data->size()) : std::nullopt;
  if (!order) {
    const auto given = in.params.integers("perm");
    if (given && data)
      in.contradict(fmt::format("perm is not a permutation of {} axes", data->size()));
    else if (given)
      in.set_rank(0, given->size());
    return;
  }
  Shape shape;
  for (const std::size_t axis : *order) shape.push_back((*data)[axis]);
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_transpose);
}

// --- DepthToSpace, SpaceToDepth

// Splits axes into those of `block`, reorders them, and merges them to `sizes`.
bool done_rearranged(Call& call, const Sizes& block, std::span<const std::size_t> order, Sizes sizes) {
  const Sizes strides = strides_of(block);
  Sizes moved;
  Layout layout;
  for (const std::size_t axis : order) {
    moved.push_back(block[axis]);
    layout.strides.push_back(strides[axis]);
  }
  return call.done(block_of(call.array(0), layout, moved, std::move(sizes)));
}

// The block size; 0 when it is not valid.
std::int64_t block_size(const Params& params) {
  const std::int64_t size = params.integer_or("blocksize", 0);
  return size > 0 && size < (1 << 20) ? size : 0;
}

// The block size if it and the shape of the operand are known; otherwise sets what else is known about the result.
std::optional<std::int64_t> known_block(Inference& in) {
  infer_moved_values(in);
  if (!require_rank(in, 0, 4) || !require_positive(in, "blocksize")) return std::nullopt;
  const std::int64_t block = block_size(in.params);
  if (in.shape(0) && block != 0) return block;
  in.set_rank(0, 4);
  return std::nullopt;
}

void infer_depth_to_space(Inference& in) {
  const auto block = known_block(in);
  if (!block) return;
  const Shape* data = in.shape(0);
  const Dim size = Dim::size(*block), area = Dim::size(*block * *block);
  in.set_shape(
      {(*data)[0], in.dims.exact_div((*data)[1], area), in.dims.mul((*data)[2], size), in.dims.mul((*data)[3], size)});
}

bool evaluate_depth_to_space(Call& call) {
  const Array& data = call.array(0);
  const std::int64_t b = block_size(call.params);
  if (data.rank() != 4 || b == 0 || data.size(1) % (b * b) != 0)
    return call.fail(fmt::format("blocks of size {} do not match shape {}", b, to_string(data.sizes())));
  const Sizes& x = data.sizes();
  const std::int64_t depth = x[1] / (b * b);
  const Sizes sizes{x[0], depth, x[2] * b, x[3] * b};
  if (call.params.text_or("mode", "DCR") == "CRD")
    return done_rearranged(call, {x[0], depth, b, b, x[2], x[3]}, std::array<std::size_t, 6>{0, 1, 4, 2, 5, 3}, sizes);
  return done_rearranged(call, {x[0], b, b, depth, x[2], x[3]}, std::array<std::size_t, 6>{0, 3, 4, 1, 5, 2}, sizes);
}

void infer_space_to_depth(Inference& in) {
  const auto block = known_block(in);
  if (!block) return;
  const Shape* data = in.shape(0);
  const Dim size = Dim::size(*block), area = Dim::size(*block * *block);
  in.set_shape({(*data)[0], in.dims.mul((*data)[1], area), in.dims.exact_div((*data)[2], size),
                in.dims.exact_div((*data)[3], size)});
}

bool evaluate_space_to_depth(Call& call) {
  const Array& data = call.array(0);
  const std::int64_t b = block_size(call.params);
  if (data.rank() != 4 || b == 0 || data.size(2) % b != 0 || data.size(3) % b != 0)
    return call.fail(fmt::format("blocks of size {} do not match shape {}", b, to_string(data.sizes())));
  const Sizes& x = data.sizes();
  const Sizes block{x[0], x[1], x[2] / b, b, x[3] / b, b}, sizes{x[0], x[1] * b * b, x[2] / b, x[3] / b};
  if (call.params.text_or("mode", "DCR") == "CRD")
    return done_rearranged(call, block, std::array<std::size_t, 6>{0, 1, 3, 5, 2, 4}, sizes);
  return done_rearranged(call, block, std::array<std::size_t, 6>{0, 3, 5, 1, 2, 4}, sizes);
}

// --- Trilu

bool evaluate_trilu(Call& call) {
  const Array& data = call.array(0);
  if (data.rank() < 2) return call.fail(fmt::format("the operand has rank {}, less than 2", data.rank()));
  const auto given = call.params.given("k") ? call.params.integer("k") : 0;
  if (!given) return call.fail("k is not a single integer");
  const bool upper = call.params.flag("upper");
  const std::int64_t rows = data.size(data.rank() - 2), columns = data.size(data.rank() - 1);
  const std::int64_t k = std::clamp(*given, -rows - 1, columns + 1);
  Array made = zeros(data.type(), data.sizes());
  const auto row_count = columns == 0 ? 0 : static_cast<std::int64_t>(data.count()) / columns;
  dispatch_width(data, [&]<typename U>() {
    const U* from = units_of<U>(data);
    U* to = mutable_units_of<U>(made);
    for (std::int64_t row = 0; row < row_count; ++row) {
      // Upper keeps the columns from the diagonal on, lower those up to it.
      const std::int64_t diagonal = row % rows + k;
      const std::int64_t begin = upper ? std::clamp<std::int64_t>(diagonal, 0, columns) : 0;
      const std::int64_t end = upper ? columns : std::clamp<std::int64_t>(diagonal + 1, 0, columns);
      std::copy(from + row * columns + begin, from + row * columns + end, to + row * columns + begin);
    }
  });
  return call.done(std::move(made));
}

void infer_trilu(Inference& in) {
  if (!require_rank_at_least(in, 0, 2)) return;
  if (in.result_count() == 0) return;
  in.same_as(0, 0);
  in.result().range = join(in.operand(0).range, {0, 0, true});
  infer_moved_elements(in, evaluate_trilu);
}

// --- ReverseSequence

bool evaluate_reverse_sequence(Call& call) {
  const Array& data = call.array(0);
  const std::int64_t time = call.params.integer_or("time_axis", 0), batch = call.params.integer_or("batch_axis", 1);
  if (data.rank() < 2 || time + batch != 1 || time * batch != 0)
    return call.fail("the time and batch axes must be the first two");
  const auto time_axis = static_cast<std::size_t>(time), batch_axis = static_cast<std::size_t>(batch);
  const auto lengths = call.array(1).integers();
  if (!lengths || lengths->size() != static_cast<std::size_t>(data.size(batch_axis)))
    return call.fail(fmt::format("there must be {} sequence lengths", data.size(batch_axis)));
  Array made = Array::make(data.type(), data.sizes());
  const Sizes strides = strides_of(data.sizes());
  for (std::size_t i = 0; i < lengths->size(); ++i) {
    const std::int64_t length = (*lengths)[i], rest = data.size(time_axis) - length;
    if (length < 0 || rest < 0) return call.fail(fmt::format("sequence length {} is out of range", length));
    const std::int64_t offset = static_cast<std::int64_t>(i) * strides[batch_axis];
    Sizes block = data.sizes(), backwards = strides;
    block[batch_axis] = 1;
    block[time_axis] = length;
    backwards[time_axis] = -strides[time_axis];
    copy_block(block, data, {offset + (length - 1) * strides[time_axis], backwards}, made, {offset, strides});
    block[time_axis] = rest;
    const Layout tail{offset + length * strides[time_axis], strides};
    copy_block(block, data, tail, made, tail);
  }
  return call.done(std::move(made));
}

void infer_reverse_sequence(Inference& in) {
  if (!require_rank_at_least(in, 0, 2) || !require_rank(in, 1, 1)) return;
  in.same_as(0, 0);
  infer_moved(in, evaluate_reverse_sequence);
}

constexpr OpDef kMovementRows[] = {
    // ONNX Runtime compares its shape with one of int64.
    {.name = "CenterCropPad",
     .traits = kTypeMatters,
     .infer = infer_center_crop_pad,
     .evaluate = evaluate_center_crop_pad,
     .cost = cost_nothing},
    {.name = "DepthToSpace", .traits = kMovesData, .infer = infer_depth_to_space, .evaluate = evaluate_depth_to_space},
    {.name = "Expand",
     .traits = kMovesData | kDecodes,
     .infer = infer_expand,
     .evaluate = evaluate_expand,
     .ort_lacks = type_set(ElementType::kBfloat16)},
    // Inference of the onnx package reads only axes that are int64, and ONNX Runtime then does not load the model.
    {.name = "Pad",
     .traits = kDecodes | kTypeMatters,
     .infer = infer_pad,
     .evaluate = evaluate_pad,
     .cost = cost_nothing},
    {.name = "Pad", .domain = "com.microsoft", .infer = infer_pad, .evaluate = evaluate_pad, .cost = cost_nothing},
    {.name = "ReverseSequence",
     .traits = kMovesData,
     .infer = infer_reverse_sequence,
     .evaluate = evaluate_reverse_sequence},
    {.name = "Slice",
     .traits = kMovesData | kDecodes,
     .infer = infer_slice,
     .evaluate = evaluate_slice,
     .cost = cost_gather},
    {.name = "SpaceToDepth", .traits = kMovesData, .infer = infer_space_to_depth, .evaluate = evaluate_space_to_depth},
    {.name = "Tile",
     .traits = kMovesData | kDecodes,
     .infer = infer_tile_one_axis,
     .evaluate = evaluate_tile_one_axis,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    {.name = "Tile",
     .since = 6,
     .traits = kMovesData | kDecodes,
     .infer = infer_tile,
     .evaluate = evaluate_tile,
     .ort_lacks = type_set(ElementType::kFloat16, ElementType::kBfloat16)},
    {.name = "Transpose", .traits = kMovesData | kDecodes, .infer = infer_transpose, .evaluate = evaluate_transpose},
    {.name = "Trilu", .traits = kDecodes, .infer = infer_trilu, .evaluate = evaluate_trilu, .cost = cost_nothing},
    {.name = "Trilu",
     .domain = "com.microsoft",
     .infer = infer_trilu,
     .evaluate = evaluate_trilu,
     .cost = cost_nothing},
};

}  // namespace

Family movement() { return kMovementRows; }

}  // namespace onnxpress::ops
