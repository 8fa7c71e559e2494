// Answers questions about a graph, and creates nodes and constants. Replacing is in rewriter_replace.cpp.
#include "onnxpress/passes/rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/schema/runtime_only.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::passes {

using ops::Array;
using ops::Fact;
using ops::Shape;

namespace {

// Like Array::from(), but if a large weight must be copied because it is not aligned in the file, its mapped pages are
// released while it is copied.
Array array_of(const Tensor& tensor, MappedFiles files) {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  const auto* bytes = std::get_if<Bytes>(&tensor.content);
  const auto count = ops::count_of(tensor.dims);
  const bool is_aligned = bytes && reinterpret_cast<std::uintptr_t>(bytes->data()) % sizeof(double) == 0;
  if (!bytes || is_aligned || !count || bytes->size() < kLarge || bits_of(tensor.type) < 8 ||
      bytes->size() != raw_size(tensor.type, *count))
    return Array::from(tensor);
  Array made = Array::make(tensor.type, {tensor.dims.begin(), tensor.dims.end()});
  std::byte* to = made.mutable_bytes();
  for_each_part(files, tensor, *bytes, [&to](std::string_view part) {
    std::memcpy(to, part.data(), part.size());
    to += part.size();
  });
  return made;
}

bool has_room_for(std::size_t count, const std::vector<ops::Formal>& formals) {
  return count <= formals.size() || (!formals.empty() && formals.back().variadic);
}

// Whether the node has all operands that the op requires, no more operands and results than the op may have, and a
// result if the op has exactly one.
bool has_arity_of(const Node& node, const ops::Schema& schema) {
  for (std::size_t i = 0; i < schema.operands.size(); ++i) {
    const ops::Formal& formal = schema.operands[i];
    if (!formal.optional && !formal.variadic && !node.input(i)) return false;
  }
  const bool has_one_result = schema.results.size() == 1 && !schema.results[0].variadic;
  return has_room_for(node.inputs().size(), schema.operands) && has_room_for(node.output_count(), schema.results) &&
         (!has_one_result || node.output());
}

}  // namespace

const Array* NodeParams::constant(std::size_t i) const {
  const auto [at, is_new] = read_.try_emplace(i);
  if (is_new) at->second = rewriter_.constant(node().input(i));
  return at->second ? &*at->second : nullptr;
}

Rewriter::Rewriter(Model& model, const analysis::Facts& facts) : model_(model), facts_(facts) {}

// --- Questions

void Rewriter::note_refusal(std::string line) const {
  if (std::ranges::find(refusals_, line) == refusals_.end()) refusals_.push_back(std::move(line));
}

void Rewriter::refused(const Value* value, std::string_view what) const {
  if (!notes_refusals_) return;
  note_refusal(value ? fmt::format("{} {}", quote_name(value->name()), what) : fmt::format("an operand {}", what));
}

const Fact& Rewriter::fact(const Value* value) const {
  static const Fact kUnknown;
  return value ? facts_.of(*value) : kUnknown;
}

std::optional<Shape> Rewriter::shape_of(const Value* value) const {
  if (const Tensor* tensor = value ? constant_tensor(*value) : nullptr) {
    Shape shape;
    for (const std::int64_t dim : tensor->dims) shape.push_back(Dim::fits(dim) ? Dim::size(dim) : Dim());
    return shape;
  }
  const Fact& known = fact(value);
  if (!known.shape) {
    refused(value, "has a shape that is not known");
    return std::nullopt;
  }
  return ops::resolved(facts_.dims(), *known.shape);
}

ElementType Rewriter::element_of(const Value* value) const {
  if (const Tensor* tensor = value ? constant_tensor(*value) : nullptr) return tensor->type;
  const Fact& known = fact(value);
  return known.is_tensor() ? known.element : ElementType::kUndefined;
}

