// Computes cross-entropy, top-1 accuracy and mean squared error of outputs, by the user's labels.
#include "onnxpress/tasks/verify/label_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "onnxpress/base/error.h"
#include "onnxpress/compare/distance.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress {

namespace {

using Runs = std::vector<std::vector<ops::Datum>>;

// The first outputs of all runs, concatenated, and the size of their last axis.
struct Scores {
  std::vector<double> numbers;
  std::size_t width = 1;
};

Scores scores_of(const Runs& runs) {
  Scores all;
  for (const auto& outputs : runs) {
    const ops::Array* array = outputs.empty() ? nullptr : outputs.front().array();
    const auto wide = array ? ops::converted(*array, ElementType::kDouble) : std::nullopt;
    if (!wide) throw Error("", "labels are compared with the first output, which must be numeric");
    if (wide->rank() > 0) all.width = static_cast<std::size_t>(std::max<std::int64_t>(1, wide->sizes().back()));
    const auto data = wide->data<double>();
    all.numbers.insert(all.numbers.end(), data.begin(), data.end());
  }
  return all;
}

bool is_probabilities(std::span<const double> row) {
  double sum = 0;
  for (const double each : row) {
    if (each < 0) return false;
    sum += each;
  }
  return std::abs(sum - 1) < 1e-3;
}

double cross_entropy(std::span<const double> row, std::size_t label) {
  if (is_probabilities(row)) return -std::log(std::max(row[label], 1e-12));
  const double most = *std::ranges::max_element(row);
  double sum = 0;
  for (const double each : row) sum += std::exp(each - most);
  return std::log(sum) + most - row[label];
}

struct ClassMetrics {
  double entropy = 0, top1 = 0;
};

ClassMetrics class_metrics(const Scores& scores, const std::vector<std::int64_t>& labels) {
  const std::size_t rows = scores.numbers.size() / scores.width;
  if (rows != labels.size())
    throw Error("", fmt::format("there are {} labels, but the first output has {} rows", labels.size(), rows));
  ClassMetrics found;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto row = std::span(scores.numbers).subspan(i * scores.width, scores.width);
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= row.size())
      throw Error("", fmt::format("label {} is {}, but there are only {} classes", i, labels[i], row.size()));
    const auto label = static_cast<std::size_t>(labels[i]);
    found.entropy += cross_entropy(row, label) / static_cast<double>(rows);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    found.top1 += (best == label ? 1.0 : 0.0) / static_cast<double>(rows);
  }
  return found;
}

double squared_error(const Scores& scores, std::span<const double> labels) {
  if (scores.numbers.size() != labels.size())
    throw Error("", fmt::format("there are {} labels, but the first output has {} elements", labels.size(),
                                scores.numbers.size()));
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    sum += (scores.numbers[i] - labels[i]) * (scores.numbers[i] - labels[i]);
  return labels.empty() ? 0 : sum / static_cast<double>(labels.size());
}

}  // namespace

std::vector<MetricLine> label_metrics(const Runs& first, const Runs& second, const ops::Array& labels) {
  if (const auto classes = compare::is_real(labels.type()) ? std::nullopt : labels.integers()) {
    const ClassMetrics a = class_metrics(scores_of(first), *classes), b = class_metrics(scores_of(second), *classes);
    return {{.name = "cross-entropy", .first = a.entropy, .second = b.entropy},
            {.name = "top-1", .first = a.top1, .second = b.top1}};
  }
  const auto numbers = compare::as_double(labels);
  if (!numbers) throw Error("", "labels are integers (classes) or floats");
  return {{.name = "mean squared error",
           .first = squared_error(scores_of(first), numbers->data<double>()),
           .second = squared_error(scores_of(second), numbers->data<double>())}};
}

}  // namespace onnxpress
