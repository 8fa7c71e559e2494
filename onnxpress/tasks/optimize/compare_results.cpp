// Runs both models on the same inputs, and the original once more on inputs that differ by a millionth.
#include "onnxpress/tasks/optimize/compare_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/tasks/inputs/random_input.h"

namespace onnxpress::tasks {

namespace {

using Inputs = std::vector<std::pair<std::string, ops::Array>>;
using Outputs = std::vector<ops::Datum>;

std::optional<Outputs> run(const Model& model, const Inputs& inputs, std::string& why) {
  analysis::Evaluator evaluator(model);
  analysis::Evaluator::Inputs given;
  for (const auto& [name, array] : inputs) given.emplace(name, array);
  auto outputs = evaluator.run(given);
  if (!outputs) why = evaluator.why();
  return outputs;
}

// Floats times 1 + 1e-6, in turns up and down.
Inputs nudged(const Inputs& inputs) {
  Inputs changed = inputs;
  for (auto& [name, array] : changed) {
    if (!is_float(array.type())) continue;
    const auto wide = ops::converted(array, ElementType::kDouble);
    if (!wide) continue;
    ops::Array copy = *wide;
    auto numbers = copy.mutable_data<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= i % 2 == 0 ? 1 + 1e-6 : 1 - 1e-6;
    if (const auto narrow = ops::converted(copy, array.type())) array = *narrow;
  }
  return changed;
}

// The largest difference as a share of the largest element; infinite where type, shape, a nan or an infinity differs.
double distance(const ops::Array& a, const ops::Array& b) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
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
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].array() && b[i].array()) largest = std::max(largest, distance(*a[i].array(), *b[i].array()));
    if (!a[i].array() != !b[i].array()) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

// Sizes of open dims: batch and others.
struct ToTry {
  std::int64_t batch, others;
};
constexpr ToTry kToTry[] = {{1, 2}, {2, 8}, {1, 32}, {1, 64}, {1, 224}, {1, 512}, {1, 16000}};
constexpr std::size_t kEnoughRuns = 2;

}  // namespace

ResultComparison compare_results(const Model& original, const Model& result, const BindingOptions& bindings) {
  begin_stage("comparing outputs");
  ResultComparison found;
  Model model = original.clone();
  const analysis::Facts facts(model, settings_of(bindings, model));
  std::uint64_t seed = 1;
  for (const ToTry& sizes : kToTry) {
    if (found.runs == kEnoughRuns) break;
    try {
      const Inputs inputs = made_inputs(model, facts, open_dims(model, facts, sizes.batch, sizes.others), seed++);
      const auto expected = run(original, inputs, found.reason);
      if (!expected) continue;  // too small for its windows, perhaps: the next size may do
      const auto computed = run(result, inputs, found.reason);
      if (!computed) {
        found.differs = true;
        return found;
      }
      const auto moved = run(original, nudged(inputs), found.reason);
      const double difference = distance(*expected, *computed), floor = moved ? distance(*expected, *moved) : 0;
      found.largest_difference = std::max(found.largest_difference, difference);
      found.floor = std::max(found.floor, floor);
      found.done = true;
      ++found.runs;
      constexpr double kRounding = 1e-4, kFloors = 10;
      if (difference > std::max(kRounding, kFloors * floor)) {
        found.differs = true;
        found.reason = fmt::format("an output differs by {:.2g} of its largest element", difference);
        return found;
      }
    } catch (const Error& error) {
      found.reason = error.message();
    }
  }
  if (found.done) found.reason.clear();
  return found;
}

}  // namespace onnxpress::tasks
