// Runs both models on the same inputs, and the original once more on inputs that differ by a millionth.
#include "onnxpress/tasks/optimize/compare_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/tasks/inputs/random_input.h"

namespace onnxpress::tasks {

namespace {

using Outputs = std::vector<ops::Datum>;
constexpr double kFar = std::numeric_limits<double>::infinity();

template <typename Change>
NamedArrays with_floats(const NamedArrays& inputs, const Change& change) {
  NamedArrays changed = inputs;
  for (auto& [name, array] : changed) {
    if (!is_float(array.type())) continue;
    const auto wide = ops::converted(array, ElementType::kDouble);
    if (!wide) continue;
    ops::Array copy = *wide;
    auto numbers = copy.mutable_data<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = change(numbers[i], i);
    if (const auto narrow = ops::converted(copy, array.type())) array = *narrow;
  }
  return changed;
}

// Floats times 1 + 1e-6, in turns up and down.
NamedArrays nudged(const NamedArrays& inputs) {
  return with_floats(inputs, [](double x, std::size_t i) { return x * (i % 2 == 0 ? 1 + 1e-6 : 1 - 1e-6); });
}

// Every other number is one at which functions bend: zeros of both signs, ones, and some that are far out.
NamedArrays with_edges(const NamedArrays& inputs) {
  constexpr double kEdges[] = {0.0, -0.0, 1, -1, 6, -6, 1e-7, 100, -100};
  return with_floats(inputs,
                     [&](double x, std::size_t i) { return i % 2 == 0 ? x : kEdges[(i / 2) % std::size(kEdges)]; });
}

NamedArrays with_zeros(const NamedArrays& inputs) {
  return with_floats(inputs, [](double, std::size_t) { return 0.0; });
}

// Branches that an input decides (merged decoders: use_cache_branch) are both taken.
NamedArrays with_other_flags(const NamedArrays& inputs) {
  NamedArrays flipped = inputs;
  for (auto& [name, array] : flipped) {
    if (array.type() != ElementType::kBool || array.count() != 1) continue;
    array = ops::Array::scalar(ops::Bool(!static_cast<bool>(array.data<ops::Bool>()[0]))).reshaped(array.sizes());
  }
  return flipped;
}

bool has_flags(const NamedArrays& inputs) {
  return std::ranges::any_of(
      inputs, [](const auto& each) { return each.second.type() == ElementType::kBool && each.second.count() == 1; });
}

// The largest difference as a share of the largest element; infinite where type, shape, a nan or an infinity differs.
double distance(const ops::Array& a, const ops::Array& b) {
  if (a.type() != b.type() || a.sizes() != b.sizes()) return kFar;
  if (a.is_string()) return std::ranges::equal(a.data<std::string>(), b.data<std::string>()) ? 0 : kFar;
  const auto left = ops::converted(a, ElementType::kDouble), right = ops::converted(b, ElementType::kDouble);
  if (!left || !right) return 0;
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < left->count(); ++i) {
    const double x = left->data<double>()[i], y = right->data<double>()[i];
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) {
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
      continue;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) return kFar;
    largest = std::max(largest, std::abs(x));
    difference = std::max(difference, std::abs(x - y));
  }
  return difference == 0 ? 0 : difference / std::max(largest, 1e-30);
}

double distance(const Outputs& a, const Outputs& b) {
  if (a.size() != b.size()) return kFar;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].array() && b[i].array()) largest = std::max(largest, distance(*a[i].array(), *b[i].array()));
    if (!a[i].array() != !b[i].array()) return kFar;
  }
  return largest;
}

// What may differ although every rewrite is right: half the digits of the shortest float that an output has.
double rounding_of(const Outputs& outputs) {
  double rounding = 1e-4;
  for (const ops::Datum& each : outputs) {
    if (!each.array()) continue;
    const ElementType type = each.array()->type();
    if (is_float(type) && bits_of(type) <= 16) rounding = 2e-2;
  }
  return rounding;
}

// Sizes of open dims: batch and others.
struct ToTry {
  std::int64_t batch, others;
};
constexpr ToTry kToTry[] = {{1, 2}, {2, 8}, {3, 5}, {1, 32}, {1, 64}, {1, 224}, {1, 512}, {1, 16000}};
constexpr std::size_t kEnoughSizes = 2;

// Open dims of a few inputs multiply: beyond this, no further size is tried.
bool is_too_large(const Model& model, const analysis::Facts& facts, const OpenDims& open) {
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 20;
  std::vector<std::string> ignored;
  std::uint64_t all = 0;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->initializer() || !facts.of(*input->value).is_tensor()) continue;
    const auto count = ops::count_of(sizes_to_make(*input->value, facts, open, ignored));
    if (!count || *count > kMostElements) return true;
    all += *count;
  }
  return all > kMostElements;
}

// Without a seed, nothing can be compared.
bool is_random(const Model& model, const analysis::OpResolver& ops) {
  bool found = false;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.plain_op_of(node);
    found |= op && op->has(ops::kRandom) && !node.is("Dropout");
  });
  return found;
}

