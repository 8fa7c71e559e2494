// Pad in its four modes, and CenterCropPad.
#include "onnxpress/ops/tensor/pad.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// In the first version the parameter is called `paddings`.
std::string_view pads_name(const Params& params) { return params.given("paddings") ? "paddings" : "pads"; }

// The axes that pads or sizes refer to; all by default.
std::optional<std::vector<std::size_t>> chosen_axes(const Params& params, std::size_t rank) {
  if (params.given("axes")) {
    const auto axes = params.integers("axes");
    return axes ? normal_axes(*axes, rank) : std::nullopt;
  }
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Numbers of elements to add at both ends of every axis; negative ones remove elements.
struct Pads {
  Sizes begin, end;
};

std::optional<Pads> pads_of(const Params& params, std::size_t rank) {
  const auto list = params.integers(pads_name(params));
  const auto axes = chosen_axes(params, rank);
  if (!list || !axes || list->size() != 2 * axes->size()) return std::nullopt;
  Pads pads{Sizes(rank, 0), Sizes(rank, 0)};
  for (std::size_t i = 0; i < axes->size(); ++i) {
    pads.begin[(*axes)[i]] = (*list)[i];
    pads.end[(*axes)[i]] = (*list)[axes->size() + i];
  }
  return pads;
}

// The value to fill in: a scalar of the data's type; nullopt for zeros.
bool constant_of(Call& call, std::optional<Array>& value) {
  const ElementType type = call.array(0).type();
  for (const std::string_view name : {"constant_value", "value"}) {
    const int position = call.params.schema().operand(name);
    if (position < 0 || !call.has(static_cast<std::size_t>(position))) continue;
    value = call.array(static_cast<std::size_t>(position));
    if (value->type() != type || value->count() != 1)
      return call.fail("the constant must be one element of the type of the data");
    return true;
  }
  const auto number = call.params.attribute("value") ? call.params.real("value") : std::nullopt;
  if (!number) return true;
  return dispatch(FloatTypes(), type,
                  [&]<typename T>() { value = Array::scalar(static_cast<T>(static_cast<Computed<T>>(*number))); }) ||
         call.fail_type();
}

// The part of the data that is kept, and where it goes, for pads of either sign.
struct Kept {
  Sizes sizes, from, to;
};

std::optional<Kept> kept_part(const Sizes& data, const Pads& pads, Sizes& result) {
  Kept kept;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    const std::int64_t before = pads.begin[axis], after = pads.end[axis];
    if (before < -kFar || before > kFar || after < -kFar || after > kFar) return std::nullopt;
    const std::int64_t cut_before = std::max<std::int64_t>(-before, 0), cut_after = std::max<std::int64_t>(-after, 0);
    if (data[axis] + before + after < 0 || cut_before + cut_after > data[axis]) return std::nullopt;
    result.push_back(data[axis] + before + after);
    kept.sizes.push_back(data[axis] - cut_before - cut_after);
    kept.from.push_back(cut_before);
    kept.to.push_back(std::max<std::int64_t>(before, 0));
  }
  return kept;
}

std::int64_t offset_of(const Sizes& at, const Sizes& strides) {
  return std::inner_product(at.begin(), at.end(), strides.begin(), std::int64_t{0});
}

Array padded_with(const Array& data, const Kept& kept, Sizes sizes, const Array* value) {
  Array made = Array::make(data.type(), std::move(sizes));
  fill(made, value);
  const Sizes from = strides_of(data.sizes()), to = strides_of(made.sizes());
  copy_block(kept.sizes, data, {offset_of(kept.from, from), from}, made, {offset_of(kept.to, to), to});
  return made;
}

enum class Mode { kConstant, kReflect, kEdge, kWrap };

std::optional<Mode> mode_named(std::string_view name) {
  if (name == "constant") return Mode::kConstant;
  if (name == "reflect") return Mode::kReflect;
  if (name == "edge") return Mode::kEdge;
  if (name == "wrap") return Mode::kWrap;
  return std::nullopt;
}

// The index in [0, size) that replaces an index outside of this range.
std::int64_t folded(std::int64_t index, std::int64_t size, Mode mode) {
  if (mode == Mode::kEdge || size == 1) return std::clamp<std::int64_t>(index, 0, size - 1);
  const std::int64_t period = mode == Mode::kWrap ? size : 2 * (size - 1);
  const std::int64_t inside = (index % period + period) % period;
  return inside < size ? inside : period - inside;
}

// For each index of each result axis, the offset of its element in the data.
std::vector<Sizes> sources_of(const Sizes& data, const Kept& kept, const Sizes& result, Mode mode) {
  const Sizes strides = strides_of(data);
  std::vector<Sizes> sources;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    Sizes& source = sources.emplace_back(static_cast<std::size_t>(result[axis]));
    for (std::int64_t i = 0; i < result[axis]; ++i)
      source[static_cast<std::size_t>(i)] =
          (kept.from[axis] + folded(i - kept.to[axis], kept.sizes[axis], mode)) * strides[axis];
  }
  return sources;
}

