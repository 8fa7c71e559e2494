// Runs graphs: values are in a table by id, and each is dropped after its last use.
#include "onnxpress/analysis/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::analysis {

namespace {

constexpr std::size_t kMostDepth = 128;  // of bodies and functions

// The bytes that are really there: a hostile file may claim any size for data that it does not hold.
std::uint64_t bytes_of(const Tensor& tensor) {
  if (const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content))
    return (*stream)->is_known() ? (*stream)->size() : 0;
  if (!std::holds_alternative<FileRange>(tensor.content)) return tensor.stored_bytes();
  try {
    return tensor.bytes().size();  // maps the file, reads nothing
  } catch (const Error&) {
    return 0;
  }
}

std::uint64_t bytes_of(const ops::Datum& datum) {
  const ops::Array* array = datum.array();
  return array ? array->count() * array->width() : 0;
}

// Charges the meter for reading the operands. Ops that only move or count elements are charged for their results
// instead.
void spend_on_operands(ops::EvaluationMeter& meter, const ops::Op& op, std::span<const ops::Datum* const> operands) {
  const bool looks = !op.has(ops::kMovesData) && !op.has(ops::kReadsOnlyShape) && !op.has(ops::kHasBodies);
  for (const ops::Datum* operand : operands) {
    if (!operand) continue;
    if (const ops::Array* array = operand->array(); array && (looks || array->count() == 0))
      meter.spend(ops::steps_over(array->sizes()));
    if (const ops::Sequence* sequence = operand->sequence()) meter.spend(sequence->size() * 16);
  }
}

// The first required operand that is missing. Kernels rely on the presence of all required operands.
const ops::Formal* missing_operand(const ops::Op& op, std::span<const ops::Datum* const> operands) {
  for (std::size_t i = 0; i < op.schema->operands.size(); ++i) {
    const ops::Formal& formal = op.schema->operands[i];
    if (!formal.optional && !formal.variadic && (i >= operands.size() || !operands[i])) return &formal;
  }
  return nullptr;
}

// May a result be an empty optional? Otherwise a result without a value was not computed.
bool may_be_empty(const ops::Op& op, std::size_t i) {
  const ops::Formal* formal = ops::formal_at(op.schema->results, i);
  if (!formal || op.has(ops::kHasBodies)) return true;
  if (formal->type.starts_with("optional")) return true;
  for (const ops::TypeVariable& variable : op.schema->type_variables) {
    if (variable.name != formal->type) continue;
    for (const std::string_view type : variable.types) {
      if (type.starts_with("optional")) return true;
    }
  }
  return false;
}

// Charges the meter for the bytes of strings; making their array only counted the elements. Strings grow by a small
// factor from node to node, so this is early enough.
void spend_on_texts(ops::EvaluationMeter& meter, std::span<const ops::Datum> results) {
  for (const ops::Datum& result : results) {
    if (!result.array() || !result.array()->is_string()) continue;
    std::uint64_t length = 0;
    for (const std::string& text : result.array()->data<std::string>()) length += text.size();
    meter.spend(length * 16);
  }
}

}  // namespace

struct Evaluator::Plan {
  std::vector<std::vector<const Value*>> last_used_by;  // by position of the node in its graph
};

Evaluator::Evaluator(const Model& model, std::optional<ops::EvaluationBudget> budget)
    : model_(model),
      budget_(budget),
      ops_(model),
      data_(model.context().value_count),
      present_(model.context().value_count, false) {}

Evaluator::~Evaluator() = default;

bool Evaluator::fail(const Node& node, const std::string& why) {
  if (why_.empty())
    why_ = fmt::format("node {} ({}): {}", quote_name(node.name()), plain_or_quoted(node.op_type()), why);
  return false;
}

// --- Lifetimes of values

const Evaluator::Plan& Evaluator::plan_of(const Graph& graph) {
  std::unique_ptr<Plan>& plan = plans_[&graph];
  if (plan) return *plan;
  plan = std::make_unique<Plan>();
  std::unordered_map<const Value*, std::size_t> last;
  std::size_t position = 0;
  const auto use = [&](const Value* value) {
    if (value && value->graph() == &graph) last[value] = position;
  };
  for (Node& node : graph.nodes()) {
    for (const Use& each : node.inputs()) use(each.value());
    for (const Value* output : node.outputs()) use(output);
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](Graph& body) {
        for_each_graph(body, [&](Graph& inner) {
          for (const Node& each : inner.nodes()) {
            for (const Use& operand : each.inputs()) use(operand.value());
          }
          for (const ValueInfo* output : inner.outputs()) use(output->value);
        });
      });
    }
    ++position;
  }
  for (const ValueInfo* output : graph.outputs()) last.erase(output->value);
  plan->last_used_by.resize(position);
  for (const auto& [value, node] : last) plan->last_used_by[node].push_back(value);
  return *plan;
}

