// Shared by the classifiers and regressors of ai.onnx.ml: rows of features, class labels, transforms of scores.
#pragma once

#include <optional>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The input [N, F] (or [F]: one row) as doubles.
struct FeatureRows {
  Array numbers;
  std::size_t rows = 0, features = 0;

  std::span<const double> row(std::size_t i) const { return numbers.data<double>().subspan(i * features, features); }
};
// nullopt after Call::fail.
std::optional<FeatureRows> feature_rows(Call& call);

enum class PostTransform : std::uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };
// By the name that the attribute has, or by number (TreeEnsemble); nullopt when not known.
std::optional<PostTransform> post_transform_of(const Params& params);
void transform_scores(PostTransform transform, std::span<double> scores);
double logistic(double score);

// The labels of a classifier, integers or strings.
struct ClassLabels {
  std::vector<std::int64_t> integers;
  std::vector<std::string_view> texts;

  // From attributes of these names.
  static ClassLabels from(const Params& params, std::string_view integers_name);
  bool are_texts() const { return !texts.empty(); }
  std::size_t size() const { return are_texts() ? texts.size() : integers.size(); }
  // The labels at these places as an array [N]; places beyond the list are the place itself (or an empty text).
  Array at(std::span<const std::size_t> places) const;
};

// Results of a classifier: labels [N], and scores [N, E] (`scores` unknown: no E is known).
void infer_classifier(Inference& in, std::string_view integers_name, Dim scores);
// Sets both results. `scores` has as many columns per row.
bool set_classes(Call& call, const ClassLabels& labels, std::span<const std::size_t> places,
                 std::span<const double> scores, std::size_t rows);
// The rows of operand 0 as a dim: 1 for a single row [F].
Dim rows_of(Inference& in);

}  // namespace onnxpress::ops
