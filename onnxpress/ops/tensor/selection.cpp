// TopK, Unique, NonZero.
#include "onnxpress/ops/tensor/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/element_width.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"
#include "onnxpress/ops/kernels/sort_keys.h"
#include "onnxpress/ops/tensor/gather.h"

namespace onnxpress::ops {

// --- TopK

namespace {

// The parameter was called 'k' when it was an attribute.
std::string_view k_name(const Params& params) { return params.schema().operand("K") >= 0 ? "K" : "k"; }

// For each line along the axis, the positions of its best `k` elements, best first; of equal elements, the one with the
// lower position first.
template <typename Key>
void pick_best(const std::vector<Key>& keys, const Sizes& sizes, std::size_t axis, std::int64_t k, bool largest,
               std::span<std::int64_t> picked) {
  const std::int64_t outer = product(sizes, 0, axis), inner = product(sizes, axis + 1, sizes.size()),
                     size = sizes[axis];
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t j = 0; j < inner; ++j) {
      const Key* line = keys.data() + i * size * inner + j;
      std::iota(order.begin(), order.end(), std::int64_t{0});
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](std::int64_t a, std::int64_t b) {
        const Key &x = line[a * inner], &y = line[b * inner];
        if (x == y) return a < b;
        return largest ? y < x : x < y;
      });
      for (std::int64_t n = 0; n < k; ++n)
        picked[static_cast<std::size_t>((i * k + n) * inner + j)] = order[static_cast<std::size_t>(n)];
    }
  }
}

// A positive number as an attribute, or a list of one number as an operand.
bool require_count(Inference& in, std::string_view name) {
  if (name == "k") return require_positive(in, name);
  return !is_stated(in, 1) || (require_rank(in, 1, 1) && require_length(in, name, 1));
}

}  // namespace

void infer_top_k(Inference& in) {
  const Shape* data = in.shape(0);
  if (in.result_count() == 0) return;
  in.result().range = in.operand(0).range;
  const auto axis = data ? required_axis(in, in.params.integer_or("axis", -1), data->size()) : std::nullopt;
  if (!axis) return;
  const std::string_view name = k_name(in.params);
  if (!require_count(in, name)) return;
  Dim k;
  if (const auto fixed = in.params.integer(name)) {
    if (!Dim::fits(*fixed)) return;
    k = Dim::size(*fixed);
    if (const auto size = in.dims.resolve((*data)[*axis]).size(); size && *fixed > *size)
      return in.contradict(fmt::format("k is {}, but axis {} has size {}", *fixed, *axis, *size));
  } else if (const auto list = in.symbolic(name); list && list->size() == 1) {
    k = list->front();
  }
  Shape shape = *data;
  shape[*axis] = known_or_fresh(in, k, 0, *axis);
  in.set_shape(0, shape);
  in.set_shape(1, std::move(shape));
  if (in.result_count() > 1) in.result(1).range = {0, std::numeric_limits<double>::infinity(), true};
}

bool evaluate_top_k(Call& call) {
  const Array& data = call.array(0);
  const auto axis = normal_axis(call.params.integer_or("axis", -1), data.rank());
  const auto k = call.params.integer(k_name(call.params));
  if (!axis || !k || *k < 0 || *k > data.size(*axis))
    return call.fail(fmt::format("the axis or k is not valid for shape {}", to_string(data.sizes())));
  const bool largest = call.params.integer_or("largest", 1) != 0;
  Sizes sizes = data.sizes();
  sizes[*axis] = *k;
  Array indices = Array::make<std::int64_t>(sizes);
  const SortKeys sorted(data);
  const auto picked = indices.mutable_data<std::int64_t>();
  if (const auto* numbers = std::get_if<std::vector<NumberKey>>(&sorted.keys); numbers && sorted.per_element == 1) {
    pick_best(*numbers, data.sizes(), *axis, *k, largest, picked);
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&sorted.keys)) {
    pick_best(*integers, data.sizes(), *axis, *k, largest, picked);
  } else {
    return call.fail_type();
  }
  Array values = Array::make(data.type(), sizes);
  const std::int64_t inner = product(sizes, *axis + 1, sizes.size()), size = data.size(*axis);
  dispatch_width(data, [&]<typename U>() {
    const U* from = units_of<U>(data);
    U* to = mutable_units_of<U>(values);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(picked.size()); ++i)
      to[i] = from[(i / (*k * inner) * size + picked[static_cast<std::size_t>(i)]) * inner + i % inner];
  });
  call.set(0, std::move(values));
  call.set(1, std::move(indices));
  return true;
}

