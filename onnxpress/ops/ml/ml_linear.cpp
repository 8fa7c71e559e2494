// LinearRegressor and LinearClassifier.
#include "onnxpress/ops/ml/ml_linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/ml/ml_scores.h"

namespace onnxpress::ops {

namespace {

// scores[t] = intercept[t] + coefficients[t, :] . row
struct LinearModel {
  std::vector<float> coefficients, intercepts;
  std::size_t targets = 0;

  std::vector<double> scores(std::span<const double> row) const {
    std::vector<double> result(targets);
    for (std::size_t t = 0; t < targets; ++t) {
      double sum = t < intercepts.size() ? static_cast<double>(intercepts[t]) : 0;
      for (std::size_t i = 0; i < row.size(); ++i)
        sum += static_cast<double>(coefficients[t * row.size() + i]) * row[i];
      result[t] = sum;
    }
    return result;
  }
};

std::optional<LinearModel> linear_model(Call& call, std::size_t features, std::optional<std::int64_t> targets) {
  LinearModel model;
  model.coefficients = call.params.reals("coefficients").value_or(std::vector<float>());
  model.intercepts = call.params.reals("intercepts").value_or(std::vector<float>());
  const auto counted = static_cast<std::int64_t>(features == 0 ? 0 : model.coefficients.size() / features);
  const std::int64_t wanted = targets.value_or(counted);
  if (features == 0 || wanted < 1 || wanted > counted ||
      (!model.intercepts.empty() && static_cast<std::int64_t>(model.intercepts.size()) < wanted)) {
    call.fail("the number of coefficients or intercepts does not match the features");
    return std::nullopt;
  }
  model.targets = static_cast<std::size_t>(wanted);
  return model;
}

}  // namespace

void infer_linear_regressor(Inference& in) {
  const std::int64_t targets = in.params.integer_or("targets", 1);
  in.set_shape({rows_of(in), targets > 0 && Dim::fits(targets) ? Dim::size(targets) : Dim()});
}

bool evaluate_linear_regressor(Call& call) {
  const auto rows = feature_rows(call);
  const auto transform = post_transform_of(call.params);
  if (!rows || !transform) return rows ? call.fail("post_transform is not known") : false;
  const auto model = linear_model(call, rows->features, call.params.integer_or("targets", 1));
  if (!model) return false;
  std::vector<double> results;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    auto scores = model->scores(rows->row(i));
    transform_scores(*transform, scores);
    results.insert(results.end(), scores.begin(), scores.end());
  }
  const Sizes sizes{static_cast<std::int64_t>(rows->rows), static_cast<std::int64_t>(model->targets)};
  return call.done(*array_from(results, sizes, ElementType::kFloat));
}

void infer_linear_classifier(Inference& in) {
  if (const Shape* x = in.shape(0); x && x->size() != 1 && x->size() != 2)
    return in.contradict(fmt::format("operand 0 has rank {}, but must have rank 1 or 2", x->size()));
  const std::size_t labels = ClassLabels::from(in.params, "classlabels_ints").size();
  infer_classifier(in, "classlabels_ints", labels >= 2 ? Dim::size(static_cast<std::int64_t>(labels)) : Dim());
}

bool evaluate_linear_classifier(Call& call) {
  const auto rows = feature_rows(call);
  const auto transform = post_transform_of(call.params);
  if (!rows || !transform) return rows ? call.fail("post_transform is not known") : false;
  const auto model = linear_model(call, rows->features, std::nullopt);
  if (!model) return false;
  const ClassLabels labels = ClassLabels::from(call.params, "classlabels_ints");
  const bool binary = model->targets == 1 && labels.size() == 2;
  // Implementations compute the second score differently: 1 - s, -s, or something else.
  if (binary && *transform != PostTransform::kLogistic)
    return call.fail("one set of coefficients for two classes is supported only with LOGISTIC");
  if (!binary && labels.size() > 0 && labels.size() != model->targets)
    return call.fail("the number of labels is not the number of sets of coefficients");
  std::vector<std::size_t> places;
  std::vector<double> results;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    auto scores = model->scores(rows->row(i));
    if (model->targets == 1) {
      places.push_back(scores[0] > 0 ? 1 : 0);
    } else {
      places.push_back(static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
    }
    if (binary) scores.insert(scores.begin(), -scores[0]);
    transform_scores(*transform, scores);
    results.insert(results.end(), scores.begin(), scores.end());
  }
  return set_classes(call, labels, places, results, rows->rows);
}

}  // namespace onnxpress::ops
