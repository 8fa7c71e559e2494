// Joins the sparsity of weights with the nodes that multiply by them.
#include "onnxpress/tasks/profile/sparsity_profile.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "onnxpress/analysis/sparsity/sparsity.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/ir/type.h"
#include "onnxpress/tasks/profile/profile_names.h"

namespace onnxpress {

namespace {

using analysis::WeightSparsity;
using Weights = std::unordered_map<const Value*, const WeightSparsity*>;

constexpr int kMostSteps = 16;  // nodes that decode or move a weight, between it and its reader

// The stored weight that an operand comes from: zeros stay zeros when they are moved, cast or dequantized.
const WeightSparsity* weight_behind(const analysis::Facts& facts, const Value* value, const Weights& weights) {
  for (int step = 0; value && step < kMostSteps; ++step) {
    if (const auto found = weights.find(value); found != weights.end()) return found->second;
    const Node* producer = value->producer();
    const ops::Op* op = producer ? facts.ops().plain_op_of(*producer) : nullptr;
    if (!op || !op->schema || !facts.of(*value).is_constant) return nullptr;
    const bool keeps = op->has(ops::kMovesData) || producer->is("Cast") || producer->is("DequantizeLinear");
    if (!keeps) return nullptr;
    value = producer->input(0);
  }
  return nullptr;
}

// The node's weight with the most zeros, among operands that are constant.
const WeightSparsity* sparsest(const analysis::Facts& facts, const Node& node, const Weights& weights) {
  const WeightSparsity* best = nullptr;
  for (const Use& use : node.inputs()) {
    const WeightSparsity* each = weight_behind(facts, use.value(), weights);
    if (each && each->elements > 1 && (!best || each->ratio() > best->ratio())) best = each;
  }
  return best;
}

// The weight that the multiply-adds use: the largest one.
const WeightSparsity* multiplied(const analysis::Facts& facts, const Node& node, const Weights& weights) {
  const WeightSparsity* best = nullptr;
  for (const Use& use : node.inputs()) {
    const WeightSparsity* each = weight_behind(facts, use.value(), weights);
    if (each && (!best || each->elements > best->elements)) best = each;
  }
  return best;
}

SparseWeight line_of(const WeightSparsity& weight, const analysis::TensorEntry& entry) {
  SparseWeight line;
  line.name = entry.name;
  line.type = std::string(name_of(entry.tensor->type)) + to_string(entry.tensor->dims);
  line.elements = weight.elements;
  line.zeros = weight.zeros;
  line.ratio = weight.ratio();
  line.problem = weight.problem;
  if (!weight.has_pattern) return line;
  line.block_rows = weight.block.rows;
  line.block_columns = weight.block.columns;
  line.block_ratio = weight.block.ratio;
  line.group_most = weight.groups.most;
  line.group_of = weight.groups.of;
  line.group_axis = static_cast<std::uint64_t>(weight.groups.axis);
  line.rows = weight.rows;
  line.columns = weight.columns;
  line.zero_rows = weight.lines.rows;
  line.zero_columns = weight.lines.columns;
  return line;
}

}  // namespace

SparsityProfile sparsity_profile(const Model& model, const analysis::Facts& facts, const analysis::TensorList& tensors,
                                 const std::vector<const Node*>& rows, ProfileReport& report) {
  const auto begin = Clock::now();
  const std::vector<WeightSparsity> found = analysis::sparsity_of(tensors, facts, model);
  SparsityProfile out;
  out.seconds = seconds_since(begin);
  Weights weights;
  for (const WeightSparsity& each : found) {
    const analysis::TensorEntry& entry = tensors.entries[each.tensor];
    if (entry.value) weights.emplace(entry.value, &each);
  }
  std::unordered_map<const WeightSparsity*, std::string> users;
  for (std::size_t i = 0; i < rows.size() && i < report.node_list.size(); ++i) {
    NodeProfile& line = report.node_list[i];
    if (const WeightSparsity* weight = sparsest(facts, *rows[i], weights)) line.zeros = weight->ratio();
    for (const Use& use : rows[i]->inputs()) {
      const auto own = weights.find(use.value());
      if (own != weights.end()) users.emplace(own->second, line.name);
    }
    if (!line.macs) continue;
    const WeightSparsity* weight = *line.macs > 0 ? multiplied(facts, *rows[i], weights) : nullptr;
    const double density = weight ? 1 - weight->ratio() : 1;
    line.effective_macs = static_cast<std::uint64_t>(std::llround(static_cast<double>(*line.macs) * density));
    if (line.counted) out.effective_macs += *line.effective_macs;
  }
  for (const WeightSparsity& each : found) {
    const analysis::TensorEntry& entry = tensors.entries[each.tensor];
    out.weights.push_back(line_of(each, entry));
    out.weights.back().node = users.contains(&each) ? users.at(&each) : "";
    out.bytes += entry.bytes;
    if (!each.problem.empty()) continue;
    out.elements += each.elements;
    out.zeros += each.zeros;
  }
  std::ranges::stable_sort(out.weights, std::greater<>(), &SparseWeight::zeros);
  return out;
}

}  // namespace onnxpress
