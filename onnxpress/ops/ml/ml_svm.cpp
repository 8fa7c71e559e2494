// Support vector machines: SVMRegressor and SVMClassifier.
#include <algorithm>
#include <cmath>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/ml/ml_linear.h"
#include "onnxpress/ops/ml/ml_scores.h"

namespace onnxpress::ops {

namespace {

struct Kernel {
  std::string_view type = "LINEAR";
  double gamma = 0, offset = 0, degree = 0;

  static std::optional<Kernel> from(const Params& params) {
    Kernel kernel{params.text_or("kernel_type", "LINEAR")};
    if (const auto numbers = params.reals("kernel_params"); numbers && numbers->size() >= 3) {
      kernel.gamma = static_cast<double>((*numbers)[0]);
      kernel.offset = static_cast<double>((*numbers)[1]);
      kernel.degree = static_cast<double>((*numbers)[2]);
    }
    constexpr std::string_view kTypes[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    if (std::find(std::begin(kTypes), std::end(kTypes), kernel.type) == std::end(kTypes)) return std::nullopt;
    return kernel;
  }

  double operator()(std::span<const double> x, const float* vector) const {
    double sum = 0;
    if (type == "RBF") {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double apart = x[i] - static_cast<double>(vector[i]);
        sum += apart * apart;
      }
      return std::exp(-gamma * sum);
    }
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * static_cast<double>(vector[i]);
    if (type == "POLY") return std::pow(gamma * sum + offset, degree);
    return type == "SIGMOID" ? std::tanh(gamma * sum + offset) : sum;
  }
};

std::vector<float> reals_of(Call& call, std::string_view name) {
  return call.params.reals(name).value_or(std::vector<float>());
}

}  // namespace

void infer_svm_regressor(Inference& in) { in.set_shape({rows_of(in), Dim::size(1)}); }

bool evaluate_svm_regressor(Call& call) {
  const auto rows = feature_rows(call);
  const auto transform = post_transform_of(call.params);
  const auto kernel = Kernel::from(call.params);
  if (!rows) return false;
  if (!transform || !kernel) return call.fail("post_transform or kernel_type is not known");
  // ONNX Runtime ignores any other transform, and the reference implementation refuses it.
  if (*transform != PostTransform::kNone) return call.fail("post_transform of a regressor is not supported");
  const auto vectors = reals_of(call, "support_vectors"), coefficients = reals_of(call, "coefficients"),
             rho = reals_of(call, "rho");
  const std::int64_t supports = call.params.integer_or("n_supports", 0);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(supports, 0));
  if (rho.empty() || (count == 0 ? coefficients.size() < rows->features
                                 : coefficients.size() < count || vectors.size() / count < rows->features))
    return call.fail("the number of coefficients, support vectors or rho is wrong");
  spend_steps(rows->rows, count + 1, rows->features + 1);
  std::vector<double> results;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    double sum = static_cast<double>(rho[0]);
    if (count == 0) sum += (*kernel)(rows->row(i), coefficients.data());
    for (std::size_t k = 0; k < count; ++k)
      sum += static_cast<double>(coefficients[k]) * (*kernel)(rows->row(i), vectors.data() + k * rows->features);
    if (call.params.flag("one_class")) sum = sum > 0 ? 1 : -1;
    results.push_back(sum);
  }
  return call.done(*array_from(results, {static_cast<std::int64_t>(rows->rows), 1}, ElementType::kFloat));
}

namespace {

struct SvmClassifier {
  Kernel kernel;
  PostTransform transform = PostTransform::kNone;
  ClassLabels labels;
  std::vector<float> vectors, coefficients, rho, prob_a, prob_b;
  std::vector<std::int64_t> per_class;
  std::size_t classes = 0, supports = 0;

