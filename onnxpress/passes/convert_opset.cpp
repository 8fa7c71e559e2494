// Plans each node whose op changed between the versions again, with the schema of the new version.
#include "onnxpress/passes/convert_opset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/kernels/convert.h"
#include "onnxpress/ops/kernels/pool_window.h"
#include "onnxpress/ops/schema/opset_changes.h"
#include "onnxpress/ops/schema/runtime_only.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/node_plan.h"

namespace onnxpress::passes {

namespace {

using Kind = ops::OpsetChange::Kind;

constexpr std::int64_t kLowest = 13;

// A node that cannot be converted.
struct Obstacle {
  std::string why;
};

// A node on its way: parts are changed until they fit the new schema.
struct Draft {
  std::string_view op_type;
  std::vector<Value*> operands;
  std::vector<Parameter> parameters;
  std::vector<Attribute*> others;  // tensors, graphs, types: they are attributes in every version
  bool takes_matrix = false;       // the operand is reshaped to a matrix, and the result back
};

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

Parameter* find(Draft& draft, std::string_view name) {
  const auto found = std::ranges::find(draft.parameters, name, &Parameter::name);
  return found == draft.parameters.end() ? nullptr : &*found;
}

std::int64_t integer_in(Draft& draft, std::string_view name, std::int64_t otherwise) {
  const Parameter* parameter = find(draft, name);
  const auto* number = parameter ? std::get_if<std::int64_t>(&parameter->content) : nullptr;
  return number ? *number : otherwise;
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
    require_results(node, *before, after);
    for (const ops::OpsetChange& change : ops::opset_changes()) {
      if (change.op != draft.op_type || change.since > std::max(from_, to_) || change.since <= std::min(from_, to_))
        continue;
      if (to_ > from_)
        apply(change, node, *before->schema, draft);
      else
        undo(change, node, *before, draft);
    }
    after = ops::find_op("", draft.op_type, to_);
    if (!after || after->schema->deprecated || ops::is_runtime_only(*after->schema))
      throw Obstacle{fmt::format("opset {} has no such op", to_)};
    fit(node, *before->schema, *after->schema, draft);
    if (is_same(draft, draft_of(node), *after->schema)) {
      // Types have to fit all the same; ops with bodies take any.
      if (draft.others.empty()) plan(*after->schema, draft.operands, draft.parameters);
      return false;
    }
    write(node, *after->schema, draft);
    return true;
  }

  // Does the node mean the same without a change?
  static bool is_same(const Draft& draft, const Draft& before, const ops::Schema& after) {
    const bool all_attributes = std::ranges::all_of(
        draft.parameters, [&](const Parameter& each) { return after.attribute(each.name) != nullptr; });
    return all_attributes && draft.op_type == before.op_type && !draft.takes_matrix &&
           draft.operands == before.operands &&
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
        throw Obstacle{fmt::format("{} comes from the call of a function", attribute->name)};
      if (auto parameter = parameter_of(*attribute))
        draft.parameters.push_back(std::move(*parameter));
      else
        draft.others.push_back(attribute);
    }
    return draft;
  }

  // Results after the first must still be what they were.
  static void require_results(const Node& node, const ops::Op& before, const ops::Op* after) {
    if (!after) return;
    for (std::size_t i = 1; i < node.output_count(); ++i) {
      if (!node.output(i) || !node.output(i)->is_used()) continue;
      const ops::Formal* old = ops::formal_at(before.schema->results, i);
      const ops::Formal* now = ops::formal_at(after->schema->results, i);
      if (!now || !old || (old->name != now->name && !old->variadic))
        throw Obstacle{fmt::format("result {} means something else there", i)};
    }
  }

  void apply(const ops::OpsetChange& change, Node& node, const ops::Schema& before, Draft& draft) {
    switch (change.kind) {
      case Kind::kRename:
        return rename(draft, change.name, change.with);
      case Kind::kDrop:
        return drop(draft, change.name);
      case Kind::kSet:
        if (!find(draft, change.name)) draft.parameters.emplace_back(change.name, change.with);
        return;
      case Kind::kWords:
        write_default(draft, change.name, before);
        return replace_word(draft, change.name, change.with, false);
      case Kind::kWriteDefault:
        return write_default(draft, change.name, before);
      case Kind::kCountResults:
        if (draft.operands.size() < 2 && !find(draft, change.with))
          draft.parameters.emplace_back(change.name, node.output_count());
        return;
      case Kind::kSkipOperand:
        draft.operands.insert(draft.operands.begin() + 1, nullptr);
        return;
      case Kind::kReplaced:
        draft.op_type = change.name;
        return;
      case Kind::kFlattens:
        return flatten(node, draft);
      case Kind::kAligns:
        return align(node, draft);
      case Kind::kSlope:
        return align_slope(node, draft);
      case Kind::kRounds:
        return set_rounding(change, node, draft);
      case Kind::kLeavesOut:
        return;  // as runtimes always did
      case Kind::kBlocked:
        break;
    }
    throw Obstacle{std::string(change.name)};
  }

