// Adds the values to the outputs of a copy of the model, and runs it.
#include "onnxpress/tasks/shrink/lossy/value_recorder.h"

#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::tasks {

namespace {

// Splits the values into parts that fit into memory.
std::vector<std::vector<Value*>> parts_of(Model& model, const analysis::FactSettings& settings,
                                          std::span<Value* const> values) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20, kUnknown = std::uint64_t{4} << 20;
  const analysis::Facts facts(model, settings);
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

class PartRecorder {
 public:
  PartRecorder(Model& model, const std::vector<Value*>& values) : copy_(model.clone()), values_(values) {
    std::unordered_map<std::uint32_t, Value*> copies;  // by id, which a clone keeps
    for (const Node& node : copy_.graph().nodes()) {
      for (Value* output : node.outputs()) {
        if (output) copies.emplace(output->id(), output);
      }
    }
    for (std::size_t i = 0; i < model.graph().outputs().size(); ++i)
      places_.emplace(model.graph().outputs()[i]->value, i);
    for (const Value* value : values) {
      const auto found = copies.find(value->id());
      if (found == copies.end() || places_.contains(value)) continue;
      places_.emplace(value, copy_.graph().outputs().size());
      copy_.graph().add_output(found->second, nullptr);
    }
  }

  void run(const OutputError& outputs, std::span<const std::size_t> probes, const TakeValue& take) {
    const auto session = outputs.open(copy_);
    for (const std::size_t probe : probes) {
      const analysis::Evaluator::Inputs& inputs = outputs.inputs_of(probe);
      const std::vector<ops::Datum> results = session->run(engines::arrays_of(inputs));
      for (Value* value : values_) {
        const auto at = places_.find(value);
        const auto given = inputs.find(value->name());
        const ops::Array* array = at != places_.end()     ? results.at(at->second).array()
                                  : given != inputs.end() ? given->second.array()
                                                          : nullptr;
        if (array) take(*value, probe, *array);
      }
    }
  }

 private:
  Model copy_;
  const std::vector<Value*>& values_;
  std::unordered_map<const Value*, std::size_t> places_;  // among the outputs of the copy
};

}  // namespace

bool record_values(Model& model, const OutputError& outputs, std::span<Value* const> values,
                   std::span<const std::size_t> probes, const TakeValue& take,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  if (values.empty() || probes.empty()) return true;
  const auto parts = parts_of(model, outputs.fact_settings(probes.front()), values);
  std::uint64_t done = 0;
  try {
    for (const std::vector<Value*>& part : parts) {
      if (progress) progress(done++, parts.size());
      PartRecorder(model, part).run(outputs, probes, take);
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace onnxpress::tasks
