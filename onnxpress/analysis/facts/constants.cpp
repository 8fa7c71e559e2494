// Reads initializers, and computes the results of nodes on them.
#include "onnxpress/analysis/facts/constants.h"

#include <algorithm>
#include <new>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

namespace {

constexpr int kMostSteps = 32;          // depth of the chain of nodes that computes a constant
constexpr std::size_t kMostNodes = 64;  // decoding a weight takes fewer than ten

}  // namespace

bool ConstantReader::is_small_enough(const ops::Fact& fact) const {
  const auto sizes = fact.sizes();
  const auto count = sizes ? ops::count_of(*sizes) : std::nullopt;
  return count && *count <= most_;
}

std::optional<ops::Array> ConstantReader::read(const Value& value, int depth) {
  const ops::Fact& fact = facts_.of(value);
  if (fact.constant) return fact.constant->count() <= most_ ? std::optional(*fact.constant) : std::nullopt;
  if (!fact.is_constant || !is_small_enough(fact) || depth > kMostSteps) return std::nullopt;
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
  if (!op || op->has(ops::kRandom) || ++nodes_ > kMostNodes) return std::nullopt;
  // The attributes that a function's callers pass are not known here.
  const auto refers = [](const Attribute* attribute) { return attribute->is_reference(); };
  if (std::any_of(node.attributes().begin(), node.attributes().end(), refers)) return std::nullopt;
  for (const Value* output : node.outputs()) {
    if (output && !is_small_enough(facts_.of(*output))) return std::nullopt;
  }
  std::vector<ops::Datum> data(node.input_count());
  std::vector<const ops::Datum*> operands(node.input_count(), nullptr);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!node.input(i)) continue;
    auto operand = read(*node.input(i), depth + 1);
    if (!operand) return std::nullopt;
    data[i] = std::move(*operand);
    operands[i] = &data[i];
  }
  ops::EvaluationMeter meter(ops::EvaluationBudget::for_folding());
  const auto results = evaluate_node(node, *op, operands, nullptr, meter);
  const std::size_t index = value.output_index();
  const ops::Array* array = results && index < results->size() ? (*results)[index].array() : nullptr;
  return array ? std::optional(*array) : std::nullopt;
}

}  // namespace onnxpress::analysis
