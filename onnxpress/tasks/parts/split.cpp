// A stage is a run of consecutive nodes in the order of the file. Constants belong to no stage: each stage has a copy
// of those it needs.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/analysis/captured_values.h"
#include "onnxpress/analysis/cost/node_costs.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/format/write_shared.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/constants_to_initializers.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/inspect/fact_type.h"
#include "onnxpress/tasks/parts/choose_cuts.h"
#include "onnxpress/tasks/parts/make_part.h"
#include "onnxpress/tasks/profile/assumed_sizes.h"
#include "onnxpress/tasks/report/field_lists/parts.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

namespace {

constexpr std::size_t kMostParts = 256;
// The largest count for one node or value, so that sums cannot overflow, whatever a file claims.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 40;

struct NodeWork {
  std::uint64_t macs = 0, written = 0, parameters = 0, weight_bytes = 0;
};

// The content of an initializer, even of one that callers may override, or of a Constant node.
const Tensor* weight_in(const Value& value) {
  return value.initializer() ? value.initializer() : constant_tensor(value);
}

class Splitter {
 public:
  Splitter(const Model& model, const SplitOptions& options, SplitReport& report)
      : model_(model), options_(options), report_(report), facts_(model, settings()), sizes_(facts_) {
    require_fitting(facts_, model);
    const analysis::ModelCosts costs = analysis::costs_of(facts_, model);
    sizes_.add_model(model);
    for (const analysis::NodeCost& each : costs.nodes) sizes_.add(each.times);
    line_up();
    count(costs);
    find_uses();
  }

  std::vector<Model> split() {
    place_nodes(options_.at.empty() ? balanced_cuts() : asked_cuts());
    const std::size_t stages = plans_.size();
    find_traffic();
    std::vector<Model> made;
    const bool valid = is_valid(model_);
    for (std::size_t s = 0; s < stages; ++s) {
      made.push_back(make_part(model_, facts_, plans_[s]));
      require_valid(made.back(), valid, fmt::format("stage {}", s));
      describe(s, made.back());
    }
    for (const ValueInfo* input : inputs::inputs_to_give(model_)) report_.inputs.emplace_back(input->value->name());
    for (const ValueInfo* output : model_.graph().outputs()) report_.outputs.emplace_back(output->value->name());
    report_.by = options_.by;
    return made;
  }

 private:
  analysis::FactSettings settings() {
    analysis::FactSettings made = settings_of(options_.bindings, model_);
    made.trust_value_info = true;
    return made;
  }

  // --- The sequence of nodes

  bool is_constant_node(const Node& node) const {
    return !node.outputs().empty() && std::ranges::all_of(node.outputs(), [&](const Value* value) {
      return !value || facts_.of(*value).is_constant || node.is("Constant");
    });
  }

  void line_up() {
    for (const Node& node : model_.graph().nodes()) {
      if (is_constant_node(node)) continue;
      position_.emplace(&node, line_.size());
      line_.push_back(&node);
    }
    const std::size_t parts = options_.at.empty() ? options_.parts : options_.at.size() + 1;
    if (parts < 1 || parts > kMostParts)
      throw OptionError(fmt::format("a model can be split into 1 to {} stages", kMostParts));
    if (line_.size() < options_.parts && options_.at.empty()) {
      throw Error("",
                  fmt::format("{} stages need at least as many nodes, but the model has only {} that are not constant",
                              options_.parts, line_.size()));
    }
  }

  // The node of the main graph that is `node` or contains it in a body.
  const Node* outermost(const Node& node) const {
    const Node* each = &node;
    while (each->graph() != &model_.graph() && each->graph()->owner()) each = each->graph()->owner();
    return each;
  }

  // --- Costs

  std::uint64_t number(Dim dim) const {
    const auto value = facts_.dims().value_of(dim, [this](const Symbol& symbol) { return sizes_.of(symbol); });
    return value && *value > 0 ? std::min(static_cast<std::uint64_t>(*value), kMostCounted) : 0;
  }

  void count(const analysis::ModelCosts& costs) {
    work_.resize(line_.size());
    NodeWork unused;
    NodeWork* work = &unused;
    for (const analysis::NodeCost& each : costs.nodes) {
      if (each.depth == 0) {
        const auto at = position_.find(each.node);
        work = at == position_.end() ? &unused : &work_[at->second];
      }
      if (!each.is_counted) continue;
      work->macs += number(each.macs);
      work->written += number(each.written);
    }
    std::unordered_set<const Value*> seen;
    for (std::size_t i = 0; i < line_.size(); ++i) count_weights(*line_[i], work_[i], seen);
  }

  // Weights count for the first node that needs them, even if constant nodes decode them first.
  void count_weights(const Node& reader, NodeWork& work, std::unordered_set<const Value*>& seen) const {
    std::vector<const Node*> open = {&reader};
    while (!open.empty()) {
      const Node& node = *open.back();
      open.pop_back();
      analysis::for_each_value_read(node, [&](const Value& value) {
        const Node* maker = value.producer();
        const bool is_decoded = maker && maker->graph() == &model_.graph() && !position_.contains(maker);
        const Tensor* tensor = weight_in(value);
        if ((!tensor && !is_decoded) || !seen.insert(&value).second) return;
        if (!tensor) return open.push_back(maker);
        work.parameters += std::min(tensor->element_count().value_or(0), kMostCounted);
        work.weight_bytes += std::min(tensor->expected_bytes().value_or(0), kMostCounted);
      });
    }
  }