std::optional<Array> Rewriter::constant(const Value* value) const {
  if (!value) return std::nullopt;
  try {
    if (const Tensor* tensor = constant_tensor(*value)) return array_of(*tensor, model_.files);
  } catch (const Error&) {
    return std::nullopt;  // its file is missing or too short; writing the model will report it
  }
  const Array* known = known_elements(*value);
  if (!known) refused(value, "is not constant");
  return known ? std::optional(*known) : std::nullopt;
}

const Array* Rewriter::known_elements(const Value& value) const {
  const Fact& known = fact(&value);
  if (!is_float(known.element)) return known.constant.get();
  // Quantized layers stay as they are, so their decoded weights must not be replaced by a constant.
  const Node* maker = value.producer();
  const ops::Op* op = maker ? op_of(*maker) : nullptr;
  const bool is_decoded = op && op->has(ops::kMarksCodes);
  if (known.constant && keeps_bits_) refused(&value, "is computed in floats, which runtimes round differently (exact)");
  return keeps_bits_ || is_decoded ? nullptr : known.constant.get();
}

bool Rewriter::is_constant(const Value* value) const {
  const bool is_known = value && (constant_tensor(*value) || known_elements(*value));
  if (!is_known) refused(value, "is not constant");
  return is_known;
}

bool Rewriter::declares_rank_of(const Value& value, const Shape& shape) const {
  const Type* type = value.is_output() ? value.type() : nullptr;
  if (!type || !type->has_shape || type->dims.size() == shape.size()) return true;
  refused(&value, fmt::format("is an output declared with rank {}, but has rank {}", type->dims.size(), shape.size()));
  return false;
}

bool Rewriter::same_shape(const Value* a, const Value* b) const {
  const auto left = shape_of(a), right = shape_of(b);
  bool same = left && right && left->size() == right->size();
  for (std::size_t i = 0; same && i < left->size(); ++i) same = dims().equal((*left)[i], (*right)[i]);
  if (!same && notes_refusals_)
    refused(a, fmt::format("may have another shape than {}", quote_name(b ? b->name() : "")));
  return same;
}

std::optional<ops::Sizes> Rewriter::sizes_of(const Value& value) const {
  const auto shape = shape_of(&value);
  if (!shape) return std::nullopt;
  ops::Sizes sizes;
  for (const Dim dim : *shape) {
    if (!dim.is_size()) return std::nullopt;
    sizes.push_back(*dim.size());
  }
  return sizes;
}

std::optional<std::uint64_t> Rewriter::bytes_of(const Value& value) const {
  const auto sizes = sizes_of(value);
  const auto count = sizes ? ops::count_of(*sizes) : std::nullopt;
  return count ? raw_size(element_of(&value), *count) : std::nullopt;
}

bool Rewriter::may_take(const Value& value, std::uint64_t bytes, std::uint64_t most_bytes) const {
  if (bytes > most_computed_)
    refused(&value, fmt::format("is constant, but takes {} bytes, more than the limit of {}", bytes, most_computed_));
  else if (bytes > most_bytes)
    refused(&value,
            fmt::format("is constant, but takes {} bytes, and computing it in the model about {}", bytes, most_bytes));
  return bytes <= std::min(most_bytes, most_computed_);
}

std::optional<Array> Rewriter::computed(const Value& value, std::uint64_t most_bytes) const {
  const Fact& known = fact(&value);
  if (!known.is_tensor() || (!known.is_constant && !known.constant && !known.elements)) return std::nullopt;
  if (keeps_bits_ && is_float(known.element)) {
    refused(&value, "is computed in floats, which runtimes round differently (exact)");
    return std::nullopt;
  }
  const auto bytes = bytes_of(value);
  if (bytes && !may_take(value, *bytes, most_bytes)) return std::nullopt;
  auto array = known_or_computed(value, std::min(most_bytes, most_computed_));
  // Only now is it known how large the result of an op such as NonZero is.
  const auto made = array ? raw_size(array->type(), array->count()) : std::nullopt;
  if (!made)
    refused(&value, "is constant, but cannot be computed, or not with the memory and steps that this may take");
  return made && (bytes || may_take(value, *made, most_bytes)) ? array : std::nullopt;
}