  // Downwards: where the older version can say the same.
  void undo(const ops::OpsetChange& change, const Node& node, const ops::Op& before, Draft& draft) const {
    switch (change.kind) {
      case Kind::kLeavesOut:
        return require_all_windows(node, before);
      case Kind::kWords:
        write_default(draft, change.name, *before.schema);
        return replace_word(draft, change.name, change.with, true);
      case Kind::kCountResults:
        if (find(draft, change.name)) throw Obstacle{"the parts need not be equal"};
        return;
      case Kind::kSet: {
        const Parameter* given = find(draft, change.name);
        const auto* text = given ? std::get_if<std::string_view>(&given->content) : nullptr;
        if (!text || *text != change.with) throw Obstacle{fmt::format("{} is {} only there", change.name, change.with)};
        std::erase_if(draft.parameters, [&](const Parameter& each) { return each.name == change.name; });
        return;
      }
      default:
        throw Obstacle{fmt::format("{} means something else below opset {}", node.op_type(), change.since)};
    }
  }

  // The older version has another number of windows where one of them is left out now.
  void require_all_windows(const Node& node, const ops::Op& op) const {
    const struct : ops::ConstantOperands {
      const ops::Array* constant(std::size_t) const override { return nullptr; }
    } no_operands;
    const auto window = ops::PoolWindow::from(ops::Params(node, op, no_operands));
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    for (std::size_t i = 0; window && i < window->axes.size(); ++i) {
      const Dim size = shape && i + 2 < shape->size() ? (*shape)[i + 2] : Dim();
      if (window->may_leave_out(i, size))
        throw Obstacle{fmt::format("ceil_mode counts a window in the padding there, along axis {}", i + 2)};
    }
  }

  static void rename(Draft& draft, std::string_view name, std::string_view with) {
    Parameter* parameter = find(draft, name);
    if (!parameter) return;
    parameter->name = with;
    // K of TopK is a list of one number.
    if (const auto* number = std::get_if<std::int64_t>(&parameter->content); number && with == "K")
      parameter->content = std::vector<std::int64_t>{*number};
  }

  static void drop(Draft& draft, std::string_view name) {
    if (integer_in(draft, name, 1) == 0) throw Obstacle{fmt::format("{} is 0", name)};
    std::erase_if(draft.parameters, [&](const Parameter& each) { return each.name == name; });
  }

  static void replace_word(Draft& draft, std::string_view name, std::string_view words, bool back) {
    Parameter* parameter = find(draft, name);
    auto* text = parameter ? std::get_if<std::string_view>(&parameter->content) : nullptr;
    while (text && !words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size()), middle = words.find('=');
      std::string_view old = words.substr(0, middle), now = words.substr(middle + 1, end - middle - 1);
      if (back) std::swap(old, now);
      if (*text == old) {
        *text = now;
        return;
      }
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }

  static void write_default(Draft& draft, std::string_view name, const ops::Schema& before) {
    const ops::ParameterSchema* declared = before.attribute(name);
    if (find(draft, name) || !declared || !declared->default_text.data()) return;
    const std::string text(declared->default_text);
    if (declared->type == AttributeType::kInt)
      draft.parameters.emplace_back(name, std::int64_t{std::strtoll(text.c_str(), nullptr, 10)});
    else if (declared->type == AttributeType::kFloat)
      draft.parameters.emplace_back(name, std::strtod(text.c_str(), nullptr));
    else if (declared->type == AttributeType::kString)
      draft.parameters.emplace_back(name,
                                    declared->default_text.substr(1, declared->default_text.size() - 2));  // quoted
    else
      throw Obstacle{fmt::format("{} had another default", name)};
  }