// --- Unique

namespace {

// Groups of equal lines; all lines have the same length and are compared by their keys.
struct Groups {
  std::vector<std::int64_t> first;   // for each distinct line, where it first occurs
  std::vector<std::int64_t> number;  // for each line, the number of its distinct line
  std::vector<std::int64_t> counts;
};

template <typename Key>
Groups groups_of(const std::vector<Key>& keys, std::size_t count, std::size_t length, bool sorted) {
  const auto line = [&](std::int64_t i) { return keys.begin() + i * static_cast<std::ptrdiff_t>(length); };
  const auto end = [&](std::int64_t i) { return line(i) + static_cast<std::ptrdiff_t>(length); };
  spend_steps(count, static_cast<std::uint64_t>(std::bit_width(count)), std::max<std::uint64_t>(length, 1));  // sorting
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(line(a), end(a), line(b), end(b));
  });
  Groups groups;
  groups.number.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || !std::equal(line(order[i]), end(order[i]), line(order[i - 1]))) {
      groups.first.push_back(order[i]);
      groups.counts.push_back(0);
    }
    groups.number[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(groups.first.size()) - 1;
    ++groups.counts.back();
  }
  if (sorted) return groups;
  // Reorders the groups by first appearance.
  std::vector<std::size_t> by_place(groups.first.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t{0});
  std::sort(by_place.begin(), by_place.end(),
            [&](std::size_t a, std::size_t b) { return groups.first[a] < groups.first[b]; });
  Groups placed;
  std::vector<std::int64_t> new_number(by_place.size());
  for (std::size_t i = 0; i < by_place.size(); ++i) {
    placed.first.push_back(groups.first[by_place[i]]);
    placed.counts.push_back(groups.counts[by_place[i]]);
    new_number[by_place[i]] = static_cast<std::int64_t>(i);
  }
  for (const std::int64_t number : groups.number) placed.number.push_back(new_number[static_cast<std::size_t>(number)]);
  return placed;
}

// The distinct lines of an array along its first axis; nullopt for types that cannot be sorted.
std::optional<Groups> groups_of(const Array& lines, std::size_t count, bool sorted) {
  const SortKeys keys(lines);
  const std::size_t length = count == 0 ? 0 : lines.count() / count * keys.per_element;
  return std::visit(
      [&](const auto& list) -> std::optional<Groups> {
        if constexpr (std::is_same_v<std::decay_t<decltype(list)>, std::monostate>) {
          return std::nullopt;
        } else {
          return groups_of(list, count, length, sorted);
        }
      },
      keys.keys);
}

// The array with one axis moved to the front.
Array axis_first(const Array& data, std::size_t axis) {
  Sizes sizes = data.sizes();
  Layout layout{0, strides_of(data.sizes())};
  std::rotate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(axis),
              sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  auto& strides = layout.strides;
  std::rotate(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(axis),
              strides.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  return block_of(data, layout, sizes, sizes);
}

Array list_of(const std::vector<std::int64_t>& list) { return Array::of<std::int64_t>(list); }

// The size of a result that has one entry per element, or per line along the axis.
Dim line_count(Inference& in, const Shape& data, std::optional<std::size_t> axis) {
  return axis ? data[*axis] : in.dims.product(data);
}

}  // namespace

