// Reshape, Squeeze, Unsqueeze, ExpandDims, Flatten.
#include "onnxpress/ops/tensor/reshape.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/core/axis_rules.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/moved_elements.h"

namespace onnxpress::ops {

namespace {

// Result 0 has this shape and the elements of operand 0 in the same order.
void set_reshaped(Inference& in, Shape shape) {
  in.set_shape(std::move(shape));
  infer_moved_values(in);
  if (in.result_count() == 0 || !in.elements(0)) return;
  const auto sizes = in.result().sizes();
  if (sizes && count_of(*sizes) == in.elements(0)->size()) in.set_elements(0, *in.elements(0));
}

bool done_reshaped(Call& call, const Sizes& sizes) {
  const Array& data = call.array(0);
  if (count_of(sizes) != data.count())
    return call.fail(
        fmt::format("shape {} does not have the {} elements of the operand", to_string(sizes), data.count()));
  return call.done(data.reshaped(sizes));
}

// product(shape) / product(others), which has no remainder. Equal dims are cancelled first; what is left is often a
// plain size.
Dim missing_factor(Inference& in, Shape shape, const Shape& others) {
  std::vector<Dim> divisors;
  for (const Dim other : others) {
    const auto same = std::find_if(shape.begin(), shape.end(), [&](Dim dim) { return in.dims.equal(dim, other); });
    if (same != shape.end() && !other.is_unknown()) {
      shape.erase(same);
    } else {
      divisors.push_back(other);
    }
  }
  return in.dims.exact_div(in.dims.product(shape), in.dims.product(divisors));
}

// What one element of Reshape's `shape` asks for.
enum class Wish { kSize, kCopy, kInferred, kUnknown };

Wish wish_of(Inference& in, Dim element, bool allow_zero, bool has_inferred) {
  if (element.is_unknown()) return Wish::kUnknown;
  if (const auto size = element.size()) {
    if (*size == 0 && !allow_zero) return Wish::kCopy;
    return *size >= 0 ? Wish::kSize : *size == -1 ? Wish::kInferred : Wish::kUnknown;
  }
  // An expression may turn out to be -1, unless another element is -1 already, because there can be only one. It might
  // also turn out to be 0, which means a copy. This case is ignored (docs/commands/infer.md says so), because otherwise
  // nothing would be known after [batch * seq, -1].
  return has_inferred || in.dims.at_least(element, 0) ? Wish::kSize : Wish::kUnknown;
}

// The dims of the result; unknown where neither the wish nor the number of elements determines them.
Shape reshaped(Inference& in, const Shape* data, const std::vector<Dim>& target, bool allow_zero) {
  const bool has_inferred = std::find(target.begin(), target.end(), Dim::size(-1)) != target.end();
  Shape shape(target.size()), others;
  std::size_t open = 0, open_count = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const Wish wish = wish_of(in, target[i], allow_zero, has_inferred);
    if (wish == Wish::kSize) shape[i] = target[i];
    if (wish == Wish::kCopy && data && i < data->size()) shape[i] = (*data)[i];
    if (shape[i].is_unknown()) {
      open = i;
      ++open_count;
    } else {
      others.push_back(shape[i]);
    }
  }
  if (!data) return shape;
  // Without a -1, the open dim is not determined if there are no elements.
  const bool counts =
      has_inferred || std::all_of(others.begin(), others.end(), [&](Dim dim) { return in.dims.at_least(dim, 1); });
  if (open_count == 1) {
    const Dim rest = missing_factor(in, *data, others);
    // An expression that may turn out to be -1 is taken literally if the number of elements requires the same.
    if (counts || (!target[open].is_unknown() && in.dims.equal(rest, target[open]))) shape[open] = rest;
  } else if (open_count == 0) {
    in.unify(in.dims.product(*data), in.dims.product(shape));
  }
  return shape;
}

}  // namespace