  // The standard did not say how; this is what ONNX Runtime does.
  void set_rounding(const ops::OpsetChange& change, const Node& node, Draft& draft) const {
    const Parameter* mode = find(draft, "mode");
    const auto* text = mode ? std::get_if<std::string_view>(&mode->content) : nullptr;
    bool up = false, down = node.is("Upsample");
    const ops::Op* op = ops::find_op("", draft.op_type, to_);
    const int place = op && !down ? op->schema->operand(change.with) : -1;
    if ((!text || *text == "nearest") && place >= 0) {
      const auto i = static_cast<std::size_t>(place);
      const Value* operand = i < draft.operands.size() ? draft.operands[i] : nullptr;
      const auto scales = operand ? facts_.constant(*operand, 1 << 16) : std::nullopt;
      const auto numbers = scales ? ops::converted(*scales, ElementType::kDouble) : std::nullopt;
      if (!numbers) throw Obstacle{fmt::format("{} must be constant, because they say how it rounds", change.with)};
      for (const double each : numbers->data<double>()) (each < 1 ? up : down) |= each != 1;
      if (up && down)
        throw Obstacle{"one axis gets smaller and another one larger, and they are rounded in different ways"};
    }
    draft.parameters.emplace_back(change.name, std::string_view(up ? "ceil" : "floor"));
  }

  // A matrix of all axes before `axis` and all others is the same as the last axis only when that is the last one.
  void flatten(const Node& node, Draft& draft) const {
    const auto shape = node.input(0) ? facts_.shape_of(*node.input(0)) : std::nullopt;
    if (!shape) throw Obstacle{"its operand has an unknown rank"};
    const auto rank = static_cast<std::int64_t>(shape->size());
    std::int64_t axis = integer_in(draft, "axis", 1);
    if (axis < 0) axis += rank;
    std::erase_if(draft.parameters, [](const Parameter& each) { return each.name == "axis"; });
    bool others_are_one = true;
    for (std::int64_t i = axis + 1; i < rank; ++i) others_are_one &= (*shape)[static_cast<std::size_t>(i)].size() == 1;
    if (axis < rank && others_are_one) {
      draft.parameters.emplace_back("axis", axis);
      return;
    }
    draft.takes_matrix = true;
    matrix_axis_ = axis;
    draft.parameters.emplace_back("axis", std::int64_t{1});
  }

  std::size_t rank_of(const Value* value) const {
    const auto shape = value ? facts_.shape_of(*value) : std::nullopt;
    if (!shape) throw Obstacle{"an operand has an unknown rank"};
    return shape->size();
  }

  // The second operand gets axes of one at its end.
  void align(Node& node, Draft& draft) {
    const bool broadcasts = integer_in(draft, "broadcast", 0) != 0;
    const Parameter* axis = find(draft, "axis");
    if (broadcasts && axis) {
      const std::size_t left = rank_of(node.input(0)), right = rank_of(node.input(1));
      std::int64_t at = integer_in(draft, "axis", 0);
      if (at < 0) at += static_cast<std::int64_t>(left);
      const auto behind = static_cast<std::int64_t>(left) - at - static_cast<std::int64_t>(right);
      if (behind < 0) throw Obstacle{"the axis is out of range for the first operand"};
      draft.operands[1] = with_axes_behind(node, draft.operands[1], right, behind);
    }
    std::erase_if(draft.parameters,
                  [](const Parameter& each) { return each.name == "axis" || each.name == "broadcast"; });
  }

  void align_slope(Node& node, Draft& draft) {
    const std::size_t rank = rank_of(node.input(0)), slope = rank_of(node.input(1));
    const auto shape = facts_.shape_of(*node.input(1));
    if (slope != 1 || rank < 3 || shape->front().size() == 1) return;
    draft.operands[1] = with_axes_behind(node, draft.operands[1], 1, static_cast<std::int64_t>(rank) - 2);
  }

  Value* with_axes_behind(Node& node, Value* value, std::size_t rank, std::int64_t count) {
    if (count == 0) return value;
    std::vector<std::int64_t> axes;
    for (std::int64_t i = 0; i < count; ++i) axes.push_back(static_cast<std::int64_t>(rank) + i);
    Value* operands[] = {value};
    const Parameter parameters[] = {{"axes", axes}};
    return made(node, "Unsqueeze", operands, parameters);
  }

