// Rounds the weights again, and multiplies the results of nodes by factors that are inputs.
#include "onnxpress/compare/rounding.h"

#include <fmt/format.h>

#include <cmath>

#include "onnxpress/compare/distance.h"
#include "onnxpress/compare/nudge.h"
#include "onnxpress/compare/scaled_results.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::compare {

namespace {

// Does the node compute several floats, instead of only moving them?
bool is_rounded(const Node& node, const analysis::Facts& facts) {
  const Value* output = node.output(0);
  if (!output || node.input_count() == 0) return false;
  const ops::Fact& fact = facts.of(*output);
  if (!is_real(fact.element) || fact.is_constant || !fact.shape || fact.shape->empty()) return false;
  if (const auto sizes = fact.sizes(); sizes && product_of(*sizes).value_or(2) < 2) return false;
  const ops::Op* op = facts.ops().plain_op_of(node);
  return op && !op->has_any(ops::kView);
}

// Null if the tensor is not a weight: it has few elements (exponents, sizes), or a type that cannot be changed.
Tensor* rounded_weight(Model& model, const Tensor& tensor, double nudge, std::uint64_t seed) {
  constexpr std::size_t kFewest = 16;
  constexpr double kMost = 1e9;  // larger numbers are masks
  if (!is_real(tensor.type) || product_of(tensor.dims).value_or(0) < kFewest) return nullptr;
  const ops::Array array = ops::Array::from(tensor);
  const auto wide = as_double(array);
  if (!wide) return nullptr;
  ops::Array moved = ops::Array::make<double>(array.sizes());
  const auto from = wide->data<double>();
  const auto to = moved.mutable_data<double>();
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] = std::abs(from[i]) < kMost ? from[i] * (1 + random_sign(i, seed) * nudge) : from[i];
  const auto narrow = ops::converted(moved, array.type());
  return narrow ? narrow->to_tensor(model.arena(), tensor.name) : nullptr;
}

}  // namespace

RoundedModel::RoundedModel(const Model& model, const analysis::Facts& facts, double epsilon)
    : model_(model.clone()), epsilon_(epsilon) {
  round_weights();
  if (!has_plain_initializers(model)) return;
  scale_results(model_, model, facts,
                {.is_scaled = [&](const Node& node) { return is_rounded(node, facts); },
                 .factor_for = [&](const ops::Fact& result) { return add_factor_input(result); }});
}

void RoundedModel::round_weights() {
  std::uint64_t seed = 0;
  for_each_graph(model_, [&](Graph& graph) {
    const std::vector<Value*> initializers(graph.initializers().begin(), graph.initializers().end());
    for (Value* value : initializers) {
      if (Tensor* moved = rounded_weight(model_, *value->initializer(), epsilon_, ++seed))
        graph.set_tensor(value, moved);
    }
    for (Node& node : graph.nodes()) {
      const Tensor* tensor = node.is("Constant") && node.output(0) ? constant_tensor(*node.output(0)) : nullptr;
      Tensor* moved = tensor ? rounded_weight(model_, *tensor, epsilon_, ++seed) : nullptr;
      if (moved) graph.set_attribute(node, make_attribute(model_.arena(), "value", moved));
    }
  });
}

Value* RoundedModel::add_factor_input(const ops::Fact& fact) {
  Factor factor{.input = {}, .type = fact.element, .size = factor_count(fact)};
  for (std::size_t i = factors_.size();; ++i) {
    factor.input = fmt::format("rounding_{}", i);
    if (model_.context().names.find(factor.input) == NameTable::kNone) break;
  }
  const std::int64_t dims[] = {factor.size};
  const Type* type = make_tensor_type(model_.arena(), factor.type, dims);
  Value* value = model_.graph().create_value(model_.arena().text(factor.input), type);
  model_.graph().add_input(value, type);
  factors_.push_back(std::move(factor));
  return value;
}

engines::NamedArrays RoundedModel::factors(std::size_t draw) const {
  constexpr double kUnitsLater = 4;
  const double nudge = epsilon_ * (draw < kDraws / 2 ? 1 : kUnitsLater);
  engines::NamedArrays all;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    ops::Array wide = ops::Array::make<double>({factors_[f].size});
    const auto numbers = wide.mutable_data<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 + random_sign(i, f * kDraws + draw) * nudge;
    if (auto narrow = ops::converted(wide, factors_[f].type)) all.emplace_back(factors_[f].input, std::move(*narrow));
  }
  return all;
}

}  // namespace onnxpress::compare
