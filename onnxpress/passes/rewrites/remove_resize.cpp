// Removes a Resize to the size that is there.
//
//   before: y = Resize(x, scales = [1, 1, 1, 1])
//   after:  whoever read y reads x
//
// With a region of interest, or where it may give an extrapolated value, it stays.
#include <algorithm>

#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

bool apply(Node& resize, Rewriter& rw) {
  const auto params = rw.params(resize);
  if (params.text_or("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") return false;
  const auto scales = params.reals("scales");
  if (params.given("scales") && scales && std::ranges::any_of(*scales, [](float each) { return each != 1; }))
    return false;
  const auto from = rw.shape_of(resize.input(0)), to = rw.shape_of(resize.output());
  if (!from || !to || from->size() != to->size()) return false;
  for (std::size_t i = 0; i < from->size(); ++i) {
    if (!(*from)[i].is_size() || (*from)[i] != (*to)[i]) return false;
  }
  return rw.replace(resize, resize.input(0));
}

constexpr std::string_view kRoots[] = {"Resize", "Upsample"};

}  // namespace

extern const Rewrite remove_resize;
const Rewrite remove_resize = {.name = "remove-resize",
                               .summary = "removes a Resize to the size that is there",
                               .exactness = Exactness::kExact,
                               .group = "clean-up",
                               .roots = kRoots,
                               .apply = apply};

}  // namespace onnxpress::passes
