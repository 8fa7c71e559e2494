// Adds outputs to a copy of the model, and runs that.
#include "onnxpress/compare/recorder.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "onnxpress/engines/run_work.h"
#include "onnxpress/passes/regions/inline_branch.h"

namespace onnxpress::compare {

namespace {

// A copy of a model that has inner values among its outputs.
class RecordedModel {
 public:
  RecordedModel(const Model& model, std::span<Value* const> values) : copy_(model.clone()) {
    std::unordered_map<std::uint32_t, Value*> copies;  // by id, which a clone keeps
    for (Value* value : results_of(copy_)) copies.emplace(value->id(), value);
    std::size_t count = 0;
    for (const ValueInfo* output : model.graph().outputs()) outputs_.emplace(output->value, count++);
    for (const Value* value : values) {
      const auto found = copies.find(value->id());
      if (found == copies.end() || !outputs_.emplace(value, count).second) continue;
      copy_.graph().add_output(found->second, nullptr);
      ++count;
    }
  }

  Model& model() { return copy_; }
  // Which output of the copy a value of the model is.
  const std::unordered_map<const Value*, std::size_t>& outputs() const { return outputs_; }

 private:
  Model copy_;
  std::unordered_map<const Value*, std::size_t> outputs_;
};

const ops::Array* array_of(std::string_view name, const engines::NamedArrays& inputs) {
  const auto found = std::ranges::find(inputs, name, [](const auto& each) -> std::string_view { return each.first; });
  return found == inputs.end() ? nullptr : &found->second;
}

}  // namespace

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
  RecordedModel copy(model_, values);
  std::vector<ops::Datum> results = engine_.open(copy.model())->run(inputs);
  Values known;
  for (const auto& [value, output] : copy.outputs()) {
    if (output < results.size()) known.emplace(value, std::move(results[output]));
  }
  return known;
}

Recorder::Values Recorder::record_all() const { return with_inputs(record(results_of(model_))); }

Recorder::Values Recorder::with_inputs(Values known) const {
  for (const ValueInfo* input : model_.graph().inputs()) {
    if (const ops::Array* array = array_of(input->value->name(), inputs_)) known.emplace(input->value, *array);
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

void record_each(const Model& model, const engines::Engine& engine, const engines::EngineSettings& settings,
                 std::span<Value* const> values, std::span<const engines::NamedArrays* const> sets,
                 const TakeValue& take, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  if (values.empty() || sets.empty()) return;
  const auto parts = parts_to_record(values, analysis::Facts(model, engines::settings_for(*sets.front())));
  for (std::size_t done = 0; done < parts.size(); ++done) {
    if (progress) progress(done, parts.size());
    RecordedModel copy(model, parts[done]);
    const auto session = engine.open(copy.model(), settings);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const std::vector<ops::Datum> results = session->run(*sets[set]);
      for (Value* value : parts[done]) {
        const auto output = copy.outputs().find(value);
        const ops::Array* array =
            output != copy.outputs().end() ? results.at(output->second).array() : array_of(value->name(), *sets[set]);
        if (array) take(*value, set, *array);
      }
    }
  }
}

std::vector<std::vector<Value*>> parts_to_record(std::span<Value* const> values, const analysis::Facts& facts) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20, kUnknown = std::uint64_t{4} << 20;
  std::vector<std::vector<Value*>> parts;
  std::unordered_set<const Value*> seen;
  std::uint64_t bytes = 0;
  for (Value* value : values) {
    if (!seen.insert(value).second) continue;
    const auto sizes = facts.of(*value).sizes();
    const auto count = sizes ? product_of(*sizes) : std::nullopt;
    const std::uint64_t needs = count ? raw_size(facts.of(*value).element, *count).value_or(kUnknown) : kUnknown;
    if (parts.empty() || bytes + needs > kMostBytes) parts.emplace_back(), bytes = 0;
    parts.back().push_back(value);
    bytes += needs;
  }
  return parts;
}

}  // namespace onnxpress::compare
