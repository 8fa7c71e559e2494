// Names are a, b, ... z, A, ... Z, aa, ab, ... in order of appearance. Giving the shortest names to the most frequent
// values would save only a few percent more and be harder to follow.
#include "onnxpress/passes/whole/shorten_names.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::passes {

namespace {

std::string name_number(std::size_t number) {
  constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kNext = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  std::string name(1, kFirst[number % kFirst.size()]);
  for (number /= kFirst.size(); number > 0; number /= kNext.size()) {
    --number;
    name += kNext[number % kNext.size()];
  }
  return name;
}

class Shortener {
 public:
  explicit Shortener(Model& model) : model_(model) {}

  std::vector<std::pair<std::string_view, std::string_view>> shorten() {
    name_values(model_);  // so that values that we made are shortened, too
    find_foreign_bodies(model_.graph(), false);
    for_each_graph(model_.graph(), [this](Graph& graph) {
      if (foreign_.contains(&graph)) return;
      for (ValueInfo* input : graph.inputs()) shorten(input->value);
      for (Value* value : graph.initializers()) shorten(value);
      for (Value* value : graph.sparse_initializers()) shorten(value);
      for (Node& node : graph.nodes()) {
        if (node.name().data()) graph.set_node_texts(node, {}, node.doc());
        for (Value* output : node.outputs()) shorten(output);
      }
    });
    return std::move(names_);
  }

 private:
  // Ops of other domains may look values of their bodies up by name (BeamSearch and GreedySearch of ONNX Runtime do),
  // so these keep their names, and so do the outer values that they read.
  void find_foreign_bodies(const Graph& graph, bool is_foreign) {
    if (is_foreign) foreign_.insert(&graph);
    for (const Node& node : graph.nodes()) {
      if (is_foreign) {
        for (const Use& use : node.inputs()) {
          if (use.value()) read_by_foreign_.insert(use.value());
        }
      }
      const bool inside = is_foreign || !is_standard_domain(node.domain());
      for (const Attribute* attribute : node.attributes())
        for_each_graph_in(*attribute, [&](const Graph& body) { find_foreign_bodies(body, inside); });
    }
  }

  void shorten(Value* value) {
    if (!value || value->name().empty() || read_by_foreign_.contains(value)) return;
    const bool interface = value->graph() == &model_.graph() && (value->is_input() || value->is_output());
    // If a body outputs a value from an outer graph, it declares that value again, so such names stay.
    const bool own_output = !value->is_output() || std::ranges::any_of(value->graph()->outputs(), [value](auto* info) {
      return info->value == value;
    });
    if (interface || !own_output) return;
    Context& context = model_.context();
    std::string name;
    do {
      name = name_number(next_++);
    } while (context.names.find(name) != NameTable::kNone);
    if (name.size() >= value->name().size()) return void(--next_);
    const std::string_view old = value->name();
    const std::string_view fresh = context.arena.text(name);
    value->graph()->rename(*value, fresh);
    names_.emplace_back(fresh, old);
  }

  Model& model_;
  std::unordered_set<const Graph*> foreign_;  // bodies of ops of other domains, and bodies in them
  std::unordered_set<const Value*> read_by_foreign_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::string_view, std::string_view>> names_;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> shorten_names(Model& model) {
  if (!model.training.empty()) return {};
  return Shortener(model).shorten();
}

}  // namespace onnxpress::passes
