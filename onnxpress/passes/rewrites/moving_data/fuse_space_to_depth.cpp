// Fuses Slices that take every other row and column, as in YOLO's Focus layer, into SpaceToDepth.
//
//   before: y = Concat(x[.., 0::2, 0::2], x[.., 1::2, 0::2], x[.., 0::2, 1::2], x[.., 1::2, 1::2], axis = 1)
//   after:  y = SpaceToDepth(x, blocksize = 2)
//
// Every position of a block must be in the Concat once. If their order differs from that of SpaceToDepth, the input
// channels of a Conv that is the only reader are reordered; otherwise a Gather restores the order. Floats only, because
// runtimes have no other kernels.
#include <algorithm>
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

constexpr std::int64_t kLargestBlock = 8;

// Which elements of x, [batch, channels, height, width], a value takes: every step-th row and column, starting at
// first.
struct Strides {
  Value* x = nullptr;
  std::int64_t first[2] = {0, 0}, step[2] = {1, 1};
};

// Adds one more Slice to `grid`, walking backwards; false if it stops before the end of an axis, or slices other axes.
bool add_slice(const Node& slice, const Rewriter& rw, Strides& grid) {
  const auto params = rw.params(slice);
  const auto shape = rw.shape_of(slice.input(0));
  const auto starts = params.integers("starts"), ends = params.integers("ends"), axes = params.integers("axes"),
             steps = params.integers("steps");
  if (!shape || shape->size() != 4 || !starts || !ends || !axes || !steps || ends->size() != starts->size() ||
      axes->size() != starts->size() || steps->size() != starts->size())
    return false;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = ops::normal_axis((*axes)[i], 4);
    if (!axis || *axis < 2 || grid.step[*axis - 2] != 1) return false;
    const auto size = (*shape)[*axis].size();
    const bool is_whole = (*ends)[i] >= std::numeric_limits<std::int32_t>::max() || (size && (*ends)[i] >= *size);
    if (!is_whole || (*steps)[i] < 2 || (*starts)[i] < 0 || (*starts)[i] >= (*steps)[i]) return false;
    grid.first[*axis - 2] = (*starts)[i];
    grid.step[*axis - 2] = (*steps)[i];
  }
  grid.x = slice.input(0);
  return true;
}

std::optional<Strides> strides_in(Value* value, const Rewriter& rw) {
  Strides grid{value};
  while (const Node* slice = rw.producer(grid.x, "Slice")) {
    if (grid.step[0] != 1 && grid.step[1] != 1) break;  // both axes are sliced already
    if (!add_slice(*slice, rw, grid)) break;
  }
  return grid.step[0] > 1 && grid.step[0] == grid.step[1] ? std::optional(grid) : std::nullopt;
}

// The position of each operand in its block; empty unless the operands cover every position of one value exactly once.
std::vector<std::int64_t> block_places_of(const Node& concat, const Rewriter& rw, Strides& whole) {
  std::vector<std::int64_t> places;
  for (const Use& use : concat.inputs()) {
    const auto grid = strides_in(use.value(), rw);
    if (!grid || (!places.empty() && (grid->x != whole.x || grid->step[0] != whole.step[0]))) return {};
    whole = *grid;
    places.push_back(grid->first[0] * grid->step[0] + grid->first[1]);
  }
  std::vector<std::int64_t> sorted = places;
  std::ranges::sort(sorted);
  const bool is_each_once = std::ranges::adjacent_find(sorted) == sorted.end() &&
                            static_cast<std::int64_t>(sorted.size()) == whole.step[0] * whole.step[0];
  return is_each_once ? places : std::vector<std::int64_t>();
}

// The only reader, if it is a Conv whose weights nothing else reads.
Node* conv_behind(const Node& concat, const Rewriter& rw) {
  const Use* use = concat.output()->first_use();
  if (!use || use->next() || concat.output()->is_output() || use->index() != 0) return nullptr;
  Node* conv = use->user();
  const bool fits = rw.is(*conv, "Conv") && conv->graph() == concat.graph() && rw.is_constant(conv->input(1)) &&
                    conv->input(1)->use_count() == 1 && rw.params(*conv).integer_or("group", 1) == 1;
  return fits ? conv : nullptr;
}

bool apply_fuse_space_to_depth(Node& concat, Rewriter& rw) {
  const auto size = static_cast<std::int64_t>(concat.input_count());
  if (size < 4 || size > kLargestBlock * kLargestBlock || !is_float(rw.element_of(concat.output()))) return false;
  const std::int64_t axis = rw.params(concat).integer_or("axis", 0);
  Strides whole;
  const auto places = axis == 1 || axis == -3 ? block_places_of(concat, rw, whole) : std::vector<std::int64_t>();
  const auto shape = places.empty() ? std::nullopt : rw.shape_of(whole.x);
  const auto channels = shape ? (*shape)[1].size() : std::nullopt;
  if (!shape || rw.fact(whole.x).is_constant) return false;
  Value* deep = rw.make("SpaceToDepth", {whole.x}, {{"blocksize", whole.step[0]}});
  if (std::ranges::is_sorted(places)) return rw.replace(concat, deep);
  if (!deep || !channels) return false;
  std::vector<std::int64_t> from, to(static_cast<std::size_t>(size * *channels));  // permutation, and its inverse
  for (const std::int64_t place : places) {
    for (std::int64_t c = 0; c < *channels; ++c) {
      to[static_cast<std::size_t>(place * *channels + c)] = static_cast<std::int64_t>(from.size());
      from.push_back(place * *channels + c);
    }
  }
  if (Node* conv = conv_behind(concat, rw)) {
    Value* weights = rw.make("Gather", {conv->input(1), rw.integers(to)}, {{"axis", 1}});
    if (rw.is_constant(weights)) return rw.set_input(*conv, 1, weights) && rw.set_input(*conv, 0, deep);
  }
  return rw.replace(concat, rw.make("Gather", {deep, rw.integers(from)}, {{"axis", 1}}));
}

constexpr std::string_view kFuseSpaceToDepthRoots[] = {"Concat"};

}  // namespace

extern const Rewrite fuse_space_to_depth;
const Rewrite fuse_space_to_depth = {.name = "fuse-space-to-depth",
                                     .summary = "fuses Slices that take every other row and column into SpaceToDepth",
                                     .exactness = Exactness::kReassociates,
                                     .group = "moving_data",
                                     .large_pattern = true,
                                     .roots = kFuseSpaceToDepthRoots,
                                     .apply = apply_fuse_space_to_depth};

}  // namespace onnxpress::passes