std::optional<Array> Rewriter::known_or_computed(const Value& value, std::uint64_t most_bytes) const {
  const Fact& known = fact(&value);
  if (known.constant) return *known.constant;
  const auto sizes = known.elements ? sizes_of(value) : std::nullopt;
  if (sizes) {
    std::vector<std::int64_t> numbers;
    for (const Dim element : *known.elements) {
      const Dim resolved = dims().resolve(element);
      if (!resolved.is_size()) break;
      numbers.push_back(*resolved.size());
    }
    if (ops::count_of(*sizes) == numbers.size())
      return ops::converted(Array::of<std::int64_t>(numbers).reshaped(*sizes), known.element);
  }
  constexpr std::uint64_t kElementsPerByte = 8;  // at most, for any type
  const std::uint64_t most = std::min(most_bytes, std::uint64_t{1} << 56) * kElementsPerByte;
  return known.is_constant ? facts_.constant(value, most) : std::nullopt;
}

bool Rewriter::all_constant(std::initializer_list<const Value*> values) const {
  return std::ranges::all_of(values, [this](const Value* value) { return is_constant(value); });
}

// Rewrites assume that nodes have the operands and results that the standard requires. No runtime loads a node that
// does not, so such a node stays as it is.
const ops::Op* Rewriter::op_of(const Node& node) const {
  const bool refers =
      std::ranges::any_of(node.attributes(), [](const Attribute* each) { return each->is_reference(); });
  const ops::Op* op = refers ? nullptr : ops().plain_op_of(node);
  return op && has_arity_of(node, *op->schema) ? op : nullptr;
}

Node* Rewriter::producer(const Value* value, std::string_view op_type) const {
  Node* node = value ? value->producer() : nullptr;
  if (node && is(*node, op_type)) return node;
  if (notes_refusals_) refused(value, fmt::format("does not come from {}", op_type));
  return nullptr;
}

Node* Rewriter::sole_producer(const Value* value, std::string_view op_type) const {
  Node* node = producer(value, op_type);
  if (!node) return nullptr;
  const bool sole = !value->is_output() && value->first_use() && !value->first_use()->next();
  if (sole && node->used_outputs() == 1) return node;
  refused(value, value->is_output() ? "is an output of the graph" : "has other users");
  return nullptr;
}

// --- Making

Value* Rewriter::make(std::string_view op_type, std::span<Value* const> operands, std::span<const Parameter> parameters,
                      std::string_view domain) {
  const ops::Op* op = ops().op_named(normal_domain(domain), op_type, *position_->graph());
  if (!op || ops::is_runtime_only(*op->schema)) {
    refuse("the opset of the model has no {}", op_type);
    return nullptr;
  }
  const auto plan = plan_node(*op->schema, operands, parameters, model_.arena(),
                              [this](const Value& value) { return element_of(&value); });
  if (!plan) return nullptr;
  if (Value* result = folded(*op, *plan)) return result;
  Node* node = build(op_type, domain, *plan, 1);
  return node ? node->output() : nullptr;
}

Node* Rewriter::make_node(std::string_view op_type, std::span<Value* const> operands,
                          std::span<const Parameter> parameters, std::size_t results, std::string_view domain) {
  const ops::Op* op = ops().op_named(normal_domain(domain), op_type, *position_->graph());
  if (!op || ops::is_runtime_only(*op->schema) || !ops::formal_at(op->schema->results, results - 1)) return nullptr;
  const auto plan = plan_node(*op->schema, operands, parameters, model_.arena(),
                              [this](const Value& value) { return element_of(&value); });
  if (!plan) return nullptr;
  Node* node = build(op_type, domain, *plan, results);
  return node;
}

