// Scores and labels of ai.onnx.ml.
#include "onnxpress/ops/ml/ml_scores.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

std::optional<FeatureRows> feature_rows(Call& call) {
  FeatureRows rows{converted<double>(call.array(0))};
  if (rows.numbers.type() != ElementType::kDouble) {
    call.fail_type();
    return std::nullopt;
  }
  if (rows.numbers.rank() != 1 && rows.numbers.rank() != 2) {
    call.fail("the input does not have one or two axes");
    return std::nullopt;
  }
  rows.features = static_cast<std::size_t>(rows.numbers.sizes().back());
  rows.rows = rows.numbers.rank() == 1 ? 1 : static_cast<std::size_t>(rows.numbers.size(0));
  return rows;
}

std::optional<PostTransform> post_transform_of(const Params& params) {
  constexpr std::string_view kNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  if (const auto number = params.integer("post_transform")) {
    if (*number < 0 || *number > 4) return std::nullopt;
    return static_cast<PostTransform>(*number);
  }
  const auto* found = std::find(std::begin(kNames), std::end(kNames), params.text_or("post_transform", "NONE"));
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<PostTransform>(found - std::begin(kNames));
}

double logistic(double score) { return 1 / (1 + std::exp(-score)); }

namespace {

// The inverse of the normal distribution function, with Winitzki's approximation of the inverse error function (error
// below 0.2 %), like ONNX Runtime and the reference implementation.
double probit(double score) {
  constexpr double kA = 0.147;
  const double x = 2 * score - 1, log = std::log((1 - x) * (1 + x));
  const double half = 2 / (std::numbers::pi * kA) + 0.5 * log;
  const double inverse = std::sqrt(std::sqrt(half * half - log / kA) - half);
  return std::numbers::sqrt2 * (x < 0 ? -inverse : inverse);
}

// With `keeps_zeros` (SOFTMAX_ZERO), scores of 0 mean "no vote" and stay 0.
void softmax(std::span<double> scores, bool keeps_zeros) {
  if (scores.empty()) return;
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& each : scores) {
    const bool is_zero = keeps_zeros && std::abs(each) <= 1e-7;
    each = is_zero ? each * std::exp(-largest) : std::exp(each - largest);
    sum += each;
  }
  for (double& each : scores) each /= sum;
}

}  // namespace

void transform_scores(PostTransform transform, std::span<double> scores) {
  if (transform == PostTransform::kSoftmax || transform == PostTransform::kSoftmaxZero)
    return softmax(scores, transform == PostTransform::kSoftmaxZero);
  for (double& each : scores) {
    if (transform == PostTransform::kLogistic) each = logistic(each);
    if (transform == PostTransform::kProbit) each = probit(each);
  }
}

ClassLabels ClassLabels::from(const Params& params, std::string_view integers_name) {
  ClassLabels labels;
  labels.integers = params.integers(integers_name).value_or(std::vector<std::int64_t>());
  labels.texts = params.texts("classlabels_strings").value_or(std::vector<std::string_view>());
  return labels;
}

Array ClassLabels::at(std::span<const std::size_t> places) const {
  const Sizes sizes{static_cast<std::int64_t>(places.size())};
  Array made = are_texts() ? Array::make<std::string>(sizes) : Array::make<std::int64_t>(sizes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t place = places[i];
    if (are_texts()) {
      made.mutable_data<std::string>()[i] = place < texts.size() ? std::string(texts[place]) : std::string();
    } else {
      made.mutable_data<std::int64_t>()[i] =
          place < integers.size() ? integers[place] : static_cast<std::int64_t>(place);
    }
  }
  return made;
}

Dim rows_of(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x || x->empty() || x->size() > 2) return Dim();
  return x->size() == 1 ? Dim::size(1) : (*x)[0];
}

void infer_classifier(Inference& in, std::string_view integers_name, Dim scores) {
  const bool texts = ClassLabels::from(in.params, integers_name).are_texts();
  in.set_element(0, texts ? ElementType::kString : ElementType::kInt64);
  in.set_shape(0, {rows_of(in)});
  in.set_shape(1, {rows_of(in), scores});
}

bool set_classes(Call& call, const ClassLabels& labels, std::span<const std::size_t> places,
                 std::span<const double> scores, std::size_t rows) {
  call.set(0, labels.at(places));
  const std::size_t columns = rows == 0 ? labels.size() : scores.size() / rows;
  auto made =
      array_from(scores, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}, ElementType::kFloat);
  call.set(1, *std::move(made));
  return true;
}

}  // namespace onnxpress::ops
