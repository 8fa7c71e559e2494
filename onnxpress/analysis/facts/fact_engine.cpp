// Walks graphs, bodies and functions, and infers each node after everything it reads.
#include "onnxpress/analysis/facts/fact_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/schema/onnx_shapes.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::analysis {

using ops::Fact;

namespace {

constexpr std::size_t kMostDepth = 64;             // of bodies and functions: deeper ones stay unknown
constexpr std::size_t kMostFoldedElements = 1024;  // results larger than this are not computed here
constexpr std::size_t kMostReadElements = 65536;   // nor are operands with more elements than this read

// Adds one to a counter during its lifetime.
class Deeper {
 public:
  explicit Deeper(std::size_t& count, bool counts = true) : count_(count), by_(counts ? 1 : 0) { count_ += by_; }
  ~Deeper() { count_ -= by_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  std::size_t& count_;
  std::size_t by_;
};

// Where ONNX's inference does not know the shape of the first operand, it does not look at parameters, either.
ops::FoundShape found_by_onnx(const Node& node, const ops::Schema& schema, const Fact* first) {
  if (first && !first->shape && !first->inner) return ops::FoundShape::kNothing;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i) && ops::is_parameter(schema, i) && !constant_tensor(*node.input(i)))
      return ops::shape_found_by_onnx(schema);
  }
  return ops::FoundShape::kAll;
}

}  // namespace

FactEngine::FactEngine(const Model& model, FactSettings settings)
    : model_(model), settings_(std::move(settings)), ops_(model), dims_(model.context()), most_visits_(usual_visits()) {
  infer_model();
}

FactEngine::~FactEngine() = default;

void FactEngine::infer_model() {
  declare_inputs(model_.graph());
  apply_settings();
  if (!settings_.solve_dims || settings_.as_runtime) dims_.hold();
  call_sets_ = {&joined_};
  infer_nodes(model_.graph(), nullptr);
  publish_calls();
}

// --- Results

// Fills in from the declaration what was not inferred.
void FactEngine::add_declared(const Value& value, Fact& fact) {
  const Fact declared = fact_of(value.type());
  if (fact.kind == Fact::Kind::kUnknown) {
    fact = declared;
    return;
  }
  if (!fact.is_tensor() || !declared.is_tensor()) return;
  if (fact.element == ElementType::kUndefined) fact.element = declared.element;
  if (!fact.shape) fact.shape = declared.shape;
  if (!fact.shape || !declared.shape || fact.shape->size() != declared.shape->size()) return;
  for (std::size_t axis = 0; axis < fact.shape->size(); ++axis) {
    Dim& dim = (*fact.shape)[axis];
    const Dim stated = (*declared.shape)[axis];
    // A symbol that only says that the size depends on data knows less than a declared size.
    const bool is_open = dims_.resolve(dim).is_symbol() && !dims_.is_named(dims_.resolve(dim));
    if (dim.is_unknown() || (settings_.trust_value_info && is_open && stated.is_size())) dim = stated;
    if (dim.is_unknown() && !settings_.as_runtime)
      dim = dims_.fresh(fmt::format("{}.{}", value.name(), axis));  // the declaration has this dim, but no size
  }
}

void FactEngine::set(const Value& value, Fact fact) {
  if ((settings_.trust_value_info || settings_.as_runtime) && value.type()) {
    const Fact inferred = fact;
    add_declared(value, fact);
    if (!same(inferred, fact)) relied_on_.insert(&value);
  }
  Fact& known = table_.at(value.id());
  // A body or function is inferred as a whole, so users inside it come later in the same walk.
  const bool changed = settling_ && depth_ == 0 && !same(known, fact);
  known = std::move(fact);
  if (changed) announce(value);
}

void FactEngine::set_unknown(const Node& node) {
  for (const Value* output : node.outputs()) {
    if (output) set(*output, Fact::unknown());
  }
}