  // Parameters that the new schema has are moved there; others must not matter.
  void fit(const Node& node, const ops::Schema& before, const ops::Schema& after, Draft& draft) const {
    std::erase_if(draft.parameters, [&](const Parameter& each) {
      if (after.attribute(each.name) || after.operand(each.name) >= 0) return false;
      const Attribute* given = node.attribute(each.name);
      const bool says_nothing = each.name == "consumed_inputs" || (given && ops::is_default(before, *given));
      if (!says_nothing) throw Obstacle{fmt::format("{} has no place there", each.name)};
      return true;
    });
    for (const ops::ParameterSchema& old : before.attributes) {
      const ops::ParameterSchema* now = after.attribute(old.name);
      if (!now || node.attribute(old.name) || !old.default_text.data()) continue;
      if (now->default_text.data() && now->default_text == old.default_text) continue;
      if (!find(draft, old.name)) write_default(draft, old.name, before);
    }
    operands_to_attributes(before, after, draft);
  }

  // Downwards, constant operands become attributes again.
  void operands_to_attributes(const ops::Schema& before, const ops::Schema& after, Draft& draft) const {
    for (std::size_t i = 1; i < draft.operands.size() && i < before.operands.size(); ++i) {
      const ops::Formal& formal = before.operands[i];
      if (!draft.operands[i] || !after.attribute(formal.name) || after.operand(formal.name) >= 0) continue;
      const auto array = facts_.constant(*draft.operands[i], 1 << 16);
      const auto numbers = array ? array->integers() : std::nullopt;
      if (!numbers) throw Obstacle{fmt::format("{} must be constant there", formal.name)};
      draft.parameters.emplace_back(formal.name, *numbers);
      draft.operands[i] = nullptr;
    }
    while (!draft.operands.empty() && !draft.operands.back()) draft.operands.pop_back();
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

  // A node in front of another, already in the new version.
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

  void write(Node& node, const ops::Schema& schema, Draft& draft) {
    const NodePlan planned = plan(schema, draft.operands, draft.parameters);
    Graph& graph = *node.graph();
    std::vector<Value*> values = operands_of(planned, node);
    std::vector<Attribute*> attributes = planned.attributes;
    attributes.insert(attributes.end(), draft.others.begin(), draft.others.end());
    if (draft.op_type == node.op_type() && !draft.takes_matrix) {
      graph.set_inputs(node, values);
      for (const Attribute* each : std::vector<Attribute*>(node.attributes().begin(), node.attributes().end())) {
        if (std::ranges::find(draft.others, each) == draft.others.end()) graph.remove_attribute(node, each->name);
      }
      for (Attribute* each : planned.attributes) graph.set_attribute(node, each);
      return;
    }
    replace(node, draft, values, attributes);
  }

  // Another op, or one between two Reshapes: a node of its own.
  void replace(Node& node, const Draft& draft, std::vector<Value*> values, const std::vector<Attribute*>& attributes) {
    Graph& graph = *node.graph();
    Value* shape = nullptr;
    if (draft.takes_matrix) {
      Value* const source[] = {values[0]};
      shape = made(node, "Shape", source, {});
      const Parameter axis[] = {{"axis", matrix_axis_}};
      values[0] = made(node, "Flatten", source, axis);
    }
    std::vector<Value*> results(node.outputs().begin(), node.outputs().end());
    Node* next = node.next();
    while (next && next->erased()) next = next->next();
    const std::string_view name = node.name(), op_type = model_.arena().text(draft.op_type);
    graph.erase(node);
    Value* final_result = results[0];
    if (shape) results[0] = graph.create_value({});
    graph.insert_before(
        next, {.op_type = op_type, .name = name, .inputs = values, .outputs = results, .attributes = attributes});
    if (!shape) return;
    Value* const back[] = {results[0], shape};
    graph.insert_before(next, {.op_type = "Reshape", .inputs = back, .outputs = {&final_result, 1}});
  }

  Model& model_;
  std::int64_t from_ = 0, to_;
  mutable std::int64_t matrix_axis_ = 1;
  const analysis::Facts facts_;
  std::unordered_map<const Node*, std::string> broken_rules_;
};

// Older readers need not know newer opsets.
void raise_ir_version(Model& model, std::int64_t opset) {
  constexpr std::pair<std::int64_t, std::int64_t> kNeeded[] = {{9, 4},  {10, 5}, {11, 6},  {12, 7},
                                                               {15, 8}, {19, 9}, {21, 10}, {23, 11}};
  for (const auto& [least, ir_version] : kNeeded) {
    if (opset >= least && model.ir_version && *model.ir_version < ir_version) model.ir_version = ir_version;
  }
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