  bool is_linear() const { return supports == 0; }
  std::size_t pairs() const { return classes * (classes - 1) / 2; }
  // Do the lengths of all lists match?
  bool fits(std::size_t features) const {
    if (classes < 1 || classes > 4096) return false;
    if (is_linear()) return !rho.empty() && coefficients.size() >= classes * features;
    if (per_class.size() != classes || classes < 2 || vectors.size() / supports < features) return false;
    if (coefficients.size() < (classes - 1) * supports || rho.size() < pairs()) return false;
    return prob_a.empty() || (prob_a.size() >= pairs() && prob_b.size() >= pairs());
  }
};

std::optional<SvmClassifier> svm_classifier(Call& call) {
  const auto kernel = Kernel::from(call.params);
  const auto transform = post_transform_of(call.params);
  if (!kernel || !transform) return std::nullopt;
  SvmClassifier svm{*kernel,
                    *transform,
                    ClassLabels::from(call.params, "classlabels_ints"),
                    reals_of(call, "support_vectors"),
                    reals_of(call, "coefficients"),
                    reals_of(call, "rho"),
                    reals_of(call, "prob_a"),
                    reals_of(call, "prob_b")};
  svm.per_class = call.params.integers("vectors_per_class").value_or(std::vector<std::int64_t>());
  svm.classes = std::max<std::size_t>(svm.labels.size(), 1);
  for (const std::int64_t each : svm.per_class) {
    if (each < 0 || each > std::int64_t{1} << 31) return std::nullopt;
    svm.supports += static_cast<std::size_t>(each);
  }
  if (svm.is_linear()) svm.kernel.type = "LINEAR";
  return svm;
}

// One decision for each pair of classes, and how many decisions each class won.
struct Decisions {
  std::vector<double> scores;
  std::vector<int> votes;
};

Decisions decide(const SvmClassifier& svm, std::span<const double> row) {
  std::vector<double> kernels;
  for (std::size_t k = 0; k < svm.supports; ++k)
    kernels.push_back(svm.kernel(row, svm.vectors.data() + k * row.size()));
  std::vector<std::size_t> first{0};
  for (const std::int64_t each : svm.per_class) first.push_back(first.back() + static_cast<std::size_t>(each));
  Decisions made{{}, std::vector<int>(svm.classes, 0)};
  const auto part = [&](std::size_t row_of_coefficients, std::size_t of) {
    double sum = 0;
    for (std::size_t k = first[of]; k < first[of + 1]; ++k)
      sum += static_cast<double>(svm.coefficients[row_of_coefficients * svm.supports + k]) * kernels[k];
    return sum;
  };
  for (std::size_t i = 0; i < svm.classes; ++i) {
    for (std::size_t j = i + 1; j < svm.classes; ++j) {
      const double score = static_cast<double>(svm.rho[made.scores.size()]) + part(j - 1, i) + part(i, j);
      made.scores.push_back(score);
      ++made.votes[score > 0 ? i : j];
    }
  }
  return made;
}

// Computes the probabilities of the classes from those of each pair (Wu, Lin and Weng 2004, their second method), like
// libsvm.
std::vector<double> coupled(const SvmClassifier& svm, std::span<const double> scores) {
  const std::size_t n = svm.classes;
  std::vector<double> r(n * n, 0), q(n * n, 0), p(n, 1 / static_cast<double>(n)), qp(n);
  for (std::size_t i = 0, pair = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j, ++pair) {
      const double chance =
          1 - logistic(scores[pair] * static_cast<double>(svm.prob_a[pair]) + static_cast<double>(svm.prob_b[pair]));
      r[i * n + j] = std::clamp(chance, 1e-7, 1 - 1e-7);
      r[j * n + i] = 1 - r[i * n + j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      q[i * n + i] += r[j * n + i] * r[j * n + i];
      q[i * n + j] = -r[j * n + i] * r[i * n + j];
    }
  }
  for (std::size_t round = 0; round < std::max<std::size_t>(100, n); ++round) {
    double pqp = 0, error = 0;
    for (std::size_t i = 0; i < n; ++i) {
      qp[i] = 0;
      for (std::size_t j = 0; j < n; ++j) qp[i] += q[i * n + j] * p[j];
      pqp += p[i] * qp[i];
    }
    for (std::size_t i = 0; i < n; ++i) error = std::max(error, std::abs(qp[i] - pqp));
    if (error < 0.005 / static_cast<double>(n)) break;
    for (std::size_t i = 0; i < n; ++i) {
      const double change = (pqp - qp[i]) / q[i * n + i];
      p[i] += change;
      pqp = (pqp + change * (change * q[i * n + i] + 2 * qp[i])) / (1 + change) / (1 + change);
      for (std::size_t j = 0; j < n; ++j) {
        qp[j] = (qp[j] + change * q[i * n + j]) / (1 + change);
        p[j] /= 1 + change;
      }
    }
  }
  return p;
}

// Turns a single score for two classes into one for each; false for transforms that implementations disagree about.
bool write_both(PostTransform transform, std::vector<double>& scores) {
  if (transform != PostTransform::kNone && transform != PostTransform::kLogistic) return false;
  scores.insert(scores.begin(), -scores[0]);
  transform_scores(transform, scores);
  return true;
}

}  // namespace

void infer_svm_classifier(Inference& in) {
  const std::size_t labels = ClassLabels::from(in.params, "classlabels_ints").size();
  const bool certain = in.params.given("prob_a") && labels > 2;
  infer_classifier(in, "classlabels_ints", certain ? Dim::size(static_cast<std::int64_t>(labels)) : Dim());
}

bool evaluate_svm_classifier(Call& call) {
  const auto rows = feature_rows(call);
  if (!rows) return false;
  const auto svm = svm_classifier(call);
  if (!svm) return call.fail("post_transform, kernel_type or vectors_per_class is not valid");
  if (!svm->fits(rows->features)) return call.fail("the lists of coefficients, vectors, rho and labels do not match");
  spend_steps(rows->rows, svm->classes * svm->classes * (svm->prob_a.empty() ? 1 : 400) + svm->supports + 1,
              rows->features + 1);
  const bool has_chances = !svm->prob_a.empty() && !svm->is_linear();
  const bool positive = std::all_of(svm->coefficients.begin(), svm->coefficients.end(), [](float c) { return c >= 0; });
  std::vector<std::size_t> places;
  std::vector<double> results;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    std::vector<double> scores;
    std::size_t best = 0;
    double weight = 0;
    if (svm->is_linear()) {
      for (std::size_t c = 0; c < svm->classes; ++c)
        scores.push_back(static_cast<double>(svm->rho[0]) +
                         svm->kernel(rows->row(i), svm->coefficients.data() + c * rows->features));
      best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
      weight = scores[best];
    } else {
      const Decisions made = decide(*svm, rows->row(i));
      scores = has_chances ? coupled(*svm, made.scores) : made.scores;
      best = static_cast<std::size_t>(std::max_element(made.votes.begin(), made.votes.end()) - made.votes.begin());
      weight = made.votes[best];
    }
    if (svm->rho.size() == 1 && svm->labels.size() != 2) {
      best = weight > 0 ? 1 : 0;
    } else if (svm->rho.size() == 1 && !has_chances && positive && weight >= 0.5) {
      best = 1;
    }
    places.push_back(best);
    if (scores.size() == 1 && svm->rho.size() == 1 && svm->labels.size() == 2) {
      if (!write_both(svm->transform, scores)) return call.fail("this post_transform of two classes is not supported");
    } else {
      transform_scores(svm->transform, scores);
    }
    results.insert(results.end(), scores.begin(), scores.end());
  }
  return set_classes(call, svm->labels, places, results, rows->rows);
}

}  // namespace onnxpress::ops
