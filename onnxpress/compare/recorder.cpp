// Adds outputs to a copy of the model, and runs that.
#include "onnxpress/compare/recorder.h"

#include <unordered_set>

#include "onnxpress/passes/inline_branch.h"

namespace onnxpress::compare {

std::vector<Value*> results_of(const Model& model) {
  std::vector<Value*> found;
  for (const Node& node : model.graph().nodes()) {
    for (Value* output : node.outputs()) {
      if (output) found.push_back(output);
    }
  }
  return found;
}

Recorder::Values Recorder::record(std::span<Value* const> values, const engines::NamedArrays& inputs) const {
  Model copy = model_.clone();
  std::unordered_map<std::uint32_t, Value*> copies;  // by id, which a clone keeps
  for (Value* value : results_of(copy)) copies.emplace(value->id(), value);
  std::vector<const Value*> recorded;  // by output
  std::unordered_set<const Value*> outputs;
  for (const ValueInfo* output : model_.graph().outputs()) {
    recorded.push_back(output->value);
    outputs.insert(output->value);
  }
  for (const Value* value : values) {
    const auto found = copies.find(value->id());
    if (found == copies.end() || !outputs.insert(value).second) continue;
    copy.graph().add_output(found->second, nullptr);
    recorded.push_back(value);
  }
  std::vector<ops::Datum> results = engine_.open(copy)->run(inputs);
  Values known;
  for (std::size_t i = 0; i < results.size() && i < recorded.size(); ++i)
    known.emplace(recorded[i], std::move(results[i]));
  return known;
}

Recorder::Values Recorder::record_all() const { return with_inputs(record(results_of(model_))); }

Recorder::Values Recorder::with_inputs(Values known) const {
  for (const ValueInfo* input : model_.graph().inputs()) {
    for (const auto& [name, array] : inputs_) {
      if (input->value->name() == name) known.emplace(input->value, array);
    }
  }
  return known;
}

std::uint64_t Recorder::inline_branches() {
  constexpr int kMostRounds = 8;  // Ifs in branches of Ifs
  std::uint64_t inlined = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Node*> found;
    std::vector<Value*> conditions;
    for (Node& node : model_.graph().nodes()) {
      if (!node.is("If") || !node.input(0)) continue;
      found.push_back(&node);
      conditions.push_back(node.input(0));
    }
    if (found.empty()) break;
    const Values known = with_inputs(record(conditions));
    std::uint64_t now = 0;
    for (Node* node : found) {
      const auto at = known.find(node->input(0));
      const auto list = at != known.end() && at->second.array() ? at->second.array()->integers() : std::nullopt;
      if (list && list->size() == 1 && passes::inline_branch(model_, *node, list->front() != 0)) ++now;
    }
    if (now == 0) break;
    inlined += now;
  }
  return inlined;
}

}  // namespace onnxpress::compare