  std::uint64_t cost_of(const NodeWork& work) const {
    switch (options_.by) {
      case SplitCost::kMacs:
        return work.macs;
      case SplitCost::kMemory:
        return work.weight_bytes + work.written;
      case SplitCost::kParams:
        return work.parameters;
      case SplitCost::kNodes:
        break;
    }
    return 1;
  }

  std::optional<std::uint64_t> bytes_of(const Value& value) const {
    const auto shape = facts_.shape_of(value);
    const ElementType element = facts_.of(value).element;
    if (!shape) return std::nullopt;
    std::uint64_t count = 1;
    for (const Dim dim : *shape) {
      const auto size = facts_.dims().value_of(dim, [this](const Symbol& symbol) { return sizes_.of(symbol); });
      if (!size || *size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(*size), &count))
        return std::nullopt;
    }
    return raw_size(element, count);
  }

  // --- Who reads what

  void find_uses() {
    for (std::size_t i = 0; i < line_.size(); ++i) {
      for (const Value* output : line_[i]->outputs()) {
        if (output) made_at_.emplace(output, i);
      }
      for (const Value* value : read_by(*line_[i])) users_[value].insert(i);
    }
  }

  // Values that the node needs and that are not constant: results of nodes in `line_`, and inputs of the model. What
  // constant nodes read is constant, too.
  std::vector<const Value*> read_by(const Node& node) const {
    std::vector<const Value*> found;
    std::unordered_set<const Value*> seen;
    analysis::for_each_value_read(node, [&](const Value& value) {
      if (value.graph() != &model_.graph() || !seen.insert(&value).second) return;
      const bool made = value.producer() && position_.contains(value.producer());
      const bool given = !value.producer() && !value.initializer() && !value.sparse_initializer();
      if (made || given) found.push_back(&value);
    });
    return found;
  }

  // --- Cuts

  std::vector<std::size_t> balanced_cuts() const {
    std::vector<std::uint64_t> cost;
    for (const NodeWork& each : work_) cost.push_back(std::min(cost_of(each), kMostCounted));
    std::vector<std::uint64_t> data(line_.size() + 1, 0), steps(line_.size() + 2, 0);
    for (const auto& [value, made] : made_at_) {
      const auto users = users_.find(value);
      if (users == users_.end()) continue;
      const std::uint64_t bytes = std::min(bytes_of(*value).value_or(0), kMostCounted);
      steps[made + 1] += bytes;
      steps[*users->second.rbegin() + 1] -= bytes;
    }
    std::uint64_t alive = 0;
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = alive += steps[i];
    return choose_cuts(cost, data, options_.parts);
  }

  std::vector<std::size_t> asked_cuts() const {
    const NameIndex names(model_);
    std::set<std::size_t> cuts;
    for (const Value* value : names.values(options_.at)) {
      const auto made = made_at_.find(value);
      if (made == made_at_.end()) {
        throw Error("", fmt::format("{} is not computed in the main graph", quote_name(value->name())),
                    "cut at the result of a node that is not constant");
      }
      if (made->second + 1 == line_.size() || !cuts.insert(made->second + 1).second) {
        throw Error("", fmt::format("a cut at {} leaves a stage without nodes", quote_name(value->name())),
                    "nodes run in the order of the file; cut at another value");
      }
    }
    return {cuts.begin(), cuts.end()};
  }

  // --- Stages

  void place_nodes(const std::vector<std::size_t>& cuts) {
    plans_.resize(cuts.size() + 1);
    costs_.resize(plans_.size());
    stage_.resize(line_.size());
    std::size_t stage = 0;
    for (std::size_t i = 0; i < line_.size(); ++i) {
      while (stage < cuts.size() && i >= cuts[stage]) ++stage;
      stage_[i] = stage;
      costs_[stage].macs += work_[i].macs;
      costs_[stage].parameters += cost_of(work_[i]);
      plans_[stage].nodes.push_back(line_[i]);
    }
  }

  // Adds the constant nodes that nodes of the plan and the outputs depend on.
  void add_constants(PartPlan& plan, const std::vector<const Value*>& outputs) {
    std::unordered_set<const Node*> there(plan.nodes.begin(), plan.nodes.end());
    std::vector<const Node*> open = plan.nodes;
    const auto push = [&](const Value& value) {
      const Node* maker = value.graph() == &model_.graph() ? value.producer() : nullptr;
      if (!maker || position_.contains(maker) || !there.insert(maker).second) return;
      plan.nodes.push_back(maker);
      open.push_back(maker);
    };
    for (const Value* output : outputs) push(*output);
    while (!open.empty()) {
      const Node& node = *open.back();
      open.pop_back();
      analysis::for_each_value_read(node, push);
    }
    std::ranges::sort(plan.nodes, [](const Node* a, const Node* b) { return a->comes_before(*b); });
  }

