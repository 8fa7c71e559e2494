// Plans each node whose op changed between the versions again, with the schema of the new version.
#include "onnxpress/passes/opset/convert_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/opset_changes.h"
#include "onnxpress/ops/schema/runtime_only.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/node_plan.h"
#include "onnxpress/passes/opset/fit_schema.h"
#include "onnxpress/passes/opset/opset_draft.h"
#include "onnxpress/passes/opset/scan_batches.h"

namespace onnxpress::passes {

namespace {

constexpr std::int64_t kLowest = 11;

std::optional<Parameter> parameter_of(const Attribute& attribute) {
  if (const auto* number = std::get_if<std::int64_t>(&attribute.value)) return Parameter(attribute.name, *number);
  if (const auto* real = std::get_if<float>(&attribute.value)) return Parameter(attribute.name, *real);
  if (const auto* text = std::get_if<std::string_view>(&attribute.value)) return Parameter(attribute.name, *text);
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value))
    return Parameter(attribute.name, std::vector<std::int64_t>(list->begin(), list->end()));
  if (const auto* list = std::get_if<std::span<const float>>(&attribute.value))
    return Parameter(attribute.name, std::vector<float>(list->begin(), list->end()));
  return std::nullopt;
}

class Converter {
 public:
  Converter(Model& model, std::int64_t to) : model_(model), to_(to), facts_(model) { find_broken_rules(); }

  void convert(Graph& root, std::int64_t from, OpsetConversion& report) {
    from_ = from;
    std::vector<Node*> nodes;
    for_each_graph(root, [&](Graph& graph) {
      for (Node& node : graph.nodes()) nodes.push_back(&node);
    });
    for (Node* node : nodes) {
      if (!is_standard_domain(node->domain()) || facts_.ops().function_of(*node)) continue;
      try {
        require_rules(*node);
        if (convert_node(*node)) ++report.nodes;
      } catch (const Obstacle& obstacle) {
        const std::string_view name = node->name().empty() && node->output() ? node->output()->name() : node->name();
        report.problems.push_back(fmt::format("{} {}: {}", node->op_type(), quote_name(name), obstacle.why));
      }
    }
    // From the inside to the outside, as the bodies are copied.
    for (; !batched_.empty(); batched_.pop_back()) scan_batch(model_, *batched_.back(), facts_);
  }

 private:
  // Names of dims that stand for several sizes break no rules.
  void find_broken_rules() {
    if (facts_.broken_rules().empty()) return;
    const analysis::Facts facts(model_, {.solve_dims = false});
    for (const analysis::BrokenRule& each : facts.broken_rules()) {
      if (!each.about_types) broken_rules_.emplace(each.node, each.why);
    }
  }

  // No version says what a node means that breaks a rule of its op.
  void require_rules(const Node& node) const {
    if (const auto found = broken_rules_.find(&node); found != broken_rules_.end())
      throw Obstacle{fmt::format("it cannot be computed: {}", found->second)};
  }

  bool convert_node(Node& node) {
    const ops::Op* before = ops::find_op("", node.op_type(), from_);
    if (!before) throw Obstacle{fmt::format("opset {} has no such op", from_)};
    const ops::Op* after = ops::find_op("", node.op_type(), to_);
    if (before == after) return false;
    Draft draft = draft_of(node);
    require_old_meaning(node, *before, after);
    require_results(node, *before, after);
    for (const ops::OpsetChange& change : ops::opset_changes()) {
      if (change.op != draft.op_type || change.since > std::max(from_, to_) || change.since <= std::min(from_, to_))
        continue;
      if (to_ > from_)
        apply_change(change, node, *before->schema, to_, facts_, make_, draft);
      else
        undo_change(change, node, *before, to_, facts_, make_, draft);
    }
    after = ops::find_op("", draft.op_type, to_);
    if (!after || after->schema->deprecated || ops::is_runtime_only(*after->schema))
      throw Obstacle{fmt::format("opset {} has no such op", to_)};
    if (draft.batched && !can_scan_batch(node, facts_))
      throw Obstacle{"types of its operands or results are not known"};
    fit_schema(node, *before->schema, *after->schema, facts_, draft);
    if (is_same(draft, draft_of(node), *after->schema)) {
      // The types must fit nevertheless; ops with bodies accept any.
      if (draft.others.empty()) plan(*after->schema, draft.operands, draft.parameters);
      return false;
    }
    write(node, *after->schema, draft);
    if (draft.batched) batched_.push_back(&node);
    return true;
  }

