// The walk: graphs, bodies and functions, each node once it is known what it reads.
#include "onnxpress/analysis/facts/facts.h"

#include <fmt/format.h>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::analysis {

using ops::Fact;

namespace {

constexpr std::size_t kMostDepth = 64;             // of bodies and functions: deeper ones stay unknown
constexpr std::size_t kMostFoldedElements = 1024;  // results larger than this are not computed here
constexpr std::size_t kMostReadElements = 65536;   // nor are operands larger than this looked at
constexpr std::size_t kMostReadFloats = 256;       // weights that are not integers tell little about shapes

}  // namespace

Fact fact_of(const Type* type) {
  if (!type) return Fact::unknown();
  switch (type->kind) {
    case Type::Kind::kTensor: {
      Fact fact = Fact::tensor(type->element);
      if (!type->has_shape) return fact;
      ops::Shape shape;
      for (const Dim dim : type->dims) shape.push_back(dim.is_size() && *dim.size() < 0 ? Dim() : dim);
      fact.shape = std::move(shape);
      return fact;
    }
    case Type::Kind::kSequence:
    case Type::Kind::kOptional: {
      Fact fact;
      fact.kind = type->kind == Type::Kind::kSequence ? Fact::Kind::kSequence : Fact::Kind::kOptional;
      fact.inner = std::make_shared<const Fact>(fact_of(type->inner));
      return fact;
    }
    case Type::Kind::kMap: {
      Fact fact;
      fact.kind = Fact::Kind::kMap;
      fact.element = type->element;
      return fact;
    }
    case Type::Kind::kNone:
      return Fact::unknown();
    case Type::Kind::kSparseTensor:
    case Type::Kind::kOpaque:
      break;
  }
  Fact fact;
  fact.kind = Fact::Kind::kOther;
  return fact;
}

std::string to_string(const Fact& fact) {
  switch (fact.kind) {
    case Fact::Kind::kUnknown:
      return "?";
    case Fact::Kind::kTensor: {
      std::string text(fact.element == ElementType::kUndefined ? "?" : name_of(fact.element));
      if (!fact.shape) return text + "[]";
      for (std::size_t i = 0; i < fact.shape->size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "[" : ",", onnxpress::to_string((*fact.shape)[i]));
      }
      return fact.shape->empty() ? text : text + "]";
    }
    case Fact::Kind::kSequence:
      return fmt::format("seq({})", fact.inner ? to_string(*fact.inner) : "?");
    case Fact::Kind::kOptional:
      return fmt::format("optional({})", fact.inner ? to_string(*fact.inner) : "?");
    case Fact::Kind::kMap:
      return fmt::format("map({})", name_of(fact.element));
    case Fact::Kind::kOther:
      break;
  }
  return "other";
}

Facts::Facts(Model& model, FactSettings settings)
    : model_(model),
      settings_(std::move(settings)),
      ops_(model),
      dims_(std::make_unique<ops::DimMath>(model.context())),
      facts_(model.context().value_count),
      left_out_(model.context().value_count, false),
      most_visits_(std::size_t{20} * model.context().node_count + 100'000) {
  infer_model();
}

Facts::~Facts() = default;

const Fact& Facts::of(const Value& value) const { return facts_[value.id()]; }

std::optional<ops::Shape> Facts::shape_of(const Value& value) const {
  const Fact& fact = of(value);
  if (!fact.shape) return std::nullopt;
  return ops::resolved(*dims_, *fact.shape);
}

void Facts::infer_model() {
  declare_inputs(model_.graph());
  apply_settings();
  infer_nodes(model_.graph(), nullptr);
  for_each_graph(model_.graph(), [this](Graph& graph) { check_declared(graph); });
}

// --- What is given

// A dim that the file leaves open is some size all the same: it gets a symbol of its own.
void Facts::declare_inputs(const Graph& graph) {
  for (const ValueInfo* input : graph.inputs()) {
    Fact fact = fact_of(input->type);
    if (fact.shape) {
      for (std::size_t axis = 0; axis < fact.shape->size(); ++axis) {
        Dim& dim = (*fact.shape)[axis];
        if (dim.is_unknown()) dim = dims_->fresh(fmt::format("{}.{}", input->value->name(), axis));
      }
    }
    facts_[input->value->id()] = std::move(fact);
  }
}

void Facts::know_initializers(const Graph& graph) {
  for (const Value* value : graph.initializers()) {
    if (value->is_input()) continue;  // callers may give another value
    const Tensor& tensor = *value->initializer();
    ops::Shape shape;
    for (const std::int64_t dim : tensor.dims) shape.push_back(dim >= 0 && Dim::fits(dim) ? Dim::size(dim) : Dim());
    Fact fact = Fact::tensor(tensor.type, std::move(shape));
    fact.is_constant = true;
    const bool integer = is_integer(tensor.type) || tensor.type == ElementType::kBool;
    const auto count = tensor.element_count();
    if (count && *count <= (integer ? ops::kMostElementsKnown : kMostReadFloats)) {
      try {
        fact = Fact::of(ops::Array::from(tensor));
      } catch (const Error&) {  // its file is missing or too short: check says so, shapes do not depend on it
      }
    }
    facts_[value->id()] = std::move(fact);
  }
  for (const Value* value : graph.sparse_initializers()) {
    const SparseTensor& sparse = *value->sparse_initializer();
    ops::Shape shape;
    for (const std::int64_t dim : sparse.dims) shape.push_back(dim >= 0 && Dim::fits(dim) ? Dim::size(dim) : Dim());
    Fact fact = Fact::tensor(sparse.values ? sparse.values->type : ElementType::kUndefined, std::move(shape));
    fact.is_constant = true;
    facts_[value->id()] = std::move(fact);
  }
}

