// The family 'experimental': ops of the first opsets that never became part of the standard. Converters of that time
// wrote them, and ONNX Runtime still has kernels for them up to opset 9.
#include <cmath>
#include <optional>
#include <tuple>

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/in_place.h"
#include "onnxpress/ops/kernels/block_copy.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/kernels/fast_math.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/tensor/slice.h"

namespace onnxpress::ops {

namespace {

void infer_experimental(Inference& in) {
  infer_same_shape(in);
  if (in.operand(0).is_splat && in.result_count() > 0) in.result().is_splat = true;
}

bool evaluate_affine(Call& call) {
  const double alpha = call.params.real_or("alpha", 1), beta = call.params.real_or("beta", 0);
  return evaluate_real(call, call.array(0),
                       [=]<typename T>(T x) { return static_cast<T>(alpha) * x + static_cast<T>(beta); });
}

bool evaluate_scale(Call& call) {
  const double scale = call.params.real_or("scale", 1);
  return evaluate_real(call, call.array(0), [scale]<typename T>(T x) { return static_cast<T>(scale) * x; });
}

// alpha and beta have no defaults.
bool evaluate_parametric_softplus(Call& call) {
  const auto alpha = call.params.real("alpha"), beta = call.params.real("beta");
  if (!alpha || !beta) return call.fail("alpha or beta is missing");
  return evaluate_real(call, call.array(0), [a = *alpha, b = *beta]<typename T>(T x) {
    const T scaled = static_cast<T>(b) * x;
    return static_cast<T>(a) * (logarithm_above_one(exponential(-std::abs(scaled))) + (scaled < 0 ? T{0} : scaled));
  });
}

bool evaluate_scaled_tanh(Call& call) {
  const auto alpha = call.params.real("alpha"), beta = call.params.real("beta");
  if (!alpha || !beta) return call.fail("alpha or beta is missing");
  return evaluate_real(call, call.array(0), [a = *alpha, b = *beta]<typename T>(T x) {
    return static_cast<T>(a) * hyperbolic_tangent(static_cast<T>(b) * x);
  });
}

// scale * x + bias, with one bias per channel.
bool evaluate_image_scaler(Call& call) {
  const Array& image = call.array(0);
  const auto bias = call.params.reals("bias");
  if (!is_float_like(image.type())) return call.fail_type();
  if (image.rank() != 4 || !bias || static_cast<std::int64_t>(bias->size()) != image.size(1))
    return call.fail("the operand is not an image with a bias for each channel");
  const double scale = call.params.real_or("scale", 1);
  const Array x = widened(image);
  Array y = Array::make(x.type(), x.sizes());
  const auto plane = static_cast<std::size_t>(image.size(2) * image.size(3));
  dispatch(WideFloats(), y.type(), [&]<typename T>() {
    const auto from = x.data<T>();
    const auto to = y.mutable_data<T>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<T>(scale) * from[i] + static_cast<T>((*bias)[i / plane % bias->size()]);
  });
  return call.done(narrowed(std::move(y), image.type()));
}

// --- Crop: border is [left, top, right, bottom]; with a scale [height, width], only left and top are used.

struct CropParams {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;
  std::optional<std::int64_t> height, width;
};

std::optional<CropParams> crop_params(const Params& params) {
  const auto border = params.integers("border");
  if (!border || border->size() != 4) return std::nullopt;
  CropParams crop{(*border)[0], (*border)[1], (*border)[2], (*border)[3], {}, {}};
  if (crop.left < 0 || crop.top < 0 || crop.right < 0 || crop.bottom < 0) return std::nullopt;
  if (!params.given("scale")) return crop;
  const auto scale = params.integers("scale");
  if (!scale || (!scale->empty() && scale->size() != 2)) return std::nullopt;
  if (scale->empty()) return crop;
  crop.height = (*scale)[0], crop.width = (*scale)[1];
  return crop;
}

void infer_crop(Inference& in) {
  const Shape* image = in.shape(0);
  const auto crop = crop_params(in.params);
  if (!image || image->size() != 4 || !crop) return;
  const auto cut = [&](Dim size, std::int64_t before, std::int64_t after, std::optional<std::int64_t> wanted) {
    const std::int64_t most = Dim::kMostSize / 2;
    if (wanted) return *wanted >= 0 && *wanted <= most ? Dim::size(*wanted) : Dim();
    return before <= most && after <= most ? in.dims.sub(size, Dim::size(before + after)) : Dim();
  };
  Shape shape = *image;
  shape[2] = cut(shape[2], crop->top, crop->bottom, crop->height);
  shape[3] = cut(shape[3], crop->left, crop->right, crop->width);
  in.set_shape(std::move(shape));
}

bool evaluate_crop(Call& call) {
  const Array& image = call.array(0);
  const auto crop = crop_params(call.params);
  if (image.rank() != 4 || !crop) return call.fail("the operand is not an image, or a border or size is not valid");
  Sizes sizes = image.sizes();
  for (const auto& [axis, before, after, wanted] : {std::tuple(std::size_t{2}, crop->top, crop->bottom, crop->height),
                                                    std::tuple(std::size_t{3}, crop->left, crop->right, crop->width)}) {
    const std::int64_t size = image.size(axis);
    if (before > size || (!wanted && after > size)) return call.fail("a border is larger than the image");
    sizes[axis] = wanted ? *wanted : size - before - after;
    if (sizes[axis] < 0 || sizes[axis] > size - before) return call.fail("the cropped part does not fit in the image");
  }
  Layout layout{0, strides_of(image.sizes())};
  layout.offset = crop->top * layout.strides[2] + crop->left * layout.strides[3];
  return call.done(block_of(image, layout, sizes, sizes));
}

constexpr OpDef kExperimentalRows[] = {
    {.name = "Affine", .traits = kElementwise, .infer = infer_experimental, .evaluate = evaluate_affine},
    {.name = "Crop", .traits = kMovesData, .infer = infer_crop, .evaluate = evaluate_crop, .cost = cost_gather},
    {.name = "DynamicSlice",
     .traits = kMovesData,
     .infer = infer_slice,
     .evaluate = evaluate_slice,
     .cost = cost_gather},
    {.name = "ImageScaler",
     .traits = kOverwrites,
     .infer = infer_same_shape,
     .evaluate = evaluate_image_scaler,
     .cost = cost_times_result<2>},
    {.name = "ParametricSoftplus",
     .traits = kElementwise,
     .infer = infer_experimental,
     .evaluate = evaluate_parametric_softplus},
    {.name = "Scale", .traits = kElementwise, .infer = infer_experimental, .evaluate = evaluate_scale},
    {.name = "ScaledTanh", .traits = kElementwise, .infer = infer_experimental, .evaluate = evaluate_scaled_tanh},
};

}  // namespace

Family experimental() { return kExperimentalRows; }

}  // namespace onnxpress::ops
