// Removes a Resize that does not change the size.
//
//   before: y = Resize(x, scales = [1, 1, 1, 1])
//   after:  readers of y read x
//
// It stays if it has a region of interest, or may extrapolate. If every bit must stay, it must not interpolate: that
// multiplies neighbours by 0, which an infinity does not survive.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply_remove_resize(Node& resize, Rewriter& rw) {
  const auto params = rw.params(resize);
  if (params.text_or("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") return false;
  if (rw.must_keep_bits() && params.text_or("mode", "nearest") != "nearest") return false;
  const auto scales = params.reals("scales");
  const auto is_one = [](float scale) { return scale == 1; };
  if (params.given("scales") && (!scales || !std::ranges::all_of(*scales, is_one))) return false;
  return rw.same_shape(resize.input(0), resize.output()) && rw.replace(resize, resize.input(0));
}

constexpr std::string_view kRemoveResizeRoots[] = {"Resize", "Upsample"};

}  // namespace

extern const Rewrite remove_resize;
const Rewrite remove_resize = {.name = "remove-resize",
                               .summary = "removes a Resize that does not change the size",
                               .exactness = Exactness::kExact,
                               .group = "no_ops",
                               .roots = kRemoveResizeRoots,
                               .apply = apply_remove_resize};

}  // namespace onnxpress::passes
