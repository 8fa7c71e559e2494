// Joins and splits tensors along an axis: Concat and Split, and their forms with sequences.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/concatenated.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// --- Concat

bool done_concatenated(Call& call, std::span<const Array> parts, std::size_t axis) {
  auto whole = concatenated(parts, axis);
  return whole ? call.done(std::move(*whole))
               : call.fail(fmt::format("the shapes cannot be concatenated along axis {}", axis));
}

// In the first version the axis was optional, with 1 as the default.
std::int64_t concat_axis(const Params& params) { return params.integer_or("axis", 1); }

bool evaluate_concat(Call& call) {
  std::vector<Array> parts;
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    if (call.has(i)) parts.push_back(call.array(i));
  }
  const auto axis = parts.empty() ? std::nullopt : normal_axis(concat_axis(call.params), parts[0].rank());
  return axis ? done_concatenated(call, parts, *axis) : call.fail("there are no operands, or the axis is out of range");
}

// The rank of some operands may be unknown: those add an unknown size.
void infer_concat(Inference& in) {
  if (in.result_count() == 0 || in.operand_count() == 0) return;
  std::optional<Shape> shape;
  Range range = in.operand(0).range;
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    range = join(range, in.operand(i).range);
    if (in.shape(i) && !shape) shape = *in.shape(i);
  }
  in.result().range = range;
  const auto axis = shape ? required_axis(in, concat_axis(in.params), shape->size()) : std::nullopt;
  if (!axis) return;
  Dim total = Dim::size(0);
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    const Shape* part = in.shape(i);
    if (part && part->size() != shape->size())
      return in.contradict(fmt::format("operands have {} and {} dims", shape->size(), part->size()));
    total = in.dims.add(total, part ? (*part)[*axis] : Dim());
    for (std::size_t k = 0; part && k < part->size(); ++k) {
      if (k == *axis || (*part)[k].is_unknown()) continue;
      if ((*shape)[k].is_unknown()) (*shape)[k] = (*part)[k];
      in.unify((*shape)[k], (*part)[k]);
    }
  }
  (*shape)[*axis] = total;
  in.set_shape(std::move(*shape));
  infer_moved_elements(in, evaluate_concat, ~std::uint64_t{0});
}

// --- Split

Array part_of(const Array& data, std::size_t axis, std::int64_t begin, std::int64_t length) {
  Sizes sizes = data.sizes();
  sizes[axis] = length;
  const Sizes strides = strides_of(data.sizes());
  return block_of(data, {begin * strides[axis], strides}, sizes, sizes);
}

// Equal parts. If the count is a parameter, the last part may be smaller. Nullopt when there is no such split.
std::optional<Sizes> equal_parts(const Params& params, std::int64_t size, std::size_t count) {
  const auto parts = static_cast<std::int64_t>(count);
  if (parts == 0 || (!params.given("num_outputs") && size % parts != 0)) return std::nullopt;
  const std::int64_t each = size / parts + (size % parts != 0 ? 1 : 0);
  Sizes lengths(count, each);
  lengths.back() = size - each * (parts - 1);
  return lengths.back() < 0 ? std::nullopt : std::optional(lengths);
}

bool evaluate_split(Call& call) {
  const Array& data = call.array(0);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), data.rank());
  if (!axis) return call.fail(fmt::format("the axis is out of range for an operand of rank {}", data.rank()));
  const auto lengths = call.params.given("split") ? call.params.integers("split")
                                                  : equal_parts(call.params, data.size(*axis), call.result_count());
  if (!lengths || lengths->size() != call.result_count())
    return call.fail(fmt::format("size {} cannot be split into {} parts", data.size(*axis), call.result_count()));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < lengths->size(); ++i) {
    const std::int64_t length = (*lengths)[i];
    if (length < 0 || length > data.size(*axis) - begin)
      return call.fail("the parts do not add up to the size of the axis");
    if (call.wants(i)) call.set(i, part_of(data, *axis, begin, length));
    begin += length;
  }
  return begin == data.size(*axis) ? true : call.fail("the parts do not add up to the size of the axis");
}

