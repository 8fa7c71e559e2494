// Reads initializers, and computes the results of nodes on them.
#include "onnxpress/analysis/facts/constants.h"

#include <algorithm>
#include <new>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

constexpr int kMostChained = 64;         // depth of the chain of nodes that computes a constant
constexpr std::size_t kMostNodes = 512;  // decoding a weight takes fewer than ten, a mask about a hundred

bool refers_to_attributes(const Node& node) {
  return std::ranges::any_of(node.attributes(), [](const Attribute* each) { return each->is_reference(); });
}

}  // namespace

// Computing constants should take little time in comparison with running the model.
ops::EvaluationBudget budget_for_constants(const Model& model) {
  constexpr std::uint64_t kMostSteps = 20'000'000'000;
  ops::EvaluationBudget budget = budget_for(model, {});
  budget.steps = std::min(budget.steps, kMostSteps);
  return budget;
}

std::optional<ops::Array> ConstantReader::read(const Value& value, std::uint64_t most) {
  const auto sizes = facts_.of(value).sizes();
  const auto count = sizes ? ops::count_of(*sizes) : std::nullopt;
  if (count && *count > most) return std::nullopt;
  auto array = read_all(value, 0);
  return array && array->count() <= most ? std::move(array) : std::nullopt;
}

std::optional<ops::Array> ConstantReader::read_all(const Value& value, int depth) {
  const ops::Fact& fact = facts_.of(value);
  if (fact.constant) return *fact.constant;
  if (!fact.is_constant || depth > kMostChained || work_.failed.contains(value.id())) return std::nullopt;
  const auto [at, is_new] = read_.try_emplace(&value);
  if (!is_new) return at->second;
  std::optional<ops::Array> made = value.producer() ? computed(value, depth) : stored(value);
  return read_[&value] = std::move(made);
}

std::optional<ops::Array> ConstantReader::stored(const Value& value) const {
  if (value.is_input()) return std::nullopt;
  try {
    if (const Tensor* tensor = value.initializer()) return ops::Array::from(*tensor);
    if (const SparseTensor* sparse = value.sparse_initializer()) return ops::Array::from(*sparse);
  } catch (const Error&) {  // a file that is missing or too short
  } catch (const std::bad_alloc&) {
  }
  return std::nullopt;
}

std::optional<ops::Array> ConstantReader::computed(const Value& value, int depth) {
  const Node& node = *value.producer();
  const ops::Op* op = facts_.ops().function_of(node) ? nullptr : facts_.ops().op_of(node);
  // The attributes that a function's callers pass are not known here.
  if (!op || op->has(ops::kRandom) || refers_to_attributes(node) || ++nodes_ > kMostNodes) return std::nullopt;
  return evaluated(node, *op, value.output_index(), depth);
}

std::optional<ops::Array> ConstantReader::evaluated(const Node& node, const ops::Op& op, std::size_t index, int depth) {
  std::vector<ops::Datum> data(node.input_count());
  std::vector<const ops::Datum*> operands(node.input_count(), nullptr);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!node.input(i)) continue;
    auto operand = read_all(*node.input(i), depth + 1);
    if (!operand) return std::nullopt;
    data[i] = std::move(*operand);
    operands[i] = &data[i];
  }
  const auto results = evaluate_node(node, op, operands, nullptr, work_.meter);
  const ops::Array* array = results && index < results->size() ? (*results)[index].array() : nullptr;
  if (array) return *array;
  work_.failed.insert(node.output(index)->id());  // another attempt would cost as much and fail again
  return std::nullopt;
}

}  // namespace onnxpress::analysis