// Inside a function, a rule that was broken in one call stays broken even if another call satisfies it, or only warns.
void FactEngine::note_rule(const Node& node, const ops::Inference& inference) {
  if (!inference.contradiction().empty()) {
    BrokenRule rule{&node, inference.contradiction(), inference.types_contradict(), inference.only_warns()};
    if (rule.is_warning && function_depth_ > 0)
      broken_.try_emplace(node.id(), std::move(rule));
    else
      broken_.insert_or_assign(node.id(), std::move(rule));
  } else if (!broken_.empty() && function_depth_ == 0) {
    broken_.erase(node.id());
  }
}

// Keeps only what a runtime knows: sizes, and dims that the file names.
Fact FactEngine::as_runtime_knows(const Fact& fact) {
  Fact known{.kind = fact.kind, .element = fact.element};
  known.inner = fact.inner;
  if (!fact.shape) return known;
  known.shape.emplace();
  for (const Dim each : *fact.shape) {
    const Dim dim = dims_.resolve(each);
    known.shape->push_back(dim.is_size() || dims_.is_named(dim) ? dim : Dim());
  }
  return known;
}

ConstantWork& FactEngine::constant_work() {
  if (!constant_work_) constant_work_.emplace(ConstantWork{ops::EvaluationMeter(budget_for_constants(model_)), {}});
  return *constant_work_;
}

// --- Nodes

void FactEngine::infer_nodes(const Graph& graph, const ops::AttributeScope* scope) {
  add_initializers(graph);
  for (const Node& node : graph.nodes()) {
    ++visits_;
    // The main graph is always walked to its end, no matter how many visits its loops and functions used up.
    if (depth_ > 0 && (visits_ > most_visits_ || depth_ > kMostDepth)) {
      give_up();
      set_unknown(node);
    } else {
      infer_node(node, scope);
    }
  }
}

void FactEngine::infer_node(const Node& node, const ops::AttributeScope* scope) {
  if (const Function* function = ops_.function_of(node)) return infer_function(node, *function, scope);
  std::vector<const Fact*> operands;
  operands.reserve(node.input_count());
  for (const Use& use : node.inputs()) {
    const Value* value = use.value();
    operands.push_back(value && !is_left_out(*value) ? &table_.at(value->id()) : nullptr);
  }
  if (const ops::Op* op = ops_.op_of(node)) return infer_op(node, *op, operands, scope);
  auto results = settings_.rules ? settings_.rules->infer(node, operands, dims_) : std::nullopt;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (const Value* output = node.output(i)) set(*output, results ? std::move((*results)[i]) : Fact::unknown());
  }
}

void FactEngine::infer_op(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
                          const ops::AttributeScope* scope) {
  ops::Inference inference(node, op, operands, dims_, scope);
  // In a loop the same symbol would mean a different size in each iteration, so symbols are remembered only outside
  // loops.
  if (repeated_ == 0) inference.remember_in(fresh_);
  std::map<const Graph*, Calls> calls;  // found by the last inference of each body
  if (op.has(ops::kHasBodies)) {
    const bool repeats = !node.is("If");
    inference.infer_body = [&, repeats](Graph& body, std::span<const Fact> inputs) {
      const ops::DimMath::Scope inside(dims_);
      const Deeper around(repeated_, repeats);
      Calls& within = calls[&body];
      within.clear();
      call_sets_.push_back(&within);
      std::vector<Fact> outputs = infer_body(body, inputs, scope);
      call_sets_.pop_back();
      return outputs;
    };
  }
  if (op.def && op.def->infer) op.def->infer(inference);
  for (const auto& [body, within] : calls) join_calls(within, *call_sets_.back());
  note_rule(node, inference);
  const bool is_closed = op.has(ops::kHasBodies) && !settings_.as_checker;
  const bool is_official = settings_.as_checker && node.domain().starts_with("ai.onnx.");
  const bool is_foreign = !is_standard_domain(node.domain()) && !is_official;
  const bool says_nothing = settings_.as_runtime && (is_closed || is_foreign);
  const bool contradicts = !inference.contradiction().empty() && !inference.only_warns();
  if (says_nothing || contradicts) return set_unknown(node);
  if (!settings_.as_runtime || operands.empty()) {
    fold(node, op, operands, scope, inference.results());
  } else {
    const bool finds_all = op.has(ops::kHasBodies) || !settings_.as_checker;
    const ops::FoundShape found = finds_all ? ops::FoundShape::kAll : found_by_onnx(node, *op.schema, operands[0]);
    for (Fact& result : inference.results()) {
      result = as_runtime_knows(result);
      if (result.shape && found == ops::FoundShape::kRank) result.shape->assign(result.shape->size(), Dim());
      if (found == ops::FoundShape::kNothing) result.shape.reset();
    }
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    // A node may list more outputs than the op has; nothing computes those.
    const bool computed = ops::formal_at(op.schema->results, i) != nullptr;
    if (const Value* output = node.output(i))
      set(*output, computed ? std::move(inference.results()[i]) : Fact::unknown());
  }
}

