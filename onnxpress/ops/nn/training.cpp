// Training: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss, and one step of Adagrad, Adam and Momentum.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

namespace {

// --- Losses of scores [N, C, ...] for targets [N, ...]

void infer_loss(Inference& in) {
  if (!require_rank_at_least(in, 0, 2) || !require_rank(in, 2, 1)) return;   // scores, weights
  if (in.shape(0) && !require_rank(in, 1, in.shape(0)->size() - 1)) return;  // labels
  in.same_as(1, 0);                                                          // the log-probabilities
  const auto reduction = in.params.text_or("reduction", "mean");
  if (reduction != "none") return in.set_shape(0, {});
  if (const Shape* scores = in.shape(0); scores && scores->size() >= 2) {
    Shape loss = *scores;
    loss.erase(loss.begin() + 1);
    return in.set_shape(0, loss);
  }
  in.same_as(0, 1);
}

// Scores as [samples, classes, places].
struct ScoreLayout {
  std::size_t samples = 0, classes = 0, places = 1;
};

std::optional<ScoreLayout> layout_of(const Array& scores, const Array& targets) {
  if (scores.rank() < 2) return std::nullopt;
  Sizes expected = scores.sizes();
  expected.erase(expected.begin() + 1);
  if (targets.sizes() != expected) return std::nullopt;
  ScoreLayout layout{static_cast<std::size_t>(scores.size(0)), static_cast<std::size_t>(scores.size(1))};
  for (std::size_t i = 2; i < scores.rank(); ++i) layout.places *= static_cast<std::size_t>(scores.size(i));
  return layout;
}

struct Loss {
  std::vector<double> each;
  double weights = 0;  // total weight of the targets that are not ignored
};

std::optional<Loss> loss_of(std::span<const double> logs, std::span<const std::int64_t> targets, const Array& weights,
                            const ScoreLayout& layout, std::optional<std::int64_t> ignored) {
  Loss loss;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::int64_t target = targets[i];
    if (ignored && target == *ignored) {
      loss.each.push_back(0);
      continue;
    }
    if (target < 0 || static_cast<std::size_t>(target) >= layout.classes) return std::nullopt;
    const auto chosen = static_cast<std::size_t>(target);
    const double weight = weights.count() ? weights.data<double>()[chosen] : 1;
    const std::size_t sample = i / layout.places, place = i % layout.places;
    loss.each.push_back(-logs[(sample * layout.classes + chosen) * layout.places + place] * weight);
    loss.weights += weight;
  }
  return loss;
}

bool finish_loss(Call& call, std::span<const double> logs, const ScoreLayout& layout) {
  const auto targets = call.array(1).integers();
  const Array weights = call.has(2) ? converted<double>(call.array(2)) : Array();
  if (!targets) return call.fail_type();
  if (call.has(2) && (weights.type() != ElementType::kDouble || weights.count() != layout.classes))
    return call.fail("the number of weights is not the number of classes");
  const auto loss = loss_of(logs, *targets, weights, layout, call.params.integer("ignore_index"));
  if (!loss) return call.fail("a target is not a class");
  const std::string_view reduction = call.params.text_or("reduction", "mean");
  const ElementType type = call.array(0).type();
  if (reduction == "none") {
    call.set(0, array_from(loss->each, call.array(1).sizes(), type).value_or(Array()));
    return true;
  }
  double sum = 0;
  for (const double each : loss->each) sum += each;
  if (reduction == "mean") sum /= loss->weights;
  call.set(0, array_from(std::span(&sum, 1), {}, type).value_or(Array()));
  return true;
}

bool evaluate_negative_log_likelihood(Call& call) {
  const Array logs = converted<double>(call.array(0));
  const auto layout = layout_of(logs, call.array(1));
  if (logs.type() != ElementType::kDouble) return call.fail_type();
  if (!layout) return call.fail("the shapes of input and target do not match");
  return finish_loss(call, logs.data<double>(), *layout);
}

