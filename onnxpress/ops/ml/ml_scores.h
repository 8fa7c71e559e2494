// Shared by the classifiers and regressors of ai.onnx.ml: rows of features, class labels, transforms of scores.
#pragma once

#include <optional>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The input [N, F] (or [F], a single row) as doubles.
struct FeatureRows {
  Array numbers;
  std::size_t rows = 0, features = 0;

  std::span<const double> row(std::size_t i) const { return numbers.data<double>().subspan(i * features, features); }
};
// Nullopt after Call::fail.
std::optional<FeatureRows> feature_rows(Call& call);

enum class PostTransform : std::uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };
// From the attribute, which is a name or (TreeEnsemble) a number; nullopt when not known.
std::optional<PostTransform> post_transform_of(const Params& params);
void transform_scores(PostTransform transform, std::span<double> scores);
double logistic(double score);

// The labels of a classifier, integers or strings.
struct ClassLabels {
  std::vector<std::int64_t> integers;
  std::vector<std::string_view> texts;

  // From the attribute of this name, or from classlabels_strings.
  static ClassLabels from(const Params& params, std::string_view integers_name);
  bool are_texts() const { return !texts.empty(); }
  std::size_t size() const { return are_texts() ? texts.size() : integers.size(); }
  // The labels at these places as an array [N]. A place beyond the list gives the place itself, or an empty string.
  Array at(std::span<const std::size_t> places) const;
};

// The results of a classifier: labels [N] and scores [N, E], where E is `scores` and may be unknown.
void infer_classifier(Inference& in, std::string_view integers_name, Dim scores);
// Sets both results. `scores` holds the scores of all rows, one row after the other.
bool set_classes(Call& call, const ClassLabels& labels, std::span<const std::size_t> places,
                 std::span<const double> scores, std::size_t rows);
// The number of rows of operand 0: 1 for a single row [F].
Dim rows_of(Inference& in);

}  // namespace onnxpress::ops
