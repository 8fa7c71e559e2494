// Running graphs: values in a table by id, each dropped after its last use.
#include "onnxpress/analysis/evaluator.h"

#include <fmt/format.h>

#include <utility>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

constexpr std::size_t kMostDepth = 128;  // of bodies and functions

}  // namespace

struct Evaluator::Plan {
  std::vector<std::vector<const Value*>> last_used_by;  // by position of the node in its graph
};

Evaluator::Evaluator(const Model& model)
    : model_(model), ops_(model), data_(model.context().value_count), present_(model.context().value_count, false) {}

Evaluator::~Evaluator() = default;

bool Evaluator::fail(const Node& node, const std::string& why) {
  if (why_.empty())
    why_ = fmt::format("node {} ({}): {}", quote_name(node.name()), plain_or_quoted(node.op_type()), why);
  return false;
}

// --- Which value is needed how long

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
      return std::nullopt;
    }
  }
  Results results;
  if (!run_graph(graph, given, nullptr, results)) return std::nullopt;
  return results;
}

bool Evaluator::run_graph(const Graph& graph, std::span<const ops::Datum> inputs, const ops::AttributeScope* scope,
                          Results& results) {
  if (++depth_ > kMostDepth) {
    why_ = "bodies or functions are nested too deep";
    return false;
  }
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
      why_ = fmt::format("output {} is not computed by anything", quote_name(output->value->name()));
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
  std::vector<const ops::Datum*> operands;
  try {
    for (const Use& use : node.inputs()) {
      operands.push_back(use.value() ? datum(*use.value()) : nullptr);
      // An operand of a function that the call left out is left out inside as well.
      const bool left_out = use.value() && use.value()->is_input();
      if (use.value() && !operands.back() && !left_out)
        return fail(node, fmt::format("operand {} is not computed by anything", quote_name(use.value()->name())));
    }
    ops::Call call(node, op, operands, scope);
    call.run_body = [&](Graph& body, std::span<const ops::Datum> inputs, std::vector<ops::Datum>& outputs,
                        std::string& why) {
      const std::size_t depth = depth_;
      if (run_graph(body, inputs, scope, outputs)) return true;
      // The op may go on all the same.
      why = std::exchange(why_, {});
      depth_ = depth;
      return false;
    };
    if (!op.def->evaluate(call))
      return fail(node, call.why().empty() ? "it cannot be evaluated with these operands" : call.why());
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (const Value* output = node.output(i)) {
        data_[output->id()] = std::move(call.results()[i]);
        present_[output->id()] = true;
      }
    }
  } catch (const std::bad_alloc&) {
    return fail(node,
                "there is no room for the result: arrays may take 16 GiB together, and as much as the machine has");
  } catch (const Error& error) {
    return fail(node, error.what());
  }
  return true;
}

bool Evaluator::run_function(const Node& node, const Function& function, const ops::AttributeScope* scope) {
  const ops::AttributeScope inside{node.attributes(), function.attribute_defaults, scope};
  // Operands that are left out stay without a value in the body.
  for (std::size_t i = 0; i < function.body->inputs().size(); ++i) {
    const std::uint32_t id = function.body->inputs()[i]->value->id();
    present_[id] = false;
    const Value* operand = node.input(i);
    const ops::Datum* value = operand ? datum(*operand) : nullptr;
    if (operand && !value) return fail(node, "an operand is not computed by anything");
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

std::optional<std::vector<ops::Datum>> evaluate_node(const Node& node, const ops::Op& op,
                                                     std::span<const ops::Datum* const> operands,
                                                     const ops::AttributeScope* scope) {
  if (!op.def || !op.def->evaluate || op.has(ops::kHasBodies)) return std::nullopt;
  try {
    ops::Call call(node, op, operands, scope);
    if (!op.def->evaluate(call)) return std::nullopt;
    return std::move(call.results());
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace onnxpress::analysis
