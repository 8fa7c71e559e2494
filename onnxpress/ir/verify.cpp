// Walks every link of the pointer graph in both directions, in linear time.
#include "onnxpress/ir/verify.h"

#include <fmt/format.h>

#include <unordered_set>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

std::string place_of(const Node& node) { return fmt::format("node {} ({})", node.id(), quote_name(node.op_type())); }

class Verifier {
 public:
  explicit Verifier(const Model& model)
      : model_(model), first_slot_(model.context().node_count, 0), seen_(model.context().value_count, false) {}

  std::string verify() {
    for_each_graph(model_, [this](const Graph& graph) {
      graphs_.insert(&graph);
      for (const Node& node : graph.nodes()) {
        first_slot_[node.id()] = listed_.size();
        listed_.resize(listed_.size() + node.input_count(), false);
      }
    });
    for_each_graph(model_, [this](const Graph& graph) { verify_graph(graph); });
    for_each_graph(model_, [this](const Graph& graph) {
      for (const Node& node : graph.nodes()) verify_listed(node);
      for (const ValueInfo* output : graph.outputs()) verify_listed(graph, static_cast<const GraphOutput&>(*output));
    });
    return problem_;
  }

 private:
  void fail(const std::string& where, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where, what);
  }

  void verify_graph(const Graph& graph) {
    const Node* previous = nullptr;
    std::size_t count = 0;
    for (const Node& node : graph.nodes()) {
      verify_node(graph, node, previous);
      previous = &node;
      ++count;
    }
    if (count != graph.nodes().size() || previous != graph.nodes().back()) fail("graph", "broken node list");
    for (const Value* value : graph.initializers()) {
      if (!value->initializer()) fail(quote_name(value->name()), "an initializer without a tensor");
      verify_value(*value);
    }
    for (const auto& list : {graph.inputs(), graph.outputs(), graph.value_infos()}) {
      for (const ValueInfo* info : list) verify_value(*info->value);
    }
  }

  void verify_node(const Graph& graph, const Node& node, const Node* previous) {
    if (node.graph() != &graph) fail(place_of(node), "belongs to another graph");
    if (node.previous() != previous) fail(place_of(node), "broken order links");
    if (previous && !previous->comes_before(node)) fail(place_of(node), "its order number is too low");
    if (node.erased()) fail(place_of(node), "erased but listed");
    for (const Use& use : node.inputs()) {
      if (use.user() != &node) fail(place_of(node), "an operand names another user");
      if (use.value()) verify_value(*use.value());
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      const Value* value = node.output(i);
      if (!value) continue;
      if (value->producer() != &node) fail(place_of(node), "an output names another producer");
      if (value->output_index() != i) fail(place_of(node), "an output has the wrong index");
      verify_value(*value);
    }
    for (const Attribute* attribute : node.attributes()) {
      for_each_graph_in(*attribute, [&](const Graph& body) {
        if (body.owner() != &node) fail(place_of(node), "a body names another owner");
      });
    }
  }

  // Checks that everything in the lists of a value is a live operand, output or declaration that refers to the value.
  void verify_value(const Value& value) {
    if (seen_[value.id()]) return;
    seen_[value.id()] = true;
    const auto where = [&value] { return fmt::format("value {} ({})", value.id(), quote_name(value.name())); };
    for (const Use* use = value.first_use(); use; use = use->next()) {
      const Node& user = *use->user();
      const bool live = !user.erased() && graphs_.contains(user.graph()) && use >= user.inputs().data() &&
                        use->index() < user.input_count();
      if (!live) return fail(where(), "lists an operand of a node that is gone");
      if (use->value() != &value) return fail(where(), "lists an operand that reads another value");
      const std::size_t slot = first_slot_[user.id()] + use->index();
      if (listed_[slot]) return fail(where(), "lists an operand twice");
      listed_[slot] = true;
    }
    for (const GraphOutput* output = value.first_output(); output; output = output->next_output) {
      const bool live = graphs_.contains(output->graph) && output->index < output->graph->outputs().size() &&
                        output->graph->outputs()[output->index] == output;
      if (!live) return fail(where(), "lists an output of a graph that is gone");
      if (output->value != &value) return fail(where(), "lists an output that is another value");
      if (!outputs_.insert(output).second) return fail(where(), "lists an output twice");
    }
    for (const ValueInfo* info = value.first_declaration(); info; info = info->next) {
      if (info->removed || info->value != &value) return fail(where(), "lists a declaration that is gone");
    }
  }

  void verify_listed(const Node& node) {
    for (const Use& use : node.inputs()) {
      if (use.value() && !listed_[first_slot_[node.id()] + use.index()])
        fail(place_of(node), "an operand is missing from its value's use list");
    }
  }

  void verify_listed(const Graph& graph, const GraphOutput& output) {
    if (output.graph != &graph) fail("an output", "belongs to another graph");
    if (!outputs_.contains(&output)) fail("an output", "missing from its value's list");
  }

  const Model& model_;
  std::vector<std::size_t> first_slot_;  // by node id, into listed_
  std::vector<bool> listed_;             // operands that their values list
  std::vector<bool> seen_;               // values, by id
  std::unordered_set<const Graph*> graphs_;
  std::unordered_set<const GraphOutput*> outputs_;  // outputs that their values list
  std::string problem_;
};

}  // namespace

std::string verify(const Model& model) { return Verifier(model).verify(); }

}  // namespace onnxpress