void Facts::apply_settings() {
  const auto input_named = [this](std::string_view name) -> const Value* {
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (input->value->name() == name) return input->value;
    }
    refused_.push_back(fmt::format("there is no input {}", quote_name(name)));
    return nullptr;
  };
  const auto unify = [this](const Value& input, const ops::Shape& wanted) {
    Fact& fact = facts_[input.id()];
    if (fact.shape && fact.shape->size() != wanted.size()) {
      refused_.push_back(
          fmt::format("input {} has {} dims, not {}", quote_name(input.name()), fact.shape->size(), wanted.size()));
      return;
    }
    if (!fact.shape) {
      fact.kind = Fact::Kind::kTensor;
      fact.shape = wanted;
      return;
    }
    for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
      const Dim declared = dims_->resolve((*fact.shape)[axis]);
      if (!dims_->unify(declared, wanted[axis])) {
        refused_.push_back(fmt::format("dim {} of input {} is {}, not {}", axis, quote_name(input.name()),
                                       onnxpress::to_string(declared), onnxpress::to_string(wanted[axis])));
      }
    }
  };
  for (const auto& [symbol, size] : settings_.dims) {
    if (!model_.context().has_symbol(symbol)) {
      refused_.push_back(fmt::format("no dim is called {}", quote_name(symbol)));
    } else if (!dims_->bind(symbol, size)) {
      refused_.push_back(fmt::format("dim {} cannot be {}", quote_name(symbol), size));
    }
  }
  for (const auto& [name, shape] : settings_.shapes) {
    if (const Value* input = input_named(name)) unify(*input, shape);
  }
  for (const auto& [name, array] : settings_.values) {
    const Value* input = input_named(name);
    if (!input) continue;
    Fact fact = Fact::of(array);
    if (facts_[input->id()].element != ElementType::kUndefined && facts_[input->id()].element != fact.element) {
      refused_.push_back(fmt::format("input {} has elements of type {}, not {}", quote_name(name),
                                     name_of(facts_[input->id()].element), name_of(fact.element)));
      continue;
    }
    unify(*input, *fact.shape);
    facts_[input->id()] = std::move(fact);
  }
}

// --- Nodes

void Facts::set(const Value& value, Fact fact) {
  if (settings_.trust_value_info && value.type()) {
    const Fact declared = fact_of(value.type());
    if (fact.kind == Fact::Kind::kUnknown) {
      fact = declared;
    } else if (fact.is_tensor() && declared.is_tensor()) {
      if (fact.element == ElementType::kUndefined) fact.element = declared.element;
      if (!fact.shape) fact.shape = declared.shape;
      if (fact.shape && declared.shape && fact.shape->size() == declared.shape->size()) {
        for (std::size_t axis = 0; axis < fact.shape->size(); ++axis) {
          Dim& dim = (*fact.shape)[axis];
          if (dim.is_unknown()) dim = (*declared.shape)[axis];
          if (dim.is_unknown()) dim = dims_->fresh(fmt::format("{}.{}", value.name(), axis));  // declared, but open
        }
      }
    }
  }
  facts_[value.id()] = std::move(fact);
}

void Facts::infer_nodes(const Graph& graph, const ops::AttributeScope* scope) {
  know_initializers(graph);
  for (const Node& node : graph.nodes()) {
    if (++visits_ > most_visits_ || depth_ > kMostDepth) {
      for (const Value* output : node.outputs()) {
        if (output) facts_[output->id()] = Fact::unknown();
      }
      continue;
    }
    infer_node(node, scope);
  }
}

void Facts::infer_node(const Node& node, const ops::AttributeScope* scope) {
  if (const Function* function = ops_.function_of(node)) {
    infer_function(node, *function, scope);
    return;
  }
  std::vector<const Fact*> operands;
  operands.reserve(node.input_count());
  for (const Use& use : node.inputs()) {
    const Value* value = use.value();
    operands.push_back(value && !left_out_[value->id()] ? &facts_[value->id()] : nullptr);
  }
  const ops::Op* op = ops_.op_of(node);
  if (!op) {
    auto results = settings_.rules ? settings_.rules->infer(node, operands, *dims_) : std::nullopt;
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (const Value* output = node.output(i)) set(*output, results ? std::move((*results)[i]) : Fact::unknown());
    }
    return;
  }
  ops::Inference inference(node, *op, operands, *dims_, scope);
  if (op->has(ops::kHasBodies)) {
    inference.infer_body = [&](Graph& body, std::span<const Fact> inputs) {
      const ops::DimMath::Scope inside(*dims_);
      return infer_body(body, inputs, scope);
    };
  }
  if (op->def && op->def->infer) op->def->infer(inference);
  fold(node, *op, operands, scope, inference.results());
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (const Value* output = node.output(i)) set(*output, std::move(inference.results()[i]));
  }
}