// Imports version 1, which OpResolver assumes for a domain that is not imported.
void Rewriter::import(std::string_view domain) {
  if (is_standard_domain(domain)) return;
  const Graph* root = position_->graph();
  while (const Graph* parent = root->parent()) root = parent;
  std::vector<OpsetImport>* imports = &model_.opsets;
  bool* changed = nullptr;
  for (Function* function : model_.functions) {
    if (function->body != root) continue;
    imports = &function->opsets;
    changed = &function->changed;
  }
  if (opset_in(*imports, domain)) return;
  imports->push_back({domain, 1, {}});
  made_imports_.emplace_back(imports, domain);
  if (changed) *changed = true;
  model_.mark_changed();
}

Node* Rewriter::build(std::string_view op_type, std::string_view domain, const NodePlan& plan, std::size_t results) {
  Graph& graph = *position_->graph();
  Arena& arena = model_.arena();
  domain = domain.empty() ? domain : arena.text(domain);
  import(domain);
  std::vector<Value*> inputs, outputs;
  for (const NodePlan::Operand& operand : plan.operands) {
    inputs.push_back(operand.constant ? constant(*operand.constant) : operand.value);
    if (operand.constant && !inputs.back()) return nullptr;
  }
  for (std::size_t i = 0; i < results; ++i) outputs.push_back(graph.create_value({}));
  made_nodes_.push_back(graph.insert_before(position_, {.op_type = arena.text(op_type),
                                                        .domain = domain,
                                                        .inputs = inputs,
                                                        .outputs = outputs,
                                                        .attributes = plan.attributes}));
  return made_nodes_.back();
}

// Whether each element of the result is an element of an operand.
bool copies_elements(const ops::Op& op) { return op.has(ops::kMovesData) || op.has(ops::kJoinsData); }

// The result as a constant, if all operands are known and it is not too large; null otherwise. Computed on a node in a
// separate model, so that listeners are not told about it.
Value* Rewriter::folded(const ops::Op& op, const NodePlan& plan) {
  if (!op.def || !op.def->evaluate || op.has(ops::kRandom) || op.has(ops::kHasBodies)) return nullptr;
  Model scratch;
  std::vector<Value*> inputs;
  std::vector<ops::Datum> data(plan.operands.size());
  std::vector<const ops::Datum*> known(plan.operands.size(), nullptr);
  std::vector<Fact> facts(plan.operands.size());
  std::vector<const Fact*> fact_pointers(plan.operands.size(), nullptr);
  for (std::size_t i = 0; i < plan.operands.size(); ++i) {
    const NodePlan::Operand& operand = plan.operands[i];
    inputs.push_back(operand.given() ? scratch.graph().create_value({}) : nullptr);
    if (!operand.given()) continue;
    const auto array = operand.constant ? operand.constant : constant(operand.value);
    if (!array || array->count() * array->width() > kMostFoldedBytes) return nullptr;
    facts[i] = fact_of_constant(*array);
    data[i] = *array;
    known[i] = &data[i];
    fact_pointers[i] = &facts[i];
  }
  Value* output = scratch.graph().create_value({});
  const Node* node = scratch.graph().append({.op_type = op.schema->name,
                                             .domain = op.schema->domain,
                                             .inputs = inputs,
                                             .outputs = {&output, 1},
                                             .attributes = plan.attributes});
  ops::Inference inference(*node, op, fact_pointers, facts_.dims());
  if (!op.def->infer) return nullptr;
  op.def->infer(inference);
  const auto sizes = inference.result().sizes();
  const auto count = sizes ? ops::count_of(*sizes) : std::nullopt;
  const auto bytes = count ? raw_size(inference.result().element, *count) : std::nullopt;
  if (!bytes || *bytes > kMostFoldedBytes) return nullptr;
  if (keeps_bits_ && is_float(inference.result().element) && !copies_elements(op)) return nullptr;
  ops::EvaluationMeter meter(ops::EvaluationBudget::for_size(*bytes));
  const auto results = analysis::evaluate_node(*node, op, known, nullptr, meter);
  for (const NodePlan::Operand& operand : plan.operands) {  // often weights in the file that nothing else reads
    if (const Tensor* tensor = operand.value ? constant_tensor(*operand.value) : nullptr)
      release_pages(model_.files, *tensor);
  }
  const Array* array = results && !results->empty() ? results->front().array() : nullptr;
  return array ? constant(*array) : nullptr;
}

