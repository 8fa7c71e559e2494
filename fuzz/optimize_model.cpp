// Fuzzes optimize with most of its options (not cuts, sizes of inputs and rules): the result reads back as a sound
// model with the same interface and no less known about it, a second run changes nothing more, and, where only exact
// rewrites were allowed, it gives the same outputs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "fuzz/compare_runs.h"
#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/optimize/optimize.h"

namespace onnxpress::fuzz {

const std::size_t kOptionBytes = 4;

namespace {

constexpr std::uint64_t kOldestOpset = 7, kNewestOpset = 25;  // opsets that models are converted to
constexpr std::size_t kMostInlined = 3;  // functions; few, because each may call the next one many times

OptimizeOptions options_from(Choices& choices) {
  OptimizeOptions options;
  options.exact = choices.flag();
  options.freeze = choices.below(4) == 1;
  const auto rewrites = onnxpress::rewrites();
  const std::uint64_t chosen = choices.below(3 * rewrites.size());
  if (chosen < rewrites.size())
    options.only.emplace_back(rewrites[chosen].name);
  else if (chosen < 2 * rewrites.size())
    options.skip.emplace_back(rewrites[chosen - rewrites.size()].name);
  if (choices.below(8) == 1) options.stop_after = choices.below(20);
  options.approximate = !options.exact && choices.below(4) == 1;
  if (choices.below(4) == 1) options.target = OptimizeTarget::kOrt;
  if (choices.below(4) == 1) options.opset = kOldestOpset + choices.below(kNewestOpset - kOldestOpset + 1);
  if (choices.below(4) == 1) options.inline_functions = {"all"};
  return options;
}

bool draws_random_numbers(const Model& model, const analysis::OpResolver& ops) {
  bool found = false;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.op_of(node);
    found |= !op || op->has(ops::kRandom);
  });
  return found;
}

// The same, except for sizes below 0, which exporters write for open dims: optimize removes them when it changes a
// model.
bool same_declaration(const Type* before, const Type* after) {
  if (same_type(before, after)) return true;
  if (!before || !after || !before->is_tensor() || before->dims.size() != after->dims.size()) return false;
  std::vector<Dim> dims(before->dims.begin(), before->dims.end());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].size().value_or(0) < 0) dims[i] = after->dims[i].size() ? dims[i] : Dim();
  }
  Type opened = *before;
  opened.dims = dims;
  return same_type(&opened, after);
}

void require_same_interface(const Model& before, const Model& after, bool freeze) {
  const auto same = [](std::span<ValueInfo* const> a, std::span<ValueInfo* const> b) {
    return std::ranges::equal(a, b, [](const ValueInfo* x, const ValueInfo* y) {
      return x->value->name() == y->value->name() && same_declaration(x->type, y->type);
    });
  };
  require(freeze || same(before.graph().inputs(), after.graph().inputs()), "the inputs are the same as before");
  require(same(before.graph().outputs(), after.graph().outputs()), "the outputs are the same as before");
}

// Known sizes and types must not change.
void require_same_facts(Model& before, Model& after) {
  const analysis::Facts left(before), right(after);
  for (std::size_t i = 0; i < before.graph().outputs().size(); ++i) {
    const Value &a = *before.graph().outputs()[i]->value, &b = *after.graph().outputs()[i]->value;
    const auto x = left.shape_of(a), y = right.shape_of(b);
    if (!x || !y) continue;
    require(x->size() == y->size(), "an output keeps its rank:", a.name());
    for (std::size_t d = 0; d < x->size(); ++d) {
      const auto p = (*x)[d].size(), q = (*y)[d].size();
      require(!p || !q || *p == *q, "an output keeps its sizes:", a.name());
    }
  }
}

void optimize(std::string_view encoded, Choices& choices) {
  Model original = read(encoded), model = read(encoded);
  OptimizeOptions options = options_from(choices);
  if (original.functions.size() > kMostInlined) options.inline_functions.clear();
  const std::optional<Run> before =
      draws_random_numbers(original, analysis::OpResolver(original)) ? std::nullopt : run_before(original);
  OptimizeReport report;
  try {
    report = optimize(model, options);
  } catch (const Error& error) {
    require(std::string_view(error.hint()).find("bug in onnxpress") == std::string_view::npos,
            "optimize keeps the model sound:", error.what());
    return;
  }
  require(report.looping.empty(), "rewrites come to an end:", report.looping);
  require(verify(model).empty(), "an optimized model is sound:", verify(model));
  std::string written;
  try {
    written = format::encode_model(model);
  } catch (const Error&) {  // weights in external files
    return;
  }
  Model again = read_again(written);
  require_same_interface(original, again, options.freeze);
  // Freezing replaces inputs by their default values, and converting to another opset relies on declared shapes.
  const bool fit = defaults_fit(original);
  if (!options.freeze || fit) require_same_facts(original, again);
  if (before && options.exact && (!options.opset || fit)) require_same_outputs(*before, again);
  if (options.stop_after) return;
  const OptimizeReport second = optimize(again, options);
  require(second.steps.empty(), "a second run changes nothing more:",
          second.steps.empty() ? std::string_view() : second.steps.front().rewrite);
}

}  // namespace
}  // namespace onnxpress::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return onnxpress::fuzz::try_with_options(data, size, onnxpress::fuzz::optimize);
}
