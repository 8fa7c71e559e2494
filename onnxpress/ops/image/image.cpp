// Images: Resize, Upsample, GridSample, AffineGrid, RoiAlign, NonMaxSuppression.
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/image/grid_sample.h"
#include "onnxpress/ops/image/non_max_suppression.h"
#include "onnxpress/ops/image/resize.h"
#include "onnxpress/ops/image/roi.h"

namespace onnxpress::ops {

namespace {

// Height and width are in the encoded data.
void infer_image_decoder(Inference& in) {
  if (in.result_count() == 0) return;
  const auto format = in.params.text("pixel_format");
  const std::int64_t channels = format == "Grayscale" ? 1 : 3;
  in.set_shape({in.fresh(0, 0), in.fresh(0, 1), format ? Dim::size(channels) : Dim()});
}

constexpr OpDef kRows[] = {
    {.name = "AffineGrid", .infer = infer_affine_grid, .evaluate = evaluate_affine_grid},
    {.name = "GridSample", .infer = infer_grid_sample, .evaluate = evaluate_grid_sample},
    {.name = "GridSample", .domain = "com.microsoft", .infer = infer_grid_sample, .evaluate = evaluate_grid_sample},
    {.name = "ImageDecoder", .infer = infer_image_decoder},
    {.name = "NonMaxSuppression", .infer = infer_non_max_suppression, .evaluate = evaluate_non_max_suppression},
    {.name = "Resize", .infer = infer_resize, .evaluate = evaluate_resize},
    {.name = "RoiAlign", .infer = infer_roi_align, .evaluate = evaluate_roi_align},
    {.name = "Upsample", .infer = infer_resize, .evaluate = evaluate_resize},
};

}  // namespace

Family image() { return kRows; }

}  // namespace onnxpress::ops