// Computes what is small and depends on constants only.
void Facts::fold(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
                 const ops::AttributeScope* scope, std::vector<Fact>& results) {
  if (!op.def || !op.def->evaluate || op.has(ops::kRandom) || op.has(ops::kHasBodies)) return;
  std::size_t read = 0;
  bool constant = true, known = true;
  for (const Fact* operand : operands) {
    if (!operand) continue;
    constant &= operand->is_constant;
    known &= operand->constant != nullptr;
    if (operand->constant) read += operand->constant->count();
  }
  if (!constant) return;
  for (Fact& result : results) result.is_constant = true;
  if (!known || read > kMostReadElements) return;
  for (const Fact& result : results) {
    const auto sizes = result.sizes();
    if (result.is_tensor() && result.shape &&
        (!sizes || ops::count_of(*sizes).value_or(kMostFoldedElements + 1) > kMostFoldedElements))
      return;
    if (!result.shape && read > kMostFoldedElements) return;
  }
  std::vector<ops::Datum> data(operands.size());
  std::vector<const ops::Datum*> pointers(operands.size(), nullptr);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    data[i] = *operands[i]->constant;
    pointers[i] = &data[i];
  }
  const auto computed = evaluate_node(node, op, pointers, scope, folding_);
  if (!computed) return;
  for (std::size_t i = 0; i < results.size() && i < computed->size(); ++i) {
    const ops::Array* array = (*computed)[i].array();
    if (array && array->count() <= kMostReadElements) results[i] = Fact::of(*array);
  }
}

std::vector<Fact> Facts::infer_body(const Graph& body, std::span<const Fact> inputs, const ops::AttributeScope* scope) {
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    facts_[body.inputs()[i]->value->id()] = i < inputs.size() ? inputs[i] : Fact::unknown();
  }
  ++depth_;
  infer_nodes(body, scope);
  --depth_;
  std::vector<Fact> outputs;
  for (const ValueInfo* output : body.outputs()) outputs.push_back(facts_[output->value->id()]);
  return outputs;
}

void Facts::infer_function(const Node& node, const Function& function, const ops::AttributeScope* scope) {
  const ops::AttributeScope inside{node.attributes(), function.attribute_defaults, scope};
  std::vector<Fact> inputs;
  for (std::size_t i = 0; i < function.body->inputs().size(); ++i) {
    const Value* operand = node.input(i);
    left_out_[function.body->inputs()[i]->value->id()] = !operand || left_out_[operand->id()];
    inputs.push_back(operand ? facts_[operand->id()] : Fact::unknown());
  }
  std::vector<Fact> results;
  if (depth_ < kMostDepth) results = infer_body(*function.body, inputs, &inside);
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (const Value* output = node.output(i))
      set(*output, i < results.size() ? std::move(results[i]) : Fact::unknown());
  }
}

// --- What the file says, and what stays unknown

namespace {

bool contradict(const Fact& declared, const Fact& inferred) {
  if (declared.kind == Fact::Kind::kUnknown || inferred.kind == Fact::Kind::kUnknown) return false;
  if (declared.kind != inferred.kind) return declared.kind != Fact::Kind::kOther && inferred.kind != Fact::Kind::kOther;
  if (declared.inner && inferred.inner) return contradict(*declared.inner, *inferred.inner);
  if (!declared.is_tensor()) return false;
  if (declared.element != ElementType::kUndefined && inferred.element != ElementType::kUndefined &&
      declared.element != inferred.element)
    return true;
  if (!declared.shape || !inferred.shape) return false;
  if (declared.shape->size() != inferred.shape->size()) return true;
  for (std::size_t axis = 0; axis < declared.shape->size(); ++axis) {
    const auto a = (*declared.shape)[axis].size(), b = (*inferred.shape)[axis].size();
    if (a && b && *a != *b) return true;
  }
  return false;
}

}  // namespace

void Facts::check_declared(const Graph& graph) {
  const auto check = [this](const ValueInfo& info) {
    const Fact declared = fact_of(info.type);
    Fact inferred = of(*info.value);
    if (inferred.shape) inferred.shape = ops::resolved(*dims_, *inferred.shape);
    if (contradict(declared, inferred))
      contradictions_.push_back({info.value, to_string(declared), to_string(inferred)});
  };
  for (const ValueInfo* info : graph.value_infos()) check(*info);
  for (const ValueInfo* info : graph.outputs()) check(*info);
}

bool Facts::is_complete(const Value& value) const {
  const Fact& fact = of(value);
  if (fact.kind == Fact::Kind::kUnknown) return false;
  if (!fact.is_tensor()) return true;
  if (fact.element == ElementType::kUndefined || !fact.shape) return false;
  for (const Dim dim : *fact.shape) {
    if (dims_->resolve(dim).is_unknown()) return false;
  }
  return true;
}

}  // namespace onnxpress::analysis
