// Makes the ends of a Slice constant if they are the ends of the axes.
//
//   before: y = Slice(x, [0], Gather(Shape(x), [1]), axes = [1])
//   after:  y = Slice(x, [0], [9223372036854775807], axes = [1])
//
// Ends beyond the axis mean its end. Only for steps that go forwards.
#include <limits>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_fold_slice_ends(Node& node, Rewriter& rw) {
  Value* ends = node.input(2);
  if (!ends || rw.is_constant(ends) || rw.element_of(ends) != ElementType::kInt64) return false;
  const auto shape = rw.shape_of(node.input(0));
  const auto& elements = rw.fact(ends).elements;
  if (!shape || !elements) return false;
  const auto params = rw.params(node);
  const auto axes = params.integers("axes"), steps = params.integers("steps");
  if ((params.given("axes") && !axes) || (params.given("steps") && !steps)) return false;
  std::vector<std::int64_t> constant;
  for (std::size_t i = 0; i < elements->size(); ++i) {
    const auto axis =
        ops::normal_axis(axes && i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), shape->size());
    if (!axis || (steps && (i >= steps->size() || (*steps)[i] < 1))) return false;
    const Dim end = rw.dims().resolve((*elements)[i]);
    if (const auto size = end.size()) {
      constant.push_back(*size);
    } else if (!end.is_unknown() && rw.dims().not_above((*shape)[*axis], end)) {
      constant.push_back(std::numeric_limits<std::int64_t>::max());
    } else {
      return false;
    }
  }
  return rw.set_input(node, 2, rw.integers(constant));
}

constexpr std::string_view kFoldSliceEndsRoots[] = {"Slice"};

}  // namespace

extern const Rewrite fold_slice_ends;
const Rewrite fold_slice_ends = {.name = "fold-slice-ends",
                                 .summary = "makes the ends of a Slice constant if they are the ends of the axes",
                                 .exactness = Exactness::kExact,
                                 .group = "constants",
                                 .roots = kFoldSliceEndsRoots,
                                 .apply = apply_fold_slice_ends};

}  // namespace onnxpress::passes