// result[i, j, k] = data[sources[0][i] + sources[1][j] + sources[2][k]], row by row.
template <typename U>
void take_rows(const std::vector<Sizes>& sources, const U* from, U* to) {
  if (sources.empty()) {
    *to = *from;
    return;
  }
  const Sizes& last = sources.back();
  const std::size_t outer = sources.size() - 1;
  std::vector<std::size_t> at(outer, 0);
  while (true) {
    std::int64_t row = 0;
    for (std::size_t axis = 0; axis < outer; ++axis) row += sources[axis][at[axis]];
    for (const std::int64_t source : last) *to++ = from[row + source];
    std::size_t axis = outer;
    while (axis > 0 && ++at[axis - 1] == sources[axis - 1].size()) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace

void infer_pad(Inference& in) {
  const Shape* data = in.shape(0);
  if (!data || in.result_count() == 0) return;
  const std::string_view name = pads_name(in.params);
  const auto pads = in.symbolic(name);
  const auto axes = chosen_axes(in.params, data->size());
  if (const int position = in.params.schema().operand(name); position >= 0) {
    const auto operand = static_cast<std::size_t>(position);
    if (is_stated(in, operand) && !require_rank(in, operand, 1)) return;
  }
  if (axes && !require_length(in, name, 2 * axes->size())) return;
  const bool constant = in.params.text_or("mode", "constant") == "constant";
  if (!constant) infer_moved_values(in);
  if (!pads || !axes || pads->size() != 2 * axes->size()) return set_fresh_shape(in, data->size());
  Shape shape = *data;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    Dim& dim = shape[(*axes)[i]];
    dim = in.dims.add(dim, in.dims.add((*pads)[i], (*pads)[axes->size() + i]));
    dim = known_or_fresh(in, dim, 0, (*axes)[i]);
  }
  in.set_shape(std::move(shape));
  const bool zero_filled = !in.has(2) && !in.params.attribute("value");
  if (constant && (zero_filled || in.has(2)))
    in.result().range = join(in.operand(0).range, zero_filled ? Range{0, 0, true} : in.operand(2).range);
  if (!constant || in.params.schema().operand("pads") >= 0) infer_moved_elements(in, evaluate_pad, 0b101);
}

bool evaluate_pad(Call& call) {
  const Array& data = call.array(0);
  const auto pads = pads_of(call.params, data.rank());
  if (!pads) return call.fail(fmt::format("the pads do not match an operand of rank {}", data.rank()));
  const auto mode = mode_named(call.params.text_or("mode", "constant"));
  if (!mode) return call.fail("the mode is not known");
  Sizes sizes;
  const auto kept = kept_part(data.sizes(), *pads, sizes);
  if (!kept || !count_of(sizes)) return call.fail("the padded shape is not valid");
  if (*mode == Mode::kConstant) {
    std::optional<Array> value;
    if (!constant_of(call, value)) return false;
    return call.done(padded_with(data, *kept, std::move(sizes), value ? &*value : nullptr));
  }
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (kept->sizes[axis] == 0 && sizes[axis] > 0) return call.fail("an empty axis can be padded only with a constant");
  }
  Array made = Array::make(data.type(), sizes);
  if (made.count() > 0) {
    const auto sources = sources_of(data.sizes(), *kept, sizes, *mode);
    dispatch_width(data, [&]<typename U>() { take_rows(sources, units_of<U>(data), mutable_units_of<U>(made)); });
  }
  return call.done(std::move(made));
}

void infer_center_crop_pad(Inference& in) {
  const Shape* data = in.shape(0);
  if (!data || in.result_count() == 0) return;
  in.result().range = join(in.operand(0).range, {0, 0, true});
  const auto target = in.symbolic("shape");
  const auto axes = chosen_axes(in.params, data->size());
  if (axes && !require_length(in, "shape", axes->size())) return;
  if (!target || !axes || target->size() != axes->size()) return set_fresh_shape(in, data->size());
  Shape shape = *data;
  for (std::size_t i = 0; i < axes->size(); ++i) shape[(*axes)[i]] = known_or_fresh(in, (*target)[i], 0, (*axes)[i]);
  in.set_shape(std::move(shape));
  infer_moved_elements(in, evaluate_center_crop_pad);
}

bool evaluate_center_crop_pad(Call& call) {
  const Array& data = call.array(0);
  const auto target = call.params.integers("shape");
  const auto axes = chosen_axes(call.params, data.rank());
  if (!target || !axes || target->size() != axes->size())
    return call.fail(fmt::format("the shape or axes do not match an operand of rank {}", data.rank()));
  Pads pads{Sizes(data.rank(), 0), Sizes(data.rank(), 0)};
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if ((*target)[i] < 0 || (*target)[i] > static_cast<std::int64_t>(kMostElements))
      return call.fail("a size is not valid");
    // Half of the difference is added or removed at the front, rounded towards zero.
    const std::size_t axis = (*axes)[i];
    const std::int64_t difference = (*target)[i] - data.size(axis);
    pads.begin[axis] = difference / 2;
    pads.end[axis] = difference - pads.begin[axis];
  }
  Sizes sizes;
  const auto kept = kept_part(data.sizes(), pads, sizes);
  if (!kept || !count_of(sizes)) return call.fail("the shape has too many elements");
  return call.done(padded_with(data, *kept, std::move(sizes), nullptr));
}

}  // namespace onnxpress::ops
