// Reads dims where they come from: before a Transpose, or from the shape that a Reshape was given.
//
//   before: y = Slice(Shape(Transpose(x, perm = [0, 2, 1, 3])), [2], [3])
//   after:  y = Gather(Shape(x), [1])
//
//   before: y = Gather(Shape(Reshape(x, Concat(a, b))), [0])   with a known to be the size, not -1 or 0
//   after:  y = a
//
// A Transpose is skipped only if nothing else reads its result, so that it disappears; that of a Reshape may be read.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"
#include "onnxpress/passes/shared/permutation.h"
#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

namespace {

// Which dims a Gather or Slice reads from the whole shape of a value.
struct DimsRead {
  const Node* shape = nullptr;
  std::vector<std::int64_t> places;
  bool is_scalar = false;  // the result is a single number without an axis
};

std::optional<DimsRead> dims_read(Node& node, const Rewriter& rw) {
  DimsRead found{rw.producer(node.input(0), "Shape"), {}};
  const auto rank = found.shape ? rw.shape_of(found.shape->input(0)) : std::nullopt;
  if (!rank) return std::nullopt;
  const auto params = rw.params(*found.shape);
  if (params.given("start") || params.given("end")) return std::nullopt;
  if (rw.is(node, "Slice")) {
    const auto slice = slice_of(node, rw);
    for (std::int64_t i = slice ? slice->begin : 0; slice && i < slice->end; i += slice->step)
      found.places.push_back(i);
  } else if (rw.is(node, "Gather") && rw.is_constant(node.input(1))) {
    const auto indices = rw.constant(node.input(1));
    const auto list = indices && indices->rank() < 2 ? indices->integers() : std::nullopt;
    const auto places = list ? ops::normal_axes(*list, rank->size()) : std::nullopt;
    if (places) found.places.assign(places->begin(), places->end());
    found.is_scalar = indices && indices->rank() == 0;
  }
  return found.places.empty() ? std::nullopt : std::optional(found);
}

// The Transpose that disappears once nothing reads the dims of its result; null if there is none.
const Node* transpose_before(const Node& shape, const Rewriter& rw) {
  const Node* transpose = rw.sole_producer(shape.input(0), "Transpose");
  if (!transpose || shape.output()->is_output()) return nullptr;
  for (const Use* use = shape.output()->first_use(); use; use = use->next()) {
    if (!use->user() || use->index() != 0 || !dims_read(*use->user(), rw)) return nullptr;
  }
  return transpose;
}

Value* before_transpose(const DimsRead& read, Rewriter& rw) {
  const Node* transpose = transpose_before(*read.shape, rw);
  const auto perm = transpose ? perm_of(*transpose, rw) : std::nullopt;
  if (!perm) return nullptr;
  std::vector<std::int64_t> places;
  for (const std::int64_t place : read.places) places.push_back((*perm)[static_cast<std::size_t>(place)]);
  Value* indices =
      read.is_scalar ? rw.scalar(ElementType::kInt64, static_cast<double>(places.front())) : rw.integers(places);
  return rw.make("Gather", {rw.make("Shape", {transpose->input(0)}), indices}, {{"axis", 0}});
}

// The operand of the Concat that gives a Reshape its shape and holds just the dim that is read; null if there is none,
// or if it may be -1 or 0, which stand for other sizes.
Value* given_dim(const DimsRead& read, Rewriter& rw) {
  const Node* reshape = rw.producer(read.shape->input(0), "Reshape");
  const Node* concat = reshape ? rw.producer(reshape->input(1), "Concat") : nullptr;
  if (!concat || read.places.size() != 1) return nullptr;
  std::int64_t place = 0;
  for (const Use& use : concat->inputs()) {
    const auto shape = rw.shape_of(use.value());
    const auto count = shape && shape->size() == 1 ? shape->front().size() : std::nullopt;
    if (!count || place > read.places.front()) return nullptr;
    if (place == read.places.front() && *count == 1) {
      const ops::Fact& fact = rw.fact(use.value());
      const bool known = fact.elements && rw.dims().at_least(fact.elements->front(), 1);
      if (!known && !(fact.range.low >= 1)) return nullptr;
      return read.is_scalar ? rw.make("Squeeze", {use.value()}, {{"axes", std::vector<std::int64_t>{0}}}) : use.value();
    }
    place += *count;
  }
  return nullptr;
}

bool apply_read_dims_earlier(Node& node, Rewriter& rw) {
  const auto read = dims_read(node, rw);
  if (!read || rw.element_of(node.output()) != ElementType::kInt64) return false;
  if (Value* dim = given_dim(*read, rw); dim && rw.replace(node, dim)) return true;
  return rw.replace(node, before_transpose(*read, rw));
}

constexpr std::string_view kReadDimsEarlierRoots[] = {"Slice", "Gather"};

}  // namespace

extern const Rewrite read_dims_earlier;
const Rewrite read_dims_earlier = {.name = "read-dims-earlier",
                                   .summary = "reads dims before a Transpose, or from the shape given to a Reshape",
                                   .exactness = Exactness::kExact,
                                   .group = "constants",
                                   .large_pattern = true,
                                   .roots = kReadDimsEarlierRoots,
                                   .apply = apply_read_dims_earlier};

}  // namespace onnxpress::passes