  void find_traffic() {
    const std::size_t last = plans_.size() - 1;
    sources_.resize(plans_.size());
    readers_.resize(plans_.size());
    std::vector<std::vector<const Value*>> wanted(plans_.size());  // in order of first use
    for (std::size_t i = 0; i < line_.size(); ++i) {
      for (const Value* value : read_by(*line_[i])) want(*value, stage_[i], wanted);
    }
    for (const ValueInfo* output : model_.graph().outputs()) {
      const Value& value = *output->value;
      const auto made = made_at_.find(&value);
      const std::size_t stage = made == made_at_.end() ? last : stage_[made->second];
      if (made == made_at_.end() && !value.producer() && !value.initializer()) want(value, last, wanted);
      add_output(value, stage);
    }
    for (std::size_t s = 0; s < plans_.size(); ++s) {
      plans_[s].inputs = wanted[s];
      add_constants(plans_[s], plans_[s].outputs);
    }
  }

  void add_output(const Value& value, std::size_t stage) {
    auto& outputs = plans_[stage].outputs;
    if (std::ranges::find(outputs, &value) == outputs.end()) outputs.push_back(&value);
  }

  // Records that stage `stage` reads the value: the stage that computes it passes it on, through the stages in between
  // unless option `direct` is set.
  void want(const Value& value, std::size_t stage, std::vector<std::vector<const Value*>>& wanted) {
    const auto made = made_at_.find(&value);
    if (made != made_at_.end() && stage_[made->second] == stage) return;
    if (sources_[stage].contains(&value)) return;
    wanted[stage].push_back(&value);
    if (made == made_at_.end()) {
      sources_[stage].emplace(&value, -1);
      return;
    }
    const std::size_t maker = stage_[made->second], source = options_.direct ? maker : stage - 1;
    sources_[stage].emplace(&value, static_cast<std::int64_t>(source));
    readers_[source][&value].insert(stage);
    if (source != maker) want(value, source, wanted);
    add_output(value, source);
  }

  void describe(std::size_t s, const Model& made) {
    Stage stage;
    stage.nodes = made.graph().nodes().size();
    stage.macs = costs_[s].macs;
    stage.cost = costs_[s].parameters;
    const auto count = [&stage](const Value& value) {
      const Tensor* tensor = weight_in(value);
      if (!tensor) return;
      stage.parameters += tensor->element_count().value_or(0);
      stage.weight_bytes += tensor->expected_bytes().value_or(0);
    };
    for_each_graph(made.graph(), [&count](const Graph& graph) {
      for (const Value* value : graph.initializers()) count(*value);
      for (const Node& node : graph.nodes()) {
        if (node.is("Constant") && !node.outputs().empty()) count(*node.outputs().front());
      }
    });
    for (const Value* value : plans_[s].inputs)
      stage.inputs.push_back(
          {std::string(value->name()), to_string(declared_type(facts_, *value)), sources_[s][value]});
    std::uint64_t sum = 0;
    bool known = true;
    for (const Value* value : plans_[s].outputs) {
      StageOutput line{std::string(value->name()), to_string(declared_type(facts_, *value)), {}, false};
      const auto readers = readers_[s].find(value);
      if (readers != readers_[s].end()) {
        line.to.assign(readers->second.begin(), readers->second.end());
        const auto bytes = bytes_of(*value);
        known = known && bytes;
        sum += bytes.value_or(0);
      }
      const auto made_at = made_at_.find(value);
      const bool own = made_at == made_at_.end() || stage_[made_at->second] == s;
      line.is_model_output = own && std::ranges::any_of(model_.graph().outputs(),
                                                        [&](const ValueInfo* each) { return each->value == value; });
      stage.outputs.push_back(std::move(line));
    }
    if (known) stage.bytes_out = sum;
    report_.stages.push_back(std::move(stage));
  }

  const Model& model_;
  const SplitOptions& options_;
  SplitReport& report_;
  analysis::Facts facts_;
  AssumedSizes sizes_;
  std::vector<const Node*> line_;  // nodes of the main graph that are not constant
  std::unordered_map<const Node*, std::size_t> position_;
  std::vector<NodeWork> work_;
  std::unordered_map<const Value*, std::size_t> made_at_;
  std::unordered_map<const Value*, std::set<std::size_t>> users_;
  std::vector<std::size_t> stage_;  // by position
  std::vector<PartPlan> plans_;
  std::vector<NodeWork> costs_;  // by stage: macs, and in `parameters` what --by counts
  std::vector<std::unordered_map<const Value*, std::int64_t>> sources_;           // by stage
  std::vector<std::unordered_map<const Value*, std::set<std::size_t>>> readers_;  // by stage
};

}  // namespace

Stages split(const Model& model, const SplitOptions& options) {
  require_order(model);
  require_clear_names(model);
  Stages made;
  made.models = Splitter(model, options, made.report).split();
  return made;
}

std::string to_json(const SplitReport& report) { return json_text(report); }

}  // namespace onnxpress
