// Describes places in words.
#include "onnxpress/analysis/places.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

// "then_branch", or "branches[1]" for one of several bodies in an attribute.
std::string body_name(const Graph& body) {
  for (const Attribute* attribute : body.owner()->attributes()) {
    if (const auto* graph = std::get_if<Graph*>(&attribute->value)) {
      if (*graph == &body) return plain_or_quoted(attribute->name);
    } else if (const auto* graphs = std::get_if<std::span<Graph* const>>(&attribute->value)) {
      const auto at = std::find(graphs->begin(), graphs->end(), &body);
      if (at != graphs->end()) return fmt::format("{}[{}]", plain_or_quoted(attribute->name), at - graphs->begin());
    }
  }
  return "body";
}

}  // namespace

std::string node_label(const Node& node) {
  const std::string op = plain_or_quoted(node.op_type());
  return node.name().empty() ? fmt::format("({})", op) : fmt::format("{} ({})", quote_name(node.name()), op);
}

std::string function_id(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string id(normal_domain(domain));
  if (!id.empty()) id += ':';
  id += name;
  if (!overload.empty()) id.append(":").append(overload);
  return id;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string Places::root(const Graph& graph) const {
  if (&graph == &model_->graph()) return fmt::format("graph {}", quote_name(graph.name()));
  if (functions_.empty()) {
    for (const Function* function : model_->functions) functions_.emplace(function->body, function);
  }
  if (const auto at = functions_.find(&graph); at != functions_.end()) {
    const Function& function = *at->second;
    return fmt::format("function {}", quote_name(function_id(function.domain, function.name, function.overload)));
  }
  for (std::size_t i = 0; i < model_->training.size(); ++i) {
    const TrainingInfo& training = *model_->training[i];
    if (training.initialization == &graph) return fmt::format("training #{}, initialization", i);
    if (training.algorithm == &graph) return fmt::format("training #{}, algorithm", i);
  }
  return fmt::format("graph {}", quote_name(graph.name()));
}

std::string Places::of(const Graph& graph) const {
  // Recursion is safe here because readers limit the depth of bodies.
  return graph.owner() ? fmt::format("{}, {}", of(*graph.owner()), body_name(graph)) : root(graph);
}

std::string Places::of(const Node& node) const { return fmt::format("{}, {}", of(*node.graph()), short_of(node)); }

std::string Places::of(const Node& node, const Attribute& attribute) const {
  return fmt::format("{}, attribute {}", of(node), quote_name(attribute.name));
}

std::string Places::short_of(const Node& node) const {
  return fmt::format("node {} #{}", node_label(node), position(node));
}

std::string Places::initializer(const Graph& graph, std::string_view name) const {
  return fmt::format("{}, initializer {}", of(graph), quote_name(name));
}

std::uint32_t Places::position(const Node& node) const {
  if (positions_.empty()) find_positions();
  return positions_[node.id()];
}

// Readers assign ids in the order of the file and may reorder nodes afterwards. Messages count nodes in the order of
// the file.
void Places::find_positions() const {
  positions_.resize(model_->context().node_count);
  std::vector<std::uint32_t> ids;
  for_each_graph(*model_, [&](const Graph& graph) {
    ids.clear();
    for (const Node& node : graph.nodes()) ids.push_back(node.id());
    if (!graph.changed()) std::sort(ids.begin(), ids.end());
    for (std::uint32_t i = 0; i < ids.size(); ++i) positions_[ids[i]] = i;
  });
}

}  // namespace onnxpress::analysis