// The sizes of the parts as expressions.
std::vector<Dim> part_sizes(Inference& in, Dim size) {
  const std::size_t count = in.result_count();
  const Dim parts = Dim::size(static_cast<std::int64_t>(count));
  if (in.params.given("split")) {
    const auto given = in.symbolic("split");
    return given && given->size() == count ? *given : std::vector<Dim>(count);
  }
  if (!in.params.given("num_outputs")) return std::vector<Dim>(count, in.dims.exact_div(size, parts));
  const Dim each = in.dims.ceil_div(size, parts);
  std::vector<Dim> lengths(count, each);
  lengths.back() = in.dims.sub(size, in.dims.mul(each, in.dims.sub(parts, Dim::size(1))));
  return lengths;
}

// The sizes of the parts are given in one way, and there is one for each part.
bool require_parts_of(Inference& in) {
  const bool has_count = in.params.attribute("num_outputs") != nullptr, has_sizes = in.params.given("split");
  if (in.params.schema().attribute("num_outputs") && has_count == has_sizes) {
    in.contradict(has_count ? "has both split and num_outputs" : "has neither split nor num_outputs");
    return false;
  }
  return require_positive(in, "num_outputs") && (!has_sizes || require_length(in, "split", in.result_count()));
}

// Without sizes, all parts are equal.
bool require_equal_parts(Inference& in, Dim whole) {
  if (in.params.given("split") || in.params.given("num_outputs")) return true;
  const auto size = in.dims.resolve(whole).size();
  const auto count = static_cast<std::int64_t>(in.result_count());
  if (!size || *size % count == 0) return true;
  in.contradict(fmt::format("{} cannot be divided into {} equal parts", *size, count));
  return false;
}

void infer_split(Inference& in) {
  if (in.result_count() == 0 || !require_parts_of(in)) return;
  infer_moved_values(in);
  const Shape* data = in.shape(0);
  const auto axis = data ? required_axis(in, in.params.integer_or("axis", 0), data->size()) : std::nullopt;
  if (!axis || !require_equal_parts(in, (*data)[*axis])) return;
  const std::vector<Dim> lengths = part_sizes(in, (*data)[*axis]);
  if (in.params.given("split")) {
    Dim total = Dim::size(0);
    for (const Dim length : lengths) total = in.dims.add(total, length);
    in.unify(total, (*data)[*axis]);
  }
  for (std::size_t i = 0; i < in.result_count(); ++i) {
    Shape shape = *data;
    shape[*axis] = in.params.given("split") ? known_or_fresh(in, lengths[i], i, *axis) : lengths[i];
    in.set_shape(i, std::move(shape));
  }
  infer_moved_elements(in, evaluate_split);
}

// --- SplitToSequence

bool evaluate_split_to_sequence(Call& call) {
  const Array& data = call.array(0);
  const auto axis = normal_axis(call.params.integer_or("axis", 0), data.rank());
  if (!axis) return call.fail(fmt::format("the axis is out of range for an operand of rank {}", data.rank()));
  const std::int64_t size = data.size(*axis);
  const bool drops_axis = !call.has(1) && call.params.integer_or("keepdims", 1) != 1;
  Sizes lengths;
  if (call.has(1) && call.array(1).rank() > 0) {
    lengths = call.array(1).integers().value_or(Sizes());
  } else {
    const std::int64_t each = call.has(1) ? call.params.integer_or("split", 0) : 1;
    if (each <= 0) return call.fail(fmt::format("parts of size {} are not possible", each));
    for (std::int64_t begin = 0; begin < size; begin += std::min(each, size - begin))
      lengths.push_back(std::min(each, size - begin));
  }
  Sequence parts;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    if (length < 0 || length > size - begin) return call.fail("the parts do not add up to the size of the axis");
    Array part = part_of(data, *axis, begin, length);
    if (drops_axis) {
      Sizes sizes = part.sizes();
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(*axis));
      part = part.reshaped(std::move(sizes));
    }
    parts.emplace_back(std::move(part));
    begin += length;
  }
  if (begin != size) return call.fail("the parts do not add up to the size of the axis");
  return call.done(Datum(std::move(parts)));
}