class Comparison {
 public:
  Comparison(const Model& original, const Model& result, bool exact)
      : original_(original.clone()), result_(result.clone()), exact_(exact) {}

  ResultComparison with(const BindingOptions& bindings, const std::vector<ModelRunner>& runners) {
    const analysis::Facts facts(original_, settings_of(bindings, original_));
    if (is_random(original_, facts.ops())) {
      found_.reason = "the model draws random numbers";
      return found_;
    }
    for (const ModelRunner& runner : runners) {
      if (!found_.differs) compare_in(runner, facts);
    }
    if (found_.done && !found_.differs) found_.reason.clear();
    if (!found_.done && found_.reason.empty()) found_.reason = "the model takes too long to run";
    return found_;
  }

 private:
  void compare_in(const ModelRunner& runner, const analysis::Facts& facts) {
    const RunLoaded before = runner.load(original_, found_.reason);
    if (!before) return;
    std::string why;
    const RunLoaded after = runner.load(result_, why);
    if (!after) return fail(fmt::format("{} loads the original, but not the result: {}", runner.name, why));
    std::size_t sizes = 0;
    std::uint64_t seed = 1;
    for (const ToTry& to_try : kToTry) {
      if (sizes == kEnoughSizes || found_.differs) break;
      try {
        const OpenDims open = open_dims(original_, facts, to_try.batch, to_try.others);
        if (&to_try != kToTry && is_too_large(original_, facts, open)) break;
        const NamedArrays inputs = made_inputs(original_, facts, open, seed++);
        if (!compare_on(runner, inputs, before, after)) continue;  // too small for its windows, perhaps
        if (++sizes > 1) continue;
        compare_on(runner, with_edges(inputs), before, after);
        compare_on(runner, with_zeros(inputs), before, after);
        if (has_flags(inputs)) compare_on(runner, with_other_flags(inputs), before, after);
      } catch (const Error& error) {
        found_.reason = error.message();
      }
    }
    if (sizes > 0) found_.runners.push_back(runner.name);
  }

  // False when the original does not run on these.
  bool compare_on(const ModelRunner& runner, const NamedArrays& inputs, const RunLoaded& before,
                  const RunLoaded& after) {
    if (found_.differs) return true;
    const auto expected = before(inputs, found_.reason);
    if (!expected) return false;
    std::string why;
    const auto computed = after(inputs, why);
    if (!computed && (why.empty() || (!runner.is_runtime && !found_.runners.empty()))) return false;  // it gave up
    if (!computed) {
      fail(fmt::format("{} runs the original, but not the result: {}", runner.name, why));
      return true;
    }
    const double difference = distance(*expected, *computed);
    if (difference > 0 && (varies(*expected, before, inputs) || varies(*computed, after, inputs))) {
      found_.reason = fmt::format("in {}, the same model gives other outputs each time", runner.name);
      return false;
    }
    const auto moved = exact_ ? std::nullopt : before(nudged(inputs), why);
    const double floor = moved ? distance(*expected, *moved) : 0;
    found_.largest_difference = std::max(found_.largest_difference, difference);
    found_.floor = std::max(found_.floor, floor);
    found_.done = true;
    ++found_.runs;
    constexpr double kFloors = 10;
    const double allowed = exact_ ? 0 : std::max(rounding_of(*expected), kFloors * floor);
    if (difference > allowed)
      fail(fmt::format("in {}, an output differs by {:.2g} of its largest element", runner.name, difference));
    return true;
  }

  // Some kernels of runtimes read memory that nobody wrote.
  static bool varies(const Outputs& outputs, const RunLoaded& run, const NamedArrays& inputs) {
    std::string why;
    const auto again = run(inputs, why);
    return !again || distance(outputs, *again) > 0;
  }

  void fail(std::string reason) {
    found_.differs = true;
    found_.reason = std::move(reason);
  }

  Model original_, result_;
  bool exact_;
  ResultComparison found_;
};

}  // namespace

ModelRunner evaluator_runner(bool quick) {
  const auto load = [quick](Model& model, std::string&) -> RunLoaded {
    return [&model, quick](const NamedArrays& inputs, std::string& why) -> std::optional<Outputs> {
      analysis::Evaluator::Inputs given;
      for (const auto& [name, array] : inputs) given.emplace(name, array);
      std::optional<ops::EvaluationBudget> budget;
      if (quick) {
        budget = analysis::budget_for(model, given);
        budget->steps = std::min<decltype(budget->steps)>(budget->steps, 200'000'000);
      }
      analysis::Evaluator evaluator(model, budget);
      auto outputs = evaluator.run(given);
      if (!outputs) why = quick && evaluator.over_budget() ? "" : evaluator.why();
      return outputs;
    };
  };
  return {"the evaluator", load, false};
}

ResultComparison compare_results(const Model& original, const Model& result, const BindingOptions& bindings,
                                 const std::vector<ModelRunner>& runners, bool exact) {
  begin_stage("comparing outputs");
  return Comparison(original, result, exact).with(bindings, runners);
}

}  // namespace onnxpress::tasks