// --- Running

const ops::Datum* Evaluator::datum(const Value& value) {
  const std::uint32_t id = value.id();
  if (present_[id]) return &data_[id];
  if (value.initializer()) {
    data_[id] = ops::Array::from(*value.initializer());
  } else if (value.sparse_initializer()) {
    data_[id] = ops::Array::from(*value.sparse_initializer());
  } else {
    return nullptr;
  }
  present_[id] = true;
  return &data_[id];
}

std::optional<std::vector<ops::Datum>> Evaluator::run(const Inputs& inputs) {
  why_.clear();
  over_budget_.reset();
  depth_ = 0;
  meter_ = ops::EvaluationMeter(budget_ ? *budget_ : budget_for(model_, inputs));
  const ops::MeterScope counting(meter_);
  Results results;
  try {
    if (run_main(inputs, results)) return results;
  } catch (const ops::OverBudget& over) {
    over_budget_ = over.kind();
    why_ = over.what();
  } catch (const Error& error) {
    why_ = error.what();
  }
  return std::nullopt;
}

bool Evaluator::run_main(const Inputs& inputs, Results& results) {
  const Graph& graph = model_.graph();
  std::fill(present_.begin(), present_.end(), false);
  std::vector<ops::Datum> given;
  for (const ValueInfo* input : graph.inputs()) {
    const auto found = inputs.find(input->value->name());
    if (found != inputs.end()) {
      given.push_back(found->second);
    } else if (input->value->initializer()) {
      given.emplace_back(ops::Array::from(*input->value->initializer()));
    } else {
      why_ = fmt::format("input {} has no value", quote_name(input->value->name()));
      return false;
    }
  }
  return run_graph(graph, given, nullptr, results);
}

bool Evaluator::run_graph(const Graph& graph, std::span<const ops::Datum> inputs, const ops::AttributeScope* scope,
                          Results& results) {
  if (++depth_ > kMostDepth) {
    why_ = "bodies or functions are nested too deep";
    return false;
  }
  meter_.spend(ops::kStepsPerNode);  // a body without nodes may run any number of times
  const bool main = &graph == &model_.graph();
  const Plan& plan = plan_of(graph);
  for (std::size_t i = 0; i < graph.inputs().size() && i < inputs.size(); ++i) {
    const std::uint32_t id = graph.inputs()[i]->value->id();
    data_[id] = inputs[i];
    present_[id] = true;
  }
  std::size_t position = 0;
  for (const Node& node : graph.nodes()) {
    if (main && before_node) before_node(node);
    if (!run_node(node, scope)) return false;
    if (main && observe) {
      for (const Value* output : node.outputs()) {
        if (output) observe(*output, data_[output->id()]);
      }
    }
    for (const Value* ended : plan.last_used_by[position++]) {
      data_[ended->id()] = ops::Datum();
      present_[ended->id()] = false;
    }
  }
  results.clear();
  for (const ValueInfo* output : graph.outputs()) {
    const ops::Datum* value = datum(*output->value);
    if (!value) {
      why_ = fmt::format("nothing computes output {}", quote_name(output->value->name()));
      return false;
    }
    results.push_back(*value);
  }
  for (const ValueInfo* output : graph.outputs()) {
    if (output->value->graph() != &graph) continue;  // a body that returns a value from outside
    data_[output->value->id()] = ops::Datum();
    present_[output->value->id()] = false;
  }
  --depth_;
  return true;
}

bool Evaluator::run_node(const Node& node, const ops::AttributeScope* scope) {
  if (const Function* function = ops_.function_of(node)) return run_function(node, *function, scope);
  const ops::Op* op = ops_.op_of(node);
  if (!op)
    return fail(node, fmt::format("there is no such op in domain {}",
                                  quote_name(node.domain().empty() ? "ai.onnx" : node.domain())));
  if (!op->def || !op->def->evaluate) return fail(node, "this op cannot be evaluated");
  return run_op(node, *op, scope);
}

