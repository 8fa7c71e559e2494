// Changes numbers by a share of themselves, and zeros by a share of the typical size.
#include "onnxpress/compare/nudge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "onnxpress/compare/distance.h"
#include "onnxpress/compare/scaled_results.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::compare {

namespace {

// Whether the i-th element moves up or down. All elements of a block of this size move the same way; 0: all elements.
constexpr std::size_t kBlocks[kDirections] = {1, 0, 64, 1, 7, 1024, 1, 256};
double sign(std::size_t i, std::size_t direction) {
  const std::size_t block = kBlocks[direction];
  return block == 0 ? 1 : random_sign(i / block, direction);
}

ops::Array nudged(const ops::Array& array, double nudge, std::size_t direction) {
  const auto wide = as_double(array);
  if (!wide) return array;
  ops::Array moved = ops::Array::make<double>(array.sizes());
  double sum = 0;
  std::size_t finite = 0;
  for (const double each : wide->data<double>()) {
    if (!std::isfinite(each)) continue;
    sum += each * each;
    ++finite;
  }
  const double usual = sum > 0 ? std::sqrt(sum / static_cast<double>(finite)) : 1;
  const auto from = wide->data<double>();
  const auto to = moved.mutable_data<double>();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double size = from[i] != 0 ? std::abs(from[i]) : usual;
    to[i] = std::isfinite(from[i]) ? from[i] + sign(i, direction) * nudge * size : from[i];  // masks have -inf
  }
  const auto narrow = ops::converted(moved, array.type());
  return narrow ? *narrow : array;
}

// Does the node compute floats that depend on inputs, but not on other such floats?
bool is_first_float(const Node& node, const analysis::Facts& facts) {
  const Value* output = node.output(0);
  if (!output || !is_real(facts.of(*output).element) || facts.of(*output).is_constant) return false;
  bool depends = false;
  for (const Use& use : node.inputs()) {
    if (!use.value() || use.value()->initializer()) continue;
    const ops::Fact& fact = facts.of(*use.value());
    if (fact.is_constant) continue;
    if (is_real(fact.element)) return false;
    depends = true;
  }
  return depends;
}

// Factors around 1 along the last axis, or a single one if its size is not known.
Tensor* factors(Model& model, const ops::Fact& fact, double nudge, std::size_t direction) {
  const std::int64_t size = factor_count(fact);
  ops::Array wide = ops::Array::make<double>(size > 1 ? ops::Sizes{size} : ops::Sizes{});
  for (std::size_t i = 0; i < wide.count(); ++i) wide.mutable_data<double>()[i] = 1 + sign(i, direction) * nudge;
  const auto narrow = ops::converted(wide, fact.element);
  return narrow ? narrow->to_tensor(model.arena(), "") : nullptr;
}

}  // namespace

// The top bit of a hash, so that there is no pattern that an average over neighbours would cancel.
double random_sign(std::size_t i, std::uint64_t seed) {
  std::uint64_t mixed = (i + 1 + seed * 0x51ed2701U) * 0x9e3779b97f4a7c15U;
  mixed ^= mixed >> 32;
  mixed *= 0xd6e8feb86659fd93U;
  return mixed >> 63 ? 1 : -1;
}

double coarsest_epsilon(const Model& model, const analysis::Facts& facts) {
  double coarsest = 0;
  for (const Node& node : model.graph().nodes()) {
    for (const Value* output : node.outputs()) {
      if (!output) continue;
      const ops::Fact& fact = facts.of(*output);
      if (is_real(fact.element) && !fact.is_constant) coarsest = std::max(coarsest, epsilon_of(fact.element));
    }
  }
  return coarsest;
}

double nudge_of(const Model& model, const analysis::Facts& facts) {
  return std::max(1e-6, coarsest_epsilon(model, facts));
}

engines::NamedArrays nudged(const engines::NamedArrays& inputs, double nudge, std::size_t direction) {
  engines::NamedArrays moved;
  for (const auto& [name, array] : inputs) moved.emplace_back(name, nudged(array, nudge, direction));
  return moved;
}

std::optional<Model> nudged_model(const Model& model, const analysis::Facts& facts, double nudge,
                                  std::size_t direction) {
  const auto is_scaled = [&facts](const Node& node) { return is_first_float(node, facts); };
  if (!has_plain_initializers(model) || std::ranges::none_of(model.graph().nodes(), is_scaled)) return std::nullopt;
  Model copy = model.clone();
  const auto constant = [&](const ops::Fact& result) {
    Tensor* tensor = factors(copy, result, nudge, direction);
    return tensor ? add_constant(copy, copy.graph(), nullptr, tensor) : nullptr;
  };
  scale_results(copy, model, facts, {is_scaled, constant});
  return copy;
}

}  // namespace onnxpress::compare