  // Whether the node has the same meaning without a change.
  static bool is_same(const Draft& draft, const Draft& before, const ops::Schema& after) {
    const bool all_attributes = std::ranges::all_of(
        draft.parameters, [&](const Parameter& each) { return after.attribute(each.name) != nullptr; });
    return all_attributes && draft.op_type == before.op_type && !draft.takes_matrix && draft.swap.empty() &&
           !draft.batched && draft.operands == before.operands &&
           std::ranges::equal(draft.parameters, before.parameters, [](const Parameter& a, const Parameter& b) {
             return a.name == b.name && a.content == b.content;
           });
  }

  static Draft draft_of(const Node& node) {
    Draft draft;
    draft.op_type = node.op_type();
    for (const Use& use : node.inputs()) draft.operands.push_back(use.value());
    for (Attribute* attribute : node.attributes()) {
      if (attribute->is_reference())
        throw Obstacle{fmt::format("{} is set by the caller of the function", attribute->name)};
      if (auto parameter = parameter_of(*attribute))
        draft.parameters.push_back(std::move(*parameter));
      else
        draft.others.push_back(attribute);
    }
    return draft;
  }

  // What the old version of the op did not know must not begin to count.
  void require_old_meaning(const Node& node, const ops::Op& before, const ops::Op* after) const {
    if (!after) return;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      if (node.input(i) && !ops::formal_at(before.schema->operands, i))
        throw Obstacle{fmt::format("it takes no operand {} in opset {}", i, from_)};
    }
    for (const Attribute* each : node.attributes()) {
      if (after->schema->attribute(each->name) && !before.schema->attribute(each->name))
        throw Obstacle{fmt::format("it has no parameter {} in opset {}", each->name, from_)};
    }
  }

  // Results after the first must keep their meaning.
  static void require_results(const Node& node, const ops::Op& before, const ops::Op* after) {
    if (!after) return;
    for (std::size_t i = 1; i < node.output_count(); ++i) {
      if (!node.output(i) || !node.output(i)->is_used()) continue;
      const ops::Formal* old = ops::formal_at(before.schema->results, i);
      const ops::Formal* now = ops::formal_at(after->schema->results, i);
      if (!now || !old || (old->name != now->name && !old->variadic))
        throw Obstacle{fmt::format("result {} has another meaning in the new opset", i)};
    }
  }

  NodePlan plan(const ops::Schema& schema, std::span<Value* const> operands,
                std::span<const Parameter> parameters) const {
    auto made = plan_node(schema, operands, parameters, model_.arena(), [this](const Value& value) {
      const ops::Fact& fact = facts_.of(value);
      return fact.is_tensor() ? fact.element : ElementType::kUndefined;
    });
    if (!made) throw Obstacle{fmt::format("its operands, types or parameters do not fit opset {}", to_)};
    return std::move(*made);
  }

  std::vector<Value*> operands_of(const NodePlan& planned, Node& position) {
    std::vector<Value*> values;
    for (const NodePlan::Operand& each : planned.operands)
      values.push_back(each.constant ? add_constant(model_, *position.graph(), &position,
                                                    each.constant->to_tensor(model_.arena(), {}))
                                     : each.value);
    return values;
  }

  // Adds a node of the new opset in front of `position`.
  Value* made(Node& position, std::string_view op_type, std::span<Value* const> operands,
              std::span<const Parameter> parameters) {
    const ops::Op* op = ops::find_op("", op_type, to_);
    if (!op) throw Obstacle{fmt::format("opset {} has no {}", to_, op_type)};
    const NodePlan planned = plan(*op->schema, operands, parameters);
    Value* result = position.graph()->create_value({});
    const std::vector<Value*> values = operands_of(planned, position);
    position.graph()->insert_before(
        &position, {.op_type = op_type, .inputs = values, .outputs = {&result, 1}, .attributes = planned.attributes});
    return result;
  }

  void write(Node& node, ops::Schema schema, Draft& draft) {
    // Bodies are not planned: they stay as they are.
    for (ops::ParameterSchema& each : schema.attributes)
      each.required &= std::ranges::find(draft.others, each.name, &Attribute::name) == draft.others.end();
    const NodePlan planned = plan(schema, draft.operands, draft.parameters);
    Graph& graph = *node.graph();
    std::vector<Value*> values = operands_of(planned, node);
    std::vector<Attribute*> attributes = planned.attributes;
    attributes.insert(attributes.end(), draft.others.begin(), draft.others.end());
    if (draft.op_type == node.op_type() && !draft.takes_matrix && draft.swap.empty()) {
      graph.set_inputs(node, values);
      for (const Attribute* each : std::vector<Attribute*>(node.attributes().begin(), node.attributes().end())) {
        if (std::ranges::find(draft.others, each) == draft.others.end()) graph.remove_attribute(node, each->name);
      }
      for (Attribute* each : planned.attributes) graph.set_attribute(node, each);
      return;
    }
    replace(node, draft, values, attributes);
  }

  // Replaces the node by a new one, if its op changes, or if it needs a Flatten before and a Reshape after it, or
  // Transposes.
  void replace(Node& node, const Draft& draft, std::vector<Value*> values, const std::vector<Attribute*>& attributes) {
    Graph& graph = *node.graph();
    Value* shape = nullptr;
    if (draft.takes_matrix) {
      Value* const source[] = {values[0]};
      shape = made(node, "Shape", source, {});
      const Parameter axis[] = {{"axis", draft.matrix_axis}};
      values[0] = made(node, "Flatten", source, axis);
    }
    const Parameter order("perm", draft.swap);
    if (!draft.swap.empty()) values[0] = made(node, "Transpose", {values.data(), 1}, {&order, 1});
    std::vector<Value*> results(node.outputs().begin(), node.outputs().end());
    Node* next = node.next();
    while (next && next->erased()) next = next->next();
    const std::string_view name = node.name(), op_type = model_.arena().text(draft.op_type);
    graph.erase(node);
    Value* final_result = results[0];
    const bool goes_back = shape || !draft.swap.empty();
    if (goes_back) results[0] = graph.create_value({});
    graph.insert_before(
        next, {.op_type = op_type, .name = name, .inputs = values, .outputs = results, .attributes = attributes});
    if (!goes_back) return;
    std::vector<Value*> back = {results[0]};
    std::vector<Attribute*> how;
    if (shape)
      back.push_back(shape);
    else
      how.push_back(make_attribute(model_.arena(), order.name, std::span<const std::int64_t>(draft.swap)));
    graph.insert_before(
        next,
        {.op_type = shape ? "Reshape" : "Transpose", .inputs = back, .outputs = {&final_result, 1}, .attributes = how});
  }

  Model& model_;
  std::int64_t from_ = 0, to_;
  const analysis::Facts facts_;
  const MakeNode make_ = [this](Node& position, std::string_view op_type, std::span<Value* const> operands,
                                std::span<const Parameter> parameters) {
    return made(position, op_type, operands, parameters);
  };
  std::unordered_map<const Node*, std::string> broken_rules_;
  std::vector<Node*> batched_;  // Scans that are for one element of their batch now
};

