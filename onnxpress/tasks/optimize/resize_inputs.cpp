// Replaces declared shapes of inputs, and forgets the declarations that were true for the old ones only.
#include "onnxpress/tasks/optimize/resize_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/analysis/places.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/inspect/fact_type.h"

namespace onnxpress {

namespace {

using Shape = std::vector<Dim>;

// Two different numbers of dims, or two different sizes.
bool contradicts(const Type* declared, const Shape& wanted) {
  if (!declared || !declared->is_tensor() || !declared->has_shape) return false;
  if (declared->dims.size() != wanted.size()) return true;
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    const auto before = declared->dims[axis].size(), after = wanted[axis].size();
    if (before && after && *before != *after) return true;
  }
  return false;
}

// The declared type with these dims; a dim that the user leaves open stays as it is.
const Type* with_shape(const Type& declared, Shape wanted, Arena& arena) {
  auto* type = arena.make<Type>(declared);
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    if (wanted[axis].is_unknown() && declared.dims.size() == wanted.size()) wanted[axis] = declared.dims[axis];
  }
  type->origin = {};
  type->dims = arena.copy(std::span<const Dim>(wanted));
  if (declared.dims.size() != wanted.size()) type->dim_denotations = {};
  return type;
}

// What users may still be told about a declared type: its element type, and for an output of the model its rank.
const Type* without_sizes(const Type& declared, bool keeps_rank, Arena& arena) {
  auto* type = arena.make<Type>(declared);
  type->origin = {};
  type->has_shape = keeps_rank;
  const Shape open(keeps_rank ? declared.dims.size() : 0);
  type->dims = arena.copy(std::span<const Dim>(open));
  type->dim_denotations = {};
  return type;
}

class Resizer {
 public:
  explicit Resizer(Model& model) : model_(model), before_(model) {
    for (const analysis::BrokenRule& each : before_.broken_rules()) broken_.insert(each.node);
  }

  void resize(ValueInfo& input, const Shape& wanted) {
    asked_ += fmt::format("{}input {} as {} instead of {}", asked_.empty() ? "" : ", ", quote_name(input.value->name()),
                          to_string(with_shape(*input.type, wanted, model_.arena())), to_string(input.type));
    model_.graph().set_type(input, with_shape(*input.type, wanted, model_.arena()));
    changed_.insert(input.value);
    only_sizes_ = only_sizes_ && std::ranges::all_of(input.type->dims, &Dim::is_size);
  }

  void finish() {
    const analysis::Facts facts(model_);
    require_no_blocker(facts);
    spread(model_.graph());
    if (only_sizes_) for_each_graph(model_.graph(), [&](Graph& graph) { require_sizes(graph, facts); });
    for_each_graph(model_.graph(), [&](Graph& graph) { declare_again(graph, facts); });
  }

 private:
  void require_no_blocker(const analysis::Facts& facts) const {
    for (const analysis::BrokenRule& each : facts.broken_rules()) {
      if (!broken_.contains(each.node)) refuse(*each.node, each.why);
    }
  }

  // A kernel that is larger than what it reads breaks no rule, but leaves a size that is unknown or below 0.
  void require_sizes(const Graph& graph, const analysis::Facts& facts) const {
    const auto is_usable = [](const Dim& dim) { return dim.is_size() && *dim.size() >= 0; };
    for (const Node& node : graph.nodes()) {
      for (const Value* output : node.outputs()) {
        if (!output || !changed_.contains(output)) continue;
        const auto was = before_.shape_of(*output), is = facts.shape_of(*output);
        if (!was || !is || !std::ranges::all_of(*was, is_usable) || std::ranges::all_of(*is, is_usable)) continue;
        refuse(node, fmt::format("its result {} would have no valid size: {}", quote_name(output->name()),
                                 analysis::to_string(facts.of(*output))));
      }
    }
  }

  [[noreturn]] void refuse(const Node& node, std::string_view why) const {
    throw Error("", fmt::format("the model does not take {}: node {}: {}", asked_, analysis::node_label(node), why),
                "change that node first, or choose a shape that it takes");
  }

  // Adds what depends on changed values. A node whose body reads one depends on it as well.
  bool spread(Graph& graph) {
    bool any = false;
    for (const Node& node : graph.nodes()) {
      const auto is_changed = [this](const Use& use) { return use.value() && changed_.contains(use.value()); };
      bool depends = std::ranges::any_of(node.inputs(), is_changed);
      for (const Attribute* attribute : node.attributes()) {
        for_each_graph_in(*attribute, [&](Graph& body) {
          if (depends) {
            for (const ValueInfo* input : body.inputs()) changed_.insert(input->value);
          }
          depends = spread(body) || depends;
        });
      }
      for (const Value* output : node.outputs()) {
        if (depends && output) changed_.insert(output);
      }
      any = any || depends;
    }
    return any;
  }

  void declare_again(Graph& graph, const analysis::Facts& facts) {
    const bool is_main = &graph == &model_.graph();
    const auto declare = [&](ValueInfo& info, bool keeps_rank) {
      if (!changed_.contains(info.value) || !info.type || !info.type->is_tensor()) return;
      const Type* inferred = facts.shape_of(*info.value) ? declared_type(facts, *info.value) : nullptr;
      const bool known = inferred && inferred->is_tensor() && inferred->has_shape;
      graph.set_type(info, known ? inferred : without_sizes(*info.type, keeps_rank, model_.arena()));
    };
    for (ValueInfo* info : graph.value_infos()) declare(*info, false);
    for (ValueInfo* info : graph.outputs()) declare(*info, is_main);
    if (is_main) return;
    for (ValueInfo* info : graph.inputs()) declare(*info, false);
  }

  Model& model_;
  analysis::Facts before_;
  std::unordered_set<const Node*> broken_;    // before anything changed
  std::unordered_set<const Value*> changed_;  // inputs with another shape, and all that depends on them
  std::string asked_;
  bool only_sizes_ = true;  // the new shapes have no open dims
};

}  // namespace

void resize_inputs(Model& model, const analysis::FactSettings& settings) {
  std::optional<Resizer> resizer;
  for (const auto& [name, shape] : settings.shapes) {
    for (ValueInfo* input : model.graph().inputs()) {
      if (input->value->name() != name || !contradicts(input->type, shape)) continue;
      if (!resizer) resizer.emplace(model);
      resizer->resize(*input, shape);
    }
  }
  if (resizer) resizer->finish();
}

}  // namespace onnxpress