namespace {

// The wishes can be fulfilled: at most one dim is inferred, and only existing dims are copied.
bool require_wishes(Inference& in, const std::vector<Dim>& target, bool allow_zero) {
  std::size_t inferred = 0, zeros = 0;
  const Shape* data = in.shape(0);
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto size = target[i].size();
    if (!size) continue;
    if (*size < -1) in.contradict(fmt::format("shape has the entry {}, but entries must be at least -1", *size));
    inferred += *size == -1 ? 1 : 0;
    zeros += *size == 0 ? 1 : 0;
    if (*size == 0 && !allow_zero && data && i >= data->size())
      in.contradict(fmt::format("shape copies dim {}, but operand 0 has rank {}", i, data->size()));
  }
  if (inferred > 1) in.contradict("shape has -1 twice");
  if (inferred == 1 && zeros > 0 && allow_zero) in.contradict("shape has both 0 and -1, so -1 could be any size");
  return in.contradiction().empty();
}

// What is left for -1 is a whole number.
bool require_whole_rest(Inference& in, const std::vector<Dim>& target, bool allow_zero) {
  const auto sizes = in.operand(0).sizes();
  if (!sizes || std::find(target.begin(), target.end(), Dim::size(-1)) == target.end()) return true;
  Sizes others;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!target[i].is_size()) return true;
    const std::int64_t size = *target[i].size();
    if (size != -1) others.push_back(size == 0 && !allow_zero ? (*sizes)[i] : size);
  }
  const auto whole = count_of(*sizes), part = count_of(others);
  if (!whole || !part || *part == 0 || *whole % *part == 0) return true;
  in.contradict(fmt::format("{} elements cannot be divided by {}", *whole, *part));
  return false;
}

}  // namespace

void infer_reshape(Inference& in) {
  const auto target = in.symbolic("shape");
  if (!target) return;
  const bool allow_zero = in.params.flag("allowzero");
  if (!require_wishes(in, *target, allow_zero) || !require_whole_rest(in, *target, allow_zero)) return;
  Shape shape = reshaped(in, in.shape(0), *target, allow_zero);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = known_or_fresh(in, shape[i], 0, i);
  set_reshaped(in, std::move(shape));
}

bool evaluate_reshape(Call& call) {
  const Array& data = call.array(0);
  const auto target = call.params.integers("shape");
  if (!target) return call.fail("the shape is not a list of integers");
  const bool allow_zero = call.params.flag("allowzero");
  Sizes sizes = *target;
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 && !allow_zero) {
      if (i >= data.rank())
        return call.fail(fmt::format("shape {} copies a dim that does not exist", to_string(*target)));
      sizes[i] = data.size(i);
    } else if (sizes[i] == -1) {
      if (inferred) return call.fail("the shape has -1 twice");
      inferred = i;
      sizes[i] = 1;
    }
  }
  if (inferred) {
    const auto rest = count_of(sizes);
    if (!rest || *rest == 0 || data.count() % *rest != 0)
      return call.fail(fmt::format("{} elements cannot have the shape {}", data.count(), to_string(*target)));
    sizes[*inferred] = static_cast<std::int64_t>(data.count() / *rest);
  }
  return done_reshaped(call, sizes);
}

void infer_squeeze(Inference& in) {
  const Shape* data = in.shape(0);
  if (!data) return;
  std::vector<bool> removed(data->size(), false);
  if (in.params.given("axes")) {
    const auto axes = in.params.integers("axes");
    // Nobody checks axes that are an attribute.
    const bool is_operand = in.params.schema().operand("axes") >= 0;
    if (axes && is_operand && !require_axes(in, *axes, data->size())) return;
    const auto normal = axes ? normal_axes(*axes, data->size()) : std::nullopt;
    if (!normal) {
      const auto some = in.symbolic("axes");
      if (some && !axes && some->size() <= data->size()) set_fresh_shape(in, data->size() - some->size());
      return;
    }
    for (const std::size_t axis : *normal) {
      removed[axis] = true;
      in.unify((*data)[axis], Dim::size(1));
    }
  } else {
    for (std::size_t axis = 0; axis < data->size(); ++axis) {
      const Dim dim = in.dims.resolve((*data)[axis]);
      removed[axis] = dim == Dim::size(1);
      // It is not known whether a dim that may be 1 is removed.
      if (!dim.is_size() && !in.dims.at_least(dim, 2)) return;
    }
  }
  Shape shape;
  for (std::size_t axis = 0; axis < data->size(); ++axis) {
    if (!removed[axis]) shape.push_back((*data)[axis]);
  }
  set_reshaped(in, std::move(shape));
}

