// What is known without inference: declared inputs, initializers, and settings of the caller.
#include <fmt/format.h>

#include "onnxpress/analysis/facts/fact_engine.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/tensor_fact.h"

namespace onnxpress::analysis {

using ops::Fact;

// A dim that the file leaves open still has one size, so it gets its own symbol.
void FactEngine::declare_inputs(const Graph& graph) {
  for (const ValueInfo* input : graph.inputs()) {
    Fact fact = fact_of(input->type);
    for (std::size_t axis = 0; fact.shape && axis < fact.shape->size(); ++axis) {
      Dim& dim = (*fact.shape)[axis];
      if (dim.is_unknown()) dim = dims_.fresh(fmt::format("{}.{}", input->value->name(), axis));
    }
    table_.at(input->value->id()) = std::move(fact);
  }
}

void FactEngine::add_initializers(const Graph& graph) {
  for (const Value* value : graph.initializers()) know_initializer(*value);
  for (const Value* value : graph.sparse_initializers()) know_initializer(*value);
}

void FactEngine::know_initializer(const Value& value) {
  if (value.is_input()) return;  // only a default: callers may pass another value
  if (const Tensor* tensor = value.initializer()) return set(value, ops::fact_of_tensor(*tensor));
  const SparseTensor* sparse = value.sparse_initializer();
  if (!sparse) return;
  Fact fact =
      Fact::tensor(sparse->values ? sparse->values->type : ElementType::kUndefined, ops::shape_of_sizes(sparse->dims));
  fact.is_constant = true;
  set(value, std::move(fact));
}

// --- Settings

const Value* FactEngine::input_named(std::string_view name) {
  for (const ValueInfo* input : model_.graph().inputs()) {
    if (input->value->name() == name) return input->value;
  }
  refused_.push_back(fmt::format("there is no input {}", quote_name(name)));
  return nullptr;
}

void FactEngine::require_shape(const Value& input, const ops::Shape& wanted) {
  Fact& fact = table_.at(input.id());
  if (fact.shape && fact.shape->size() != wanted.size()) {
    refused_.push_back(
        fmt::format("input {} has {} dims, not {}", quote_name(input.name()), fact.shape->size(), wanted.size()));
    return;
  }
  if (!fact.shape) {
    fact.kind = Fact::Kind::kTensor;
    fact.shape.emplace();
    for (std::size_t axis = 0; axis < wanted.size(); ++axis)
      fact.shape->push_back(dims_.fresh(fmt::format("{}.{}", input.name(), axis)));
  }
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    const Dim declared = dims_.resolve((*fact.shape)[axis]);
    if (!dims_.unify(declared, wanted[axis])) {
      refused_.push_back(fmt::format("dim {} of input {} is {}, not {}", axis, quote_name(input.name()),
                                     onnxpress::to_string(declared), onnxpress::to_string(wanted[axis])));
    }
  }
}

void FactEngine::apply_settings() {
  for (const auto& [symbol, size] : settings_.dims) {
    if (!model_.context().has_symbol(symbol) || is_placeholder(symbol)) {
      refused_.push_back(fmt::format("no dim is called {}", quote_name(symbol)));
    } else if (!dims_.bind(symbol, size)) {
      refused_.push_back(fmt::format("dim {} cannot be {}", quote_name(symbol), size));
    }
  }
  for (const auto& [name, shape] : settings_.shapes) {
    if (const Value* input = input_named(name)) require_shape(*input, shape);
  }
  for (const auto& [name, array] : settings_.values) {
    const Value* input = input_named(name);
    if (!input) continue;
    Fact fact = Fact::of(array);
    const ElementType declared = table_.at(input->id()).element;
    if (declared != ElementType::kUndefined && declared != fact.element) {
      refused_.push_back(fmt::format("input {} has elements of type {}, not {}", quote_name(name), name_of(declared),
                                     name_of(fact.element)));
      continue;
    }
    require_shape(*input, *fact.shape);
    table_.at(input->id()) = std::move(fact);
  }
}

}  // namespace onnxpress::analysis