void infer_unique(Inference& in) {
  if (in.result_count() == 0) return;
  const bool flat = !in.params.given("axis");
  const Shape* data = in.shape(0);
  const auto axis = !flat && data ? required_axis(in, in.params.integer_or("axis", 0), data->size()) : std::nullopt;
  const Dim found = in.fresh(0, axis.value_or(0));
  in.result().range = in.operand(0).range;
  if (flat) in.set_shape(0, {found});
  if (axis) {
    Shape shape = *data;
    shape[*axis] = found;
    in.set_shape(0, std::move(shape));
  }
  in.set_shape(1, {found});
  in.set_shape(2, {data && (flat || axis) ? line_count(in, *data, axis) : Dim()});
  in.set_shape(3, {found});
  for (std::size_t i = 1; i < in.result_count(); ++i)
    in.result(i).range = {i == 3 ? 1.0 : 0.0, std::numeric_limits<double>::infinity(), true};
}

bool evaluate_unique(Call& call) {
  const bool flat = !call.params.given("axis");
  const Array& given = call.array(0);
  if (given.type() == ElementType::kUndefined) return call.fail_type();
  const Array data = flat ? given.reshaped({static_cast<std::int64_t>(given.count())}) : given;
  const auto axis = flat ? std::optional<std::size_t>(0) : normal_axis(call.params.integer_or("axis", 0), data.rank());
  if (!axis) return call.fail(fmt::format("the axis is out of range for an operand of rank {}", data.rank()));
  const bool sorted = call.params.integer_or("sorted", 1) != 0;
  const auto groups =
      groups_of(*axis == 0 ? data : axis_first(data, *axis), static_cast<std::size_t>(data.size(*axis)), sorted);
  if (!groups) return call.fail_type();
  call.set(0, gathered(data, *axis, groups->first, {static_cast<std::int64_t>(groups->first.size())}));
  call.set(1, list_of(groups->first));
  call.set(2, list_of(groups->number));
  call.set(3, list_of(groups->counts));
  return true;
}

void infer_microsoft_unique(Inference& in) {
  const Dim found = in.fresh(0, 0);
  in.set_shape(0, {found});
  const Shape* data = in.shape(0);
  in.set_shape(1, {data && data->size() == 1 ? data->front() : Dim()});
  in.set_shape(2, {found});
}

bool evaluate_microsoft_unique(Call& call) {
  const Array& data = call.array(0);
  if (data.rank() != 1) return call.fail(fmt::format("the operand has rank {}, not 1", data.rank()));
  const auto groups = groups_of(data, data.count(), false);
  if (!groups) return call.fail_type();
  call.set(0, gathered(data, 0, groups->first, {static_cast<std::int64_t>(groups->first.size())}));
  call.set(1, list_of(groups->number));
  call.set(2, list_of(groups->counts));
  return true;
}

// --- NonZero

void infer_non_zero(Inference& in) {
  if (in.result_count() == 0) return;
  const Shape* data = in.shape(0);
  in.set_shape({data ? Dim::size(static_cast<std::int64_t>(data->size())) : Dim(), in.fresh(0, 1)});
  in.result().range = {0, std::numeric_limits<double>::infinity(), true};
}

bool evaluate_non_zero(Call& call) {
  const Array& data = call.array(0);
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                         ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                         ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64,
                         ElementType::kBool, ElementType::kString, ElementType::kComplex64, ElementType::kComplex128>;
  std::vector<std::int64_t> found;
  const bool known = dispatch(Types(), data.type(), [&]<typename T>() {
    const auto from = data.data<T>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (static_cast<Computed<T>>(from[i]) != Computed<T>()) found.push_back(static_cast<std::int64_t>(i));
    }
  });
  if (!known) return call.fail_type();
  Array made =
      Array::make<std::int64_t>({static_cast<std::int64_t>(data.rank()), static_cast<std::int64_t>(found.size())});
  std::int64_t* to = made.mutable_data<std::int64_t>().data();
  const Sizes strides = strides_of(data.sizes());
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    for (const std::int64_t position : found) *to++ = position / strides[axis] % data.size(axis);
  }
  return call.done(std::move(made));
}

}  // namespace onnxpress::ops