// The size of each part of an axis of size `whole`, if all parts have the same. A scalar is the size of a part, and a
// list has the size of every part.
std::optional<std::int64_t> equal_part(Inference& in, std::optional<std::int64_t> whole) {
  const auto sizes = in.has(1) && in.operand(1).has_rank() ? in.params.integers("split") : std::nullopt;
  if (!sizes) return std::nullopt;
  if (sizes->empty()) {
    in.contradict("split has no entries");
    return std::nullopt;
  }
  if (in.operand(1).rank() == 0) {
    if (sizes->front() <= 0) in.contradict(fmt::format("split is {}, but must be positive", sizes->front()));
    const bool divides = sizes->front() > 0 && whole && *whole % sizes->front() == 0;
    return divides && Dim::fits(sizes->front()) ? std::optional(sizes->front()) : std::nullopt;
  }
  std::int64_t sum = 0;
  for (const std::int64_t each : *sizes) {
    if (each < 0 || each > std::numeric_limits<std::int64_t>::max() - sum) return std::nullopt;
    sum += each;
  }
  if (whole && sum != *whole)
    in.contradict(fmt::format("the sizes of the parts add up to {}, but the axis has size {}", sum, *whole));
  const bool equal = std::adjacent_find(sizes->begin(), sizes->end(), std::not_equal_to<>()) == sizes->end();
  return equal && Dim::fits(sizes->front()) ? std::optional(sizes->front()) : std::nullopt;
}

void infer_split_to_sequence(Inference& in) {
  const Fact& data = in.operand(0);
  Fact part = Fact::tensor(data.element);
  part.range = data.range;
  const auto axis = data.shape ? required_axis(in, in.params.integer_or("axis", 0), data.rank()) : std::nullopt;
  if (axis) {
    part.shape = *data.shape;
    Dim& size = (*part.shape)[*axis];
    const auto whole = size.size();
    size = in.has(1) ? Dim() : Dim::size(1);
    if (const auto each = equal_part(in, whole)) size = Dim::size(*each);
    if (!in.has(1) && in.params.integer_or("keepdims", 1) != 1)
      part.shape->erase(part.shape->begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  in.set(0, {.kind = Fact::Kind::kSequence, .inner = std::make_shared<const Fact>(std::move(part))});
}

// --- ConcatFromSequence

bool evaluate_concat_from_sequence(Call& call) {
  const Sequence* sequence = call.has(0) ? call.datum(0).sequence() : nullptr;
  if (!sequence || sequence->empty()) return call.fail("the operand is not a sequence with elements");
  const bool stacks = call.params.flag("new_axis");
  std::vector<Array> parts;
  for (const Datum& each : *sequence) {
    if (!each.array()) return call.fail("the sequence does not hold tensors");
    parts.push_back(*each.array());
  }
  const auto axis = normal_axis(call.params.integer_or("axis", 0), parts[0].rank() + (stacks ? 1 : 0));
  if (!axis) return call.fail(fmt::format("the axis is out of range for elements of rank {}", parts[0].rank()));
  if (!stacks) return done_concatenated(call, parts, *axis);
  auto whole = stacked(parts, *axis);
  return whole ? call.done(std::move(*whole)) : call.fail("the elements have different shapes");
}

void infer_concat_from_sequence(Inference& in) {
  if (in.result_count() == 0) return;
  const Fact* part = in.operand(0).inner.get();
  if (!part) return;
  in.set_element(0, part->element);
  in.result().range = part->range;
  if (!part->shape) return;
  if (!require_flag(in, "new_axis")) return;
  Shape shape = *part->shape;
  const bool stacks = in.params.flag("new_axis");
  const auto axis = required_axis(in, in.params.integer_or("axis", 0), shape.size() + (stacks ? 1 : 0));
  if (!axis) return;
  if (stacks) shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), Dim());
  shape[*axis] = in.fresh(0, *axis);
  in.set_shape(std::move(shape));
}

constexpr OpDef kConcatSplitRows[] = {
    {.name = "Concat",
     .traits = kDecodes | kJoinsData,
     .infer = infer_concat,
     .evaluate = evaluate_concat,
     .cost = cost_nothing},
    {.name = "ConcatFromSequence",
     .infer = infer_concat_from_sequence,
     .evaluate = evaluate_concat_from_sequence,
     .cost = cost_nothing},
    {.name = "Split", .traits = kMovesData, .infer = infer_split, .evaluate = evaluate_split},
    {.name = "SplitToSequence",
     .infer = infer_split_to_sequence,
     .evaluate = evaluate_split_to_sequence,
     .cost = cost_nothing},
};

}  // namespace

Family concat_split() { return kConcatSplitRows; }

}  // namespace onnxpress::ops
