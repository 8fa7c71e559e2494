// Images: Resize, Upsample, GridSample, AffineGrid, RoiAlign, NonMaxSuppression.
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/image/grid_sample.h"
#include "onnxpress/ops/image/non_max_suppression.h"
#include "onnxpress/ops/image/resize.h"
#include "onnxpress/ops/image/roi.h"

namespace onnxpress::ops {

namespace {

// Height and width are known only from the encoded data.
void infer_image_decoder(Inference& in) {
  if (in.result_count() == 0 || !require_rank(in, 0, 1)) return;
  const auto format = in.params.text("pixel_format");
  const std::int64_t channels = format == "Grayscale" ? 1 : 3;
  in.set_shape({in.fresh(0, 0), in.fresh(0, 1), format ? Dim::size(channels) : Dim()});
}

// Nearest copies elements. Linear reads two elements along each resized axis and cubic four: a product and a sum for
// each.
void cost_resize(CostQuery& query) {
  const std::string_view mode = query.in.params.text_or("mode", "nearest");
  const std::int64_t taps = mode == "linear" ? 2 : mode == "cubic" ? 4 : 0;
  const Shape *x = query.in.shape(0), *y = query.result_shape();
  std::int64_t each = taps == 0 ? 0 : 1;
  if (taps > 0 && x && y && x->size() == y->size()) {
    for (std::size_t axis = 0; axis < x->size(); ++axis) {
      if (!query.dims.equal((*x)[axis], (*y)[axis]) && each < 4096) each *= taps;
    }
  }
  query.cost.flops = query.product(query.result_elements(), Dim::size(2 * each));
}

// At most, every box is compared with every other one; how many comparisons there are depends on the data.
void cost_non_max_suppression(CostQuery& query) {
  query.cost.is_estimate = true;
  const Shape* scores = query.in.shape(1);
  query.cost.flops = scores && scores->size() == 3
                         ? query.product(query.product(query.operand_elements(1), (*scores)[2]), Dim::size(8))
                         : Dim();
}

constexpr OpDef kImageRows[] = {
    {.name = "AffineGrid", .infer = infer_affine_grid, .evaluate = evaluate_affine_grid, .cost = cost_times_result<4>},
    {.name = "GridSample", .infer = infer_grid_sample, .evaluate = evaluate_grid_sample, .cost = cost_times_result<8>},
    {.name = "GridSample",
     .domain = "com.microsoft",
     .infer = infer_grid_sample,
     .evaluate = evaluate_grid_sample,
     .cost = cost_times_result<8>},
    {.name = "ImageDecoder", .infer = infer_image_decoder, .cost = cost_nothing},
    {.name = "NonMaxSuppression",
     .infer = infer_non_max_suppression,
     .evaluate = evaluate_non_max_suppression,
     .cost = cost_non_max_suppression},
    // Runtimes disagree on sample positions; ONNX Runtime, for example, with align_corners and scales.
    {.name = "Resize",
     .traits = kRuntimesDiffer,
     .infer = infer_resize,
     .evaluate = evaluate_resize,
     .cost = cost_resize},
    {.name = "RoiAlign", .infer = infer_roi_align, .evaluate = evaluate_roi_align, .cost = cost_times_result<8>},
    {.name = "RoiAlign",
     .since = 22,
     .infer = infer_roi_align_22,
     .evaluate = evaluate_roi_align,
     .cost = cost_times_result<8>},
    {.name = "Upsample",
     .traits = kRuntimesDiffer,
     .infer = infer_resize,
     .evaluate = evaluate_resize,
     .cost = cost_resize},
};

}  // namespace

Family image() { return kImageRows; }

}  // namespace onnxpress::ops