Fact Rewriter::fact_of_constant(const Array& array) const {
  if (array.count() <= ops::kMostElementsKnown) return Fact::of(array);
  Shape shape;
  for (const std::int64_t size : array.sizes()) shape.push_back(Dim::size(size));
  Fact fact = Fact::tensor(array.type(), std::move(shape));
  fact.constant = std::make_shared<const Array>(array);
  fact.is_constant = true;
  return fact;
}

// In old opsets a Constant cannot hold integers, and old models need one where newer ones have an initializer.
bool Rewriter::can_hold_constant(ElementType type) const {
  const Graph& graph = *position_->graph();
  if (&graph == &model_.graph() && has_plain_initializers(model_)) return true;
  const ops::Op* op = ops().op_named("", "Constant", graph);
  return !op || op->schema->results.empty() || ops::allows(*op->schema, op->schema->results[0], type);
}

Value* Rewriter::constant(const Array& array) {
  if (!can_hold_constant(array.type())) {
    refuse("the opset of the model has no Constant of this type");
    return nullptr;
  }
  Graph& graph = *position_->graph();
  // At the front of the graph, so that any node can use it.
  Value* value = add_constant(model_, graph, graph.nodes().front(), array.to_tensor(model_.arena(), {}));
  made_constants_.push_back(value);
  return value;
}

Value* Rewriter::copied_constant(const Value& value) {
  const auto array = constant(&value);
  return array ? constant(*array) : nullptr;
}

Value* Rewriter::integers(std::span<const std::int64_t> values) { return constant(Array::of(values)); }

Value* Rewriter::scalar(ElementType type, double number) { return splat(type, {}, number); }

Value* Rewriter::splat(ElementType type, std::span<const std::int64_t> dims, double number) {
  const auto count = ops::count_of(dims);
  if (!count || *count * sizeof(double) > kMostFoldedBytes) return nullptr;
  Array array = Array::make<double>({dims.begin(), dims.end()});
  std::ranges::fill(array.mutable_data<double>(), number);
  const auto made = type == ElementType::kDouble ? std::optional(array) : ops::converted(array, type);
  return made ? constant(*made) : nullptr;
}

Value* Rewriter::scalar_like(const Value* value, double number) {
  const ElementType type = element_of(value);
  return type == ElementType::kUndefined ? nullptr : scalar(type, number);
}

Value* Rewriter::reshaped(Value* value, std::vector<std::int64_t> dims) {
  return value ? make("Reshape", {value}, {{"shape", std::move(dims)}}) : nullptr;
}

// --- For the driver

void Rewriter::begin(Node& node) {
  position_ = &node;
  made_nodes_.clear();
  made_constants_.clear();
  made_imports_.clear();
  note_.clear();
}

void Rewriter::undo_unused() {
  for (auto node = made_nodes_.rbegin(); node != made_nodes_.rend(); ++node) {
    if (!(*node)->erased() && (*node)->used_outputs() == 0) (*node)->graph()->erase(**node);
  }
  for (const auto& [imports, domain] : made_imports_) {
    const auto uses = [name = domain](const Node* node) { return !node->erased() && node->domain() == name; };
    if (std::ranges::none_of(made_nodes_, uses))
      std::erase_if(*imports, [name = domain](const OpsetImport& each) { return each.domain == name; });
  }
  std::vector<Value*> unused;
  for (Value* value : made_constants_) {
    if (value->is_used()) continue;
    if (Tensor* tensor = value->initializer()) {
      tensor->content = Bytes();  // frees the content; the tensor itself stays in the arena
      unused.push_back(value);
    } else {
      remove_unused_constant(*value);
    }
  }
  model_.graph().remove_initializers(unused);
  made_nodes_.clear();
  made_constants_.clear();
  made_imports_.clear();
}

}  // namespace onnxpress::passes
