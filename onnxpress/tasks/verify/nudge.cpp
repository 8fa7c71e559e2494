// Numbers move by a share of themselves; zeros by a share of the usual size.
#include "onnxpress/tasks/verify/nudge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/tasks/verify/distance.h"

namespace onnxpress::tasks {

namespace {

// Which way the i-th element moves: up or down. Signs change after so many elements; 0: never.
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
  for (std::size_t i = 0; i < from.size(); ++i)
    to[i] = from[i] + sign(i, direction) * nudge * (from[i] != 0 ? std::abs(from[i]) : usual);
  const auto narrow = ops::converted(moved, array.type());
  return narrow ? *narrow : array;
}

// Does it depend on inputs, and on no other float that does?
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

// Factors around 1 along the last axis, or one where its size is not known.
Tensor* factors(Model& model, const ops::Fact& fact, double nudge, std::size_t direction) {
  std::int64_t size = 1;
  if (fact.shape && !fact.shape->empty()) size = fact.shape->back().size().value_or(1);
  ops::Array wide = ops::Array::make<double>(size > 1 ? ops::Sizes{size} : ops::Sizes{});
  for (std::size_t i = 0; i < wide.count(); ++i) wide.mutable_data<double>()[i] = 1 + sign(i, direction) * nudge;
  const auto narrow = ops::converted(wide, fact.element);
  return narrow ? narrow->to_tensor(model.arena(), "") : nullptr;
}

using NodeFacts = std::map<std::uint32_t, const ops::Fact*>;  // of a result, by id of its node, which a clone keeps

// A product with factors after each of these nodes.
void insert_factors(Model& model, const NodeFacts& found, double nudge, std::size_t direction) {
  Graph& graph = model.graph();
  for (Node& node : graph.nodes()) {
    const auto at = found.find(node.id());
    if (at == found.end() || node.output(0)->is_output()) continue;
    Tensor* tensor = factors(model, *at->second, nudge, direction);
    if (!tensor) continue;
    Value* moved = graph.create_value({});
    graph.replace_operands(node.output(0), moved);
    Value* operands[] = {node.output(0), add_constant(model, graph, nullptr, tensor)};
    Value* results[] = {moved};
    NodeParts parts;
    parts.op_type = "Mul";
    parts.inputs = operands;
    parts.outputs = results;
    graph.insert_before(node.next(), parts);
  }
}

}  // namespace

// The top bit of a mixed number: no pattern that an average over neighbours would cancel.
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

NamedArrays nudged(const NamedArrays& inputs, double nudge, std::size_t direction) {
  NamedArrays moved;
  for (const auto& [name, array] : inputs) moved.emplace_back(name, nudged(array, nudge, direction));
  return moved;
}

std::optional<Model> nudged_model(const Model& model, const analysis::Facts& facts, double nudge,
                                  std::size_t direction) {
  NodeFacts found;
  for (const Node& node : model.graph().nodes()) {
    if (is_first_float(node, facts)) found.emplace(node.id(), &facts.of(*node.output(0)));
  }
  if (found.empty() || !has_plain_initializers(model)) return std::nullopt;
  Model copy = model.clone();
  insert_factors(copy, found, nudge, direction);
  return copy;
}

}  // namespace onnxpress::tasks