// Readers of an older IR version need not know newer opsets.
void raise_ir_version(Model& model, std::int64_t opset) {
  constexpr std::int64_t kFirstKnown = 9;
  if (model.ir_version && opset >= kFirstKnown) model.ir_version = std::max(*model.ir_version, ir_version_for(opset));
  model.mark_changed();
}

void set_version(std::vector<OpsetImport>& imports, std::int64_t version) {
  for (OpsetImport& each : imports) {
    if (!is_standard_domain(each.domain)) continue;
    each.version = version;
    each.origin = {};
  }
}

}  // namespace

std::int64_t ir_version_for(std::int64_t opset) {
  // From the table of releases of the standard (onnx/onnx, docs/Versioning.md). Later ones only brought types.
  constexpr std::pair<std::int64_t, std::int64_t> kNeeded[] = {{9, 4},  {10, 5}, {11, 6},  {12, 7},
                                                               {15, 8}, {19, 9}, {21, 10}, {23, 11}};
  std::int64_t version = 3;
  for (const auto& [least, ir_version] : kNeeded) {
    if (opset >= least) version = ir_version;
  }
  return version;
}

std::int64_t newest_opset() {
  int newest = 1;
  for (const ops::Op& op : ops::all_ops()) {
    if (op.schema->domain.empty()) newest = std::max(newest, op.schema->since);
  }
  return newest;
}

OpsetConversion convert_opset(Model& model, std::int64_t version) {
  OpsetConversion report;
  report.before = model.opset("").value_or(version);
  if (version > newest_opset())
    throw Error("", fmt::format("opset {} is not known", version), fmt::format("the newest one is {}", newest_opset()));
  if (version < report.before && version < kLowest)
    throw Error("", fmt::format("a model of opset {} cannot be converted to {}", report.before, version),
                fmt::format("the oldest possible opset is {}", kLowest));
  if (!model.training.empty()) throw Error("", "a model with training graphs cannot be converted");
  Converter converter(model, version);
  if (report.before != version) converter.convert(model.graph(), report.before, report);
  for (Function* function : model.functions) {
    const auto from = opset_in(function->opsets, "");
    if (!from || *from == version) continue;
    converter.convert(*function->body, *from, report);
    set_version(function->opsets, version);
    function->changed = true;
  }
  if (!report.problems.empty()) return report;
  set_version(model.opsets, version);
  raise_ir_version(model, version);
  return report;
}

}  // namespace onnxpress::passes
