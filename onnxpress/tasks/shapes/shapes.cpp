// Builds the engine from facts.
#include "onnxpress/tasks/shapes/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/identifier.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/passes/whole/inline_functions.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/tasks/parts/extract.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shapes/bodies.h"
#include "onnxpress/tasks/shapes/program.h"

namespace onnxpress {

namespace {

struct BodyOperand {
  Value* value = nullptr;
  std::string name;  // its name in the report, and that of the input
  const Type* type = nullptr;
};

class Builder {
 public:
  Builder(Model& model, const analysis::Facts& facts, ShapesReport& report)
      : model_(model), facts_(facts), report_(report), program_(facts.dims()) {}

  void build() {
    const std::vector<EngineGraph> graphs = engine_graphs(model_);
    for (const EngineGraph& each : graphs) prefixes_.emplace(each.graph, each.prefix);
    for (const ValueInfo* input : model_.graph().inputs()) {
      if (!input->value->initializer()) add(*input->value, {});
    }
    input_symbols_ = program_.symbols().size();
    for (const EngineGraph& each : graphs) add_values(each);
    for (const EngineGraph& each : graphs) find_operands(*each.graph);
    write_program();
  }

  // Names of values of the main graph that become inputs of the compute graph, which the engine provides.
  std::vector<std::string> main_operands;
  // The same for values of bodies, which become inputs of the main graph.
  std::vector<BodyOperand> body_operands;

 private:
  EngineValue value_of(const Value& value, std::string name, const std::vector<Dim>& dims) {
    const ElementType element = facts_.of(value).element;
    EngineValue made;
    made.name = std::move(name);
    made.type = to_string(element);
    made.element_bits = bits_of(element);
    for (const Dim dim : dims) {
      const std::uint32_t step = program_.add(dim);
      made.dims.push_back(step == Program::kUnknown ? -1 : static_cast<std::int64_t>(step));
      made.text += (made.text.empty() ? "" : ",") + to_string(dim);
    }
    return made;
  }

  void add_values(const EngineGraph& place) {
    if (place.graph != &model_.graph()) {
      for (const ValueInfo* input : place.graph->inputs()) add(*input->value, place.prefix);
    }
    for (const Node& node : place.graph->nodes()) {
      for (const Value* output : node.outputs()) {
        if (!output) continue;
        taken_.insert(output->name());
        if (!facts_.of(*output).is_constant) add(*output, place.prefix);
      }
    }
  }

  void add(const Value& value, const std::string& prefix) {
    const auto shape = facts_.shape_of(value);
    if (!facts_.of(value).is_tensor() || !shape) {
      ++report_.unknown;
      return;
    }
    const std::size_t before = program_.symbols().size();
    report_.values.push_back(value_of(value, prefix + std::string(value.name()), *shape));
    from_.resize(program_.symbols().size());
    for (std::size_t i = before; i < from_.size(); ++i) from_[i] = report_.values.back().name;
    const auto& dims = report_.values.back().dims;
    report_.unknown += std::ranges::find(dims, -1) != dims.end();
  }

  // Are all elements known as expressions, but not constant?
  bool is_computed_shape(const Value& value) const {
    const ops::Fact& fact = facts_.of(value);
    if (!fact.elements || fact.is_constant || !value.producer()) return false;
    return std::ranges::none_of(*fact.elements, [](Dim dim) { return dim.is_unknown(); });
  }

  // Finds the computed shapes that are read by nodes that compute more than shapes.
  void find_operands(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const bool only_shapes = std::ranges::all_of(node.outputs(), [&](const Value* value) {
        return !value || is_computed_shape(*value) || facts_.of(*value).is_constant;
      });
      if (only_shapes) continue;
      for (const Use& use : node.inputs()) {
        Value* value = use.value();
        if (value && is_computed_shape(*value) && seen_.insert(value).second) add_operand(*value);
      }
    }
  }

  void add_operand(Value& value) {
    const auto prefix = prefixes_.find(value.graph());
    if (prefix == prefixes_.end()) return;  // in a damaged file: a value from somewhere else
    const bool in_body = value.graph() != &model_.graph();
    std::vector<Dim> elements;
    for (const Dim dim : *facts_.of(value).elements) elements.push_back(facts_.dims().resolve(dim));
    EngineValue made = value_of(value, prefix->second + std::string(value.name()), elements);
    if (std::ranges::find(made.dims, -1) != made.dims.end()) return;
    if (in_body && !is_the_same_in_every_round(made)) return;
    while (in_body && taken_.contains(made.name)) made.name += '_';
    if (in_body) {
      const Type* type = type_of(value);
      const auto [equal, is_new] = given_.try_emplace({made.dims, type->element, type->dims.size()}, made.name);
      body_operands.push_back({&value, equal->second, type});
      if (!is_new) return;
    } else {
      main_operands.push_back(made.name);
    }
    report_.operands.push_back(std::move(made));
  }