bool Evaluator::run_op(const Node& node, const ops::Op& op, const ops::AttributeScope* scope) {
  if (node.output_count() == 0) return true;  // kernels expect at least one result
  std::vector<const ops::Datum*> operands;
  try {
    for (const Use& use : node.inputs()) {
      operands.push_back(use.value() ? datum(*use.value()) : nullptr);
      // A function parameter that the call omitted is also omitted for the nodes inside.
      const bool left_out = use.value() && use.value()->is_input();
      if (use.value() && !operands.back() && !left_out)
        return fail(node, fmt::format("nothing computes operand {}", quote_name(use.value()->name())));
    }
    if (const ops::Formal* formal = missing_operand(op, operands))
      return fail(node, fmt::format("its operand {} is missing", quote_name(formal->name)));
    meter_.spend(ops::kStepsPerNode);
    spend_on_operands(meter_, op, operands);
    ops::Call call(node, op, operands, scope);
    call.run_body = [&](Graph& body, std::span<const ops::Datum> inputs, std::vector<ops::Datum>& outputs,
                        std::string& why) {
      const std::size_t depth = depth_;
      if (run_graph(body, inputs, scope, outputs)) return true;
      // The op may be able to continue.
      why = std::exchange(why_, {});
      depth_ = depth;
      return false;
    };
    if (!op.def->evaluate(call))
      return fail(node, call.why().empty() ? "it cannot be evaluated with these operands" : call.why());
    spend_on_texts(meter_, call.results());
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (const Value* output = node.output(i)) {
        if (call.results()[i].empty() && !may_be_empty(op, i))
          return fail(node, fmt::format("result {} is not computed with these attributes", i));
        data_[output->id()] = std::move(call.results()[i]);
        present_[output->id()] = true;
      }
    }
  } catch (const std::bad_alloc&) {
    return fail(node, "the result is larger than the memory of this machine");
  } catch (const std::length_error&) {
    return fail(node, "the result is too large for any memory");
  } catch (const ops::OverBudget& over) {
    over_budget_ = over.kind();
    return fail(node, over.what());
  } catch (const Error& error) {
    return fail(node, error.what());
  }
  return true;
}

bool Evaluator::run_function(const Node& node, const Function& function, const ops::AttributeScope* scope) {
  const ops::AttributeScope inside{node.attributes(), function.attribute_defaults, scope};
  // Parameters that the call omits have no value in the body.
  for (std::size_t i = 0; i < function.body->inputs().size(); ++i) {
    const std::uint32_t id = function.body->inputs()[i]->value->id();
    present_[id] = false;
    const Value* operand = node.input(i);
    const ops::Datum* value = operand ? datum(*operand) : nullptr;
    if (operand && !value) return fail(node, "nothing computes one of its operands");
    if (value) {
      data_[id] = *value;
      present_[id] = true;
    }
  }
  Results results;
  if (!run_graph(*function.body, {}, &inside, results)) return false;
  for (std::size_t i = 0; i < node.output_count() && i < results.size(); ++i) {
    if (const Value* output = node.output(i)) {
      data_[output->id()] = std::move(results[i]);
      present_[output->id()] = true;
    }
  }
  return true;
}

ops::EvaluationBudget budget_for(const Model& model, const Evaluator::Inputs& inputs) {
  std::uint64_t bytes = 0;
  for_each_tensor(model, [&](const Tensor& tensor, const TensorPlace&) { bytes += bytes_of(tensor); });
  for (const auto& [name, datum] : inputs) bytes += bytes_of(datum);
  return ops::EvaluationBudget::for_size(bytes);
}

std::optional<std::vector<ops::Datum>> evaluate_node(const Node& node, const ops::Op& op,
                                                     std::span<const ops::Datum* const> operands,
                                                     const ops::AttributeScope* scope, ops::EvaluationMeter& meter) {
  if (!op.def || !op.def->evaluate || op.has(ops::kHasBodies)) return std::nullopt;
  if (node.output_count() == 0 || missing_operand(op, operands)) return std::nullopt;
  const ops::MeterScope counting(meter);
  try {
    spend_on_operands(meter, op, operands);
    ops::Call call(node, op, operands, scope);
    if (!op.def->evaluate(call)) return std::nullopt;
    spend_on_texts(meter, call.results());
    return std::move(call.results());
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  } catch (const std::length_error&) {
    return std::nullopt;
  } catch (const ops::OverBudget&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::vector<ops::Datum>> evaluate_node(const Node& node, const ops::Op& op,
                                                     std::span<const ops::Datum* const> operands,
                                                     const ops::AttributeScope* scope) {
  ops::EvaluationMeter meter;
  return evaluate_node(node, op, operands, scope, meter);
}

}  // namespace onnxpress::analysis