bool evaluate_squeeze(Call& call) {
  const Array& data = call.array(0);
  std::vector<bool> removed(data.rank(), false);
  if (call.params.given("axes")) {
    const auto axes = call.params.integers("axes");
    const auto normal = axes ? normal_axes(*axes, data.rank()) : std::nullopt;
    if (!normal) return call.fail(fmt::format("the axes are not valid for an operand of rank {}", data.rank()));
    for (const std::size_t axis : *normal) {
      if (data.size(axis) != 1) return call.fail(fmt::format("axis {} has size {}, not 1", axis, data.size(axis)));
      removed[axis] = true;
    }
  } else {
    for (std::size_t axis = 0; axis < data.rank(); ++axis) removed[axis] = data.size(axis) == 1;
  }
  Sizes sizes;
  for (std::size_t axis = 0; axis < data.rank(); ++axis) {
    if (!removed[axis]) sizes.push_back(data.size(axis));
  }
  return done_reshaped(call, sizes);
}

namespace {

// The dims with ones inserted at `axes` of the result; nullopt when the axes are not valid.
template <typename D>
std::optional<std::vector<D>> with_ones(const std::vector<D>& dims, std::span<const std::int64_t> axes, D one) {
  const std::size_t rank = dims.size() + axes.size();
  const auto normal = normal_axes(axes, rank);
  if (!normal) return std::nullopt;
  std::vector<bool> added(rank, false);
  for (const std::size_t axis : *normal) added[axis] = true;
  std::vector<D> result;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) result.push_back(added[axis] ? one : dims[next++]);
  return result;
}

void infer_with_ones(Inference& in, std::string_view parameter) {
  const Shape* data = in.shape(0);
  if (!data) return;
  if (const auto axes = in.params.integers(parameter)) {
    if (auto shape = with_ones(*data, *axes, Dim::size(1))) set_reshaped(in, std::move(*shape));
  } else if (const auto some = in.symbolic(parameter)) {
    set_fresh_shape(in, data->size() + some->size());
  }
}

bool evaluate_with_ones(Call& call, std::string_view parameter) {
  const auto axes = call.params.integers(parameter);
  const auto sizes = axes ? with_ones(call.array(0).sizes(), *axes, std::int64_t{1}) : std::nullopt;
  if (!sizes) return call.fail(fmt::format("the axes are not valid for an operand of rank {}", call.array(0).rank()));
  return done_reshaped(call, *sizes);
}

}  // namespace

void infer_old_unsqueeze(Inference& in) { infer_with_ones(in, "axes"); }

void infer_unsqueeze(Inference& in) {
  const Shape* data = in.shape(0);
  const auto axes = data ? in.params.integers("axes") : std::nullopt;
  if (axes && !require_different_axes(in, *axes, data->size() + axes->size())) return;
  infer_with_ones(in, "axes");
}

bool evaluate_unsqueeze(Call& call) { return evaluate_with_ones(call, "axes"); }
void infer_expand_dims(Inference& in) { infer_with_ones(in, "axis"); }
bool evaluate_expand_dims(Call& call) { return evaluate_with_ones(call, "axis"); }

namespace {

// Flatten's axis may be equal to the rank: then everything goes into the first dim.
std::optional<std::size_t> flatten_axis(std::int64_t axis, std::size_t rank) {
  return axis == static_cast<std::int64_t>(rank) ? rank : normal_axis(axis, rank);
}

}  // namespace

void infer_flatten(Inference& in) {
  const Shape* data = in.shape(0);
  const std::int64_t given = in.params.integer_or("axis", 1);
  const auto axis = data ? flatten_axis(given, data->size()) : std::nullopt;
  if (data && !axis) {
    required_axis(in, given, data->size());
    return;
  }
  if (!axis) {
    in.set_rank(0, 2);
    return;
  }
  const std::span<const Dim> dims(*data);
  set_reshaped(in, {in.dims.product(dims.first(*axis)), in.dims.product(dims.subspan(*axis))});
}

bool evaluate_flatten(Call& call) {
  const Array& data = call.array(0);
  const auto axis = flatten_axis(call.params.integer_or("axis", 1), data.rank());
  if (!axis) return call.fail(fmt::format("the axis is out of range for an operand of rank {}", data.rank()));
  return done_reshaped(call, {product(data.sizes(), 0, *axis), product(data.sizes(), *axis, data.rank())});
}

}  // namespace onnxpress::ops