// log(softmax(x)) along the classes, in place.
void log_softmax(std::span<double> scores, const ScoreLayout& layout) {
  if (scores.empty()) return;  // no classes
  for (std::size_t sample = 0; sample < layout.samples; ++sample) {
    for (std::size_t place = 0; place < layout.places; ++place) {
      double* first = scores.data() + sample * layout.classes * layout.places + place;
      double largest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::size_t c = 0; c < layout.classes; ++c) largest = std::max(largest, first[c * layout.places]);
      for (std::size_t c = 0; c < layout.classes; ++c) sum += std::exp(first[c * layout.places] - largest);
      for (std::size_t c = 0; c < layout.classes; ++c) first[c * layout.places] -= largest + std::log(sum);
    }
  }
}

bool evaluate_softmax_cross_entropy(Call& call) {
  const Array scores = converted<double>(call.array(0));
  if (scores.type() != ElementType::kDouble) return call.fail_type();
  const auto layout = layout_of(scores, call.array(1));
  if (!layout) return call.fail("the shapes of scores and labels do not match");
  std::vector<double> logs(scores.data<double>().begin(), scores.data<double>().end());
  log_softmax(logs, *layout);
  if (!finish_loss(call, logs, *layout)) return false;
  if (call.wants(1)) call.set(1, array_from(logs, scores.sizes(), call.array(0).type()).value_or(Array()));
  return true;
}

// --- Optimizers: operands are R, T, then all X, all G, all V (or H), ...; results are all new X, all new V, ...

// Each optimized tensor has `states` + 2 operands (X, its gradient and its states), and as results the new X and
// states.
void infer_step(Inference& in, std::size_t states) {
  if (in.operand_count() < 2 || (in.operand_count() - 2) % (states + 2) != 0) return;
  const std::size_t tensors = (in.operand_count() - 2) / (states + 2);
  for (std::size_t i = 0; i < in.result_count(); ++i) {
    if (tensors == 0) return;
    const Fact& x = in.operand(2 + i % tensors);
    if (x.is_tensor()) in.set_element(i, x.element);
    in.same_as(i, 2 + i % tensors);
  }
}

// One element of the tensor, its gradient and its states.
struct Step {
  double x, gradient, v, h;  // v: the momentum; h: the accumulated squared gradient
};

// Calls update(Step&) for each element; the results are x, then v and h as far as the op has them.
template <typename Update>
bool evaluate_step(Call& call, std::size_t states, bool has_v, Update&& update) {
  if (call.operand_count() < 2 || (call.operand_count() - 2) % (states + 2) != 0)
    return call.fail("the operands are not complete sets of tensors");
  const std::size_t tensors = (call.operand_count() - 2) / (states + 2);
  for (std::size_t t = 0; t < tensors; ++t) {
    std::vector<Array> parts;
    for (std::size_t k = 0; k < states + 2; ++k) {
      parts.push_back(converted<double>(call.array(2 + k * tensors + t)));
      if (parts.back().type() != ElementType::kDouble) return call.fail_type();
      if (parts.back().sizes() != parts[0].sizes()) return call.fail("the tensors of a set have different shapes");
    }
    std::vector<std::vector<double>> made(states + 1);
    for (std::size_t i = 0; i < parts[0].count(); ++i) {
      const auto part = [&](std::size_t k) { return k < parts.size() ? parts[k].data<double>()[i] : 0; };
      Step step{part(0), part(1), has_v ? part(2) : 0, has_v ? part(3) : part(2)};
      update(step);
      made[0].push_back(step.x);
      if (has_v) made[1].push_back(step.v);
      if (!has_v || states == 2) made[states].push_back(step.h);
    }
    for (std::size_t k = 0; k <= states; ++k) {
      const Array& like = call.array(2 + t);
      call.set(k * tensors + t, array_from(made[k], like.sizes(), like.type()).value_or(Array()));
    }
  }
  return true;
}

struct Rates {
  double rate = 0, count = 0;
};

std::optional<Rates> rates_of(Call& call) {
  const auto rate = call.array(0).number(), count = call.array(1).number();
  if (rate && count) return Rates{*rate, *count};
  call.fail("R or T is not a single number");
  return std::nullopt;
}