  const Type* type_of(const Value& value) const {
    const auto shape = facts_.shape_of(value);
    return make_tensor_type(model_.arena(), facts_.of(value).element, std::span<const Dim>(*shape));
  }

  // A size that depends on the data may be different in each run of a body.
  bool is_the_same_in_every_round(const EngineValue& operand) {
    const auto& steps = program_.steps();
    for (std::size_t i = by_data_.size(); i < steps.size(); ++i) {
      if (steps[i].kind == Program::Kind::kNumber)
        by_data_.push_back(false);
      else if (steps[i].kind == Program::Kind::kSymbol)
        by_data_.push_back(static_cast<std::size_t>(steps[i].number) >= input_symbols_);
      else
        by_data_.push_back(by_data_[steps[i].a] || by_data_[steps[i].b]);
    }
    return std::ranges::none_of(operand.dims,
                                [this](std::int64_t step) { return by_data_[static_cast<std::size_t>(step)]; });
  }

  void write_program() {
    for (std::size_t i = 0; i < program_.symbols().size(); ++i) {
      report_.symbols.push_back(
          {std::string(program_.symbols()[i]->name), i < from_.size() ? from_[i] : std::string(), i < input_symbols_});
    }
    for (const Program::Step& each : program_.steps()) {
      const bool leaf = each.kind == Program::Kind::kNumber || each.kind == Program::Kind::kSymbol;
      report_.steps.push_back({std::string(name_of(each.kind)), leaf ? each.number : static_cast<std::int64_t>(each.a),
                               leaf ? 0 : static_cast<std::int64_t>(each.b)});
    }
  }

  Model& model_;
  const analysis::Facts& facts_;
  ShapesReport& report_;
  Program program_;
  std::size_t input_symbols_ = 0;
  std::vector<std::string> from_;  // by symbol
  std::vector<bool> by_data_;      // by step
  std::unordered_set<const Value*> seen_;
  std::unordered_map<const Graph*, std::string> prefixes_;
  std::unordered_set<std::string_view> taken_;  // names in the model
  // Names of inputs for bodies, by elements, type and rank, because many nodes need the same.
  std::map<std::tuple<std::vector<std::int64_t>, ElementType, std::size_t>, std::string> given_;
};

// Makes the operands inputs of the main graph, and lets the bodies read those.
void give_operands(Model& model, const std::vector<BodyOperand>& operands) {
  std::unordered_map<std::string_view, Value*> inputs;
  for (const BodyOperand& each : operands) {
    Value*& input = inputs[each.name];
    if (!input) {
      input = model.graph().create_value(each.name, each.type);
      model.graph().add_input(input, each.type);
    }
    each.value->graph()->replace_operands(each.value, input);
  }
  if (!operands.empty()) passes::remove_dead(model);
}

std::uint64_t nodes_of(const Model& model) {
  std::uint64_t count = 0;
  for (const EngineGraph& each : engine_graphs(model)) count += each.graph->nodes().size();
  return count;
}

}  // namespace

ShapesReport shapes(const Model& model, const ShapesOptions& options, Model& compute_graph) {
  if (!is_identifier(options.name))
    throw OptionError(fmt::format("{} cannot be the name of a struct", quote_name(options.name)));
  Model work = model.clone();
  passes::inline_functions(work, [](const Function&) { return true; });
  name_values(work);
  ShapesReport report;
  std::vector<std::string> operands;
  std::vector<BodyOperand> body_operands;
  {
    const analysis::Facts facts(work, settings_of(options.bindings, work));
    require_fitting(facts, work);
    Builder builder(work, facts, report);
    builder.build();
    operands = std::move(builder.main_operands);
    body_operands = std::move(builder.body_operands);
  }
  const std::uint64_t before = nodes_of(work);
  give_operands(work, body_operands);
  ExtractOptions part;
  for (const ValueInfo* input : inputs::inputs_to_give(work)) part.inputs.emplace_back(input->value->name());
  part.inputs.insert(part.inputs.end(), operands.begin(), operands.end());
  compute_graph = extract(work, part).model;
  report.removed_nodes = before - nodes_of(compute_graph);
  find_lifetimes(compute_graph, report.values);
  return report;
}

std::string to_json(const ShapesReport& report) { return json_text(report); }

}  // namespace onnxpress
