// Matches by names first, then by hashes of how values are computed.
#include "onnxpress/compare/match_values.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/compare/recorder.h"

namespace onnxpress::compare {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdU;
  return a ^ (a >> 29);
}
std::uint64_t hash_of(std::string_view text) { return std::hash<std::string_view>()(text); }

// Values with the same hash are computed by the same ops from the same inputs; all constants look the same.
std::unordered_map<const Value*, std::uint64_t> structure_of(const Model& model) {
  constexpr std::uint64_t kConstant = 17, kNothing = 5;
  std::unordered_map<const Value*, std::uint64_t> hashes;
  std::uint64_t number = 100;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (!input->value->initializer()) hashes.emplace(input->value, ++number);
  }
  for (const Node& node : model.graph().nodes()) {
    std::uint64_t hash = mixed(hash_of(node.op_type()), hash_of(normal_domain(node.domain())));
    bool constant = true;
    for (const Use& use : node.inputs()) {
      const auto known = use.value() ? hashes.find(use.value()) : hashes.end();
      const std::uint64_t operand = !use.value() ? kNothing : known == hashes.end() ? kConstant : known->second;
      constant &= operand == kConstant || operand == kNothing;
      hash = mixed(hash, operand);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      // A value that depends on no input is a constant, however it is stored.
      if (node.output(i)) hashes.emplace(node.output(i), constant ? kConstant : mixed(hash, i));
    }
  }
  std::erase_if(hashes, [](const auto& each) { return each.second == kConstant; });
  return hashes;
}

MatchedValues match_names(const std::vector<Value*>& first, const std::vector<Value*>& second) {
  std::unordered_map<std::string_view, const Value*> named;
  for (const Value* value : second) {
    if (!value->name().empty()) named.emplace(value->name(), value);
  }
  MatchedValues found;
  std::size_t same_op = 0;
  for (const Value* value : first) {
    const auto at = value->name().empty() ? named.end() : named.find(value->name());
    if (at == named.end()) continue;
    found.emplace(value, at->second);
    same_op += value->producer()->op_type() == at->second->producer()->op_type() ? 1 : 0;
  }
  // If most ops differ, the names are probably short generated ones that mean something else in each model.
  if (same_op * 2 < found.size()) found.clear();
  return found;
}

}  // namespace

MatchedValues match_values(const Model& first, const Model& second) {
  const std::vector<Value*> left = results_of(first), right = results_of(second);
  MatchedValues found = match_names(left, right);
  std::unordered_set<const Value*> taken;
  for (const auto& [a, b] : found) taken.insert(b);
  // The outputs of the models correspond to each other, whatever computes them.
  const auto outputs = first.graph().outputs(), others = second.graph().outputs();
  for (std::size_t i = 0; i < outputs.size() && outputs.size() == others.size(); ++i) {
    const Value *a = outputs[i]->value, *b = others[i]->value;
    if (a->producer() && b->producer() && !taken.contains(b) && found.emplace(a, b).second) taken.insert(b);
  }
  const auto hashes = structure_of(first), other_hashes = structure_of(second);
  std::unordered_map<std::uint64_t, std::vector<const Value*>> open;
  for (const Value* value : right) {
    const auto hash = other_hashes.find(value);
    if (!taken.contains(value) && hash != other_hashes.end()) open[hash->second].push_back(value);
  }
  std::unordered_map<std::uint64_t, std::size_t> next;
  for (const Value* value : left) {
    const auto hash = hashes.find(value);
    if (found.contains(value) || hash == hashes.end()) continue;
    const auto candidates = open.find(hash->second);
    if (candidates == open.end()) continue;
    std::size_t& at = next[hash->second];
    if (at < candidates->second.size()) found.emplace(value, candidates->second[at++]);
  }
  return found;
}

}  // namespace onnxpress::compare