void infer_adagrad(Inference& in) { infer_step(in, 1); }
void infer_adam(Inference& in) { infer_step(in, 2); }
void infer_momentum(Inference& in) { infer_step(in, 1); }

bool evaluate_adagrad(Call& call) {
  const auto rates = rates_of(call);
  if (!rates) return false;
  const double norm = call.params.real_or("norm_coefficient", 0), epsilon = call.params.real_or("epsilon", 1e-6);
  const double rate = rates->rate / (1 + rates->count * call.params.real_or("decay_factor", 0));
  return evaluate_step(call, 1, false, [&](Step& step) {
    const double gradient = norm * step.x + step.gradient;
    step.h += gradient * gradient;
    step.x -= rate * gradient / (std::sqrt(step.h) + epsilon);
  });
}

bool evaluate_adam(Call& call) {
  const auto rates = rates_of(call);
  if (!rates) return false;
  const double norm = call.params.real_or("norm_coefficient", 0), epsilon = call.params.real_or("epsilon", 1e-6);
  const double alpha = call.params.real_or("alpha", 0.9), beta = call.params.real_or("beta", 0.999);
  const double after = 1 - call.params.real_or("norm_coefficient_post", 0);
  double rate = rates->rate;
  if (rates->count > 0) rate *= std::sqrt(1 - std::pow(beta, rates->count)) / (1 - std::pow(alpha, rates->count));
  return evaluate_step(call, 2, true, [&](Step& step) {
    const double gradient = norm * step.x + step.gradient;
    step.v = alpha * step.v + (1 - alpha) * gradient;
    step.h = beta * step.h + (1 - beta) * gradient * gradient;
    step.x = after * (step.x - rate * step.v / (std::sqrt(step.h) + epsilon));
  });
}

bool evaluate_momentum(Call& call) {
  const auto rates = rates_of(call);
  if (!rates) return false;
  const auto alpha = call.params.real("alpha"), beta = call.params.real("beta"),
             norm = call.params.real("norm_coefficient");
  const std::string_view mode = call.params.text_or("mode", "");
  if (!alpha || !beta || !norm || (mode != "standard" && mode != "nesterov"))
    return call.fail("alpha, beta, norm_coefficient or mode is missing or not valid");
  const double share = rates->count > 0 ? *beta : 1;
  return evaluate_step(call, 1, true, [&](Step& step) {
    const double gradient = *norm * step.x + step.gradient;
    step.v = *alpha * step.v + share * gradient;
    step.x -= rates->rate * (mode == "nesterov" ? gradient + *alpha * step.v : step.v);
  });
}

constexpr std::string_view kTraining = "ai.onnx.preview.training";

void cost_optimizer(CostQuery& query) {
  Dim elements = Dim::size(0);
  for (std::size_t i = 2; i < query.in.operand_count(); ++i)
    elements = query.dims.add(elements, query.operand_elements(i));
  query.cost.flops = query.product(Dim::size(4), elements);
}

constexpr OpDef kTrainingRows[] = {
    {.name = "NegativeLogLikelihoodLoss",
     .infer = infer_loss,
     .evaluate = evaluate_negative_log_likelihood,
     .cost = cost_times_operand<1>},
    {.name = "SoftmaxCrossEntropyLoss",
     .infer = infer_loss,
     .evaluate = evaluate_softmax_cross_entropy,
     .cost = cost_times_operand<6>},
    {.name = "Adagrad",
     .domain = kTraining,
     .infer = infer_adagrad,
     .evaluate = evaluate_adagrad,
     .cost = cost_optimizer},
    {.name = "Adam", .domain = kTraining, .infer = infer_adam, .evaluate = evaluate_adam, .cost = cost_optimizer},
    {.name = "Momentum",
     .domain = kTraining,
     .infer = infer_momentum,
     .evaluate = evaluate_momentum,
     .cost = cost_optimizer},
};

}  // namespace

Family training() { return kTrainingRows; }

}  // namespace onnxpress::ops