// Computes results that are small and depend only on constants.
void FactEngine::fold(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
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

// --- Bodies and functions

std::vector<Fact> FactEngine::infer_body(const Graph& body, std::span<const Fact> inputs,
                                         const ops::AttributeScope* scope) {
  // A branch of If depends only on values of outer graphs, and changes of those have already reached its nodes.
  const bool is_known =
      settling_ && depth_ == 0 && function_depth_ == 0 && body.inputs().empty() && inferred_bodies_.contains(&body);
  if (!is_known) {
    const Deeper inside(depth_);
    // ONNX does not follow shapes from one iteration to the next.
    const bool iterates = body.owner() && body.owner()->is("Loop");
    const bool keeps_out = settings_.as_runtime && (iterates || !settings_.as_checker);
    for (std::size_t i = 0; i < body.inputs().size(); ++i) {
      const ValueInfo& input = *body.inputs()[i];
      const bool declared = keeps_out || i >= inputs.size();
      table_.at(input.value->id()) = declared ? fact_of(input.type) : inputs[i];
    }
    infer_nodes(body, scope);
    inferred_bodies_.insert(&body);
  }
  std::vector<Fact> outputs;
  for (const ValueInfo* output : body.outputs()) outputs.push_back(table_.at(output->value->id()));
  return outputs;
}

std::optional<std::vector<Fact>> FactEngine::infer_call(const Node& node, const Function& function,
                                                        const ops::AttributeScope& inside) {
  std::vector<Fact> inputs;
  left_out_.resize(std::max<std::size_t>(left_out_.size(), model_.context().value_count));
  for (std::size_t i = 0; i < function.body->inputs().size(); ++i) {
    const Value* operand = node.input(i);
    left_out_[function.body->inputs()[i]->value->id()] = !operand || is_left_out(*operand);
    inputs.push_back(operand ? table_.at(operand->id()) : Fact::unknown());
  }
  if (const auto caller = std::ranges::find(calling_, &function); caller != calling_.end()) {
    // A recursive call is not followed: it would use up the visits that the rest of the model needs.
    recursive_.insert(caller, calling_.end());
    give_up();
    return std::nullopt;
  }
  if (settings_.as_runtime && !settings_.as_checker) return std::nullopt;
  if (depth_ >= kMostDepth || visits_ > most_visits_) {
    give_up();
    return std::nullopt;
  }
  const Deeper call(function_depth_), many(repeated_);
  calling_.push_back(&function);
  std::vector<Fact> results = infer_body(*function.body, inputs, &inside);
  calling_.pop_back();
  return results;
}

void FactEngine::infer_function(const Node& node, const Function& function, const ops::AttributeScope* scope) {
  const ops::AttributeScope inside{node.attributes(), function.attribute_defaults, scope};
  const auto inferred = infer_call(node, function, inside);
  if (inferred) join_call(function);
  std::vector<Fact> results = inferred.value_or(std::vector<Fact>());
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (const Value* output = node.output(i))
      set(*output, i < results.size() ? std::move(results[i]) : Fact::unknown());
  }
}

}  // namespace onnxpress::analysis
