// Looks names up, and suggests the nearest one if there is no match.
#include "onnxpress/tasks/edit/find_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress {

namespace {

template <typename Map>
std::string hint_for(std::string_view name, const Map& known) {
  constexpr std::size_t kMostCompared = 20000;  // a large model has too many names to compare with each
  std::vector<std::string> names;
  for (const auto& [each, unused] : known) {
    if (names.size() < kMostCompared) names.emplace_back(each);
  }
  std::ranges::sort(names);
  const std::string guess = nearest(name, names);
  return guess.empty() ? "`onnxpress convert MODEL model.onnxtxt` shows all names"
                       : fmt::format("did you mean {}?", quote_name(guess));
}

// Joins as many parts as needed to form a name that exists; where none does, takes one part, for the error message.
template <typename Found, typename Find, typename Require>
std::vector<Found*> joined(const std::vector<std::string>& parts, const Find& find, const Require& require) {
  std::vector<Found*> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string name = parts[i];
    std::size_t end = i;
    while (!find(name) && end + 1 < parts.size()) name += "," + parts[++end];
    if (find(name)) i = end;
    found.push_back(find(name) ? find(name) : &require(parts[i]));
  }
  return found;
}

}  // namespace

std::string_view label_of(const Node& node) {
  if (!node.name().empty()) return node.name();
  for (const Value* output : node.outputs()) {
    if (output && !output->name().empty()) return output->name();
  }
  return {};
}

NameIndex::NameIndex(const Model& model) {
  for_each_graph(model.graph(), [this](Graph& graph) {
    for (const ValueInfo* input : graph.inputs()) values_.emplace(input->value->name(), input->value);
    for (Value* value : graph.initializers()) values_.emplace(value->name(), value);
    for (Value* value : graph.sparse_initializers()) values_.emplace(value->name(), value);
    for (Node& node : graph.nodes()) {
      order_.push_back(&node);
      nodes_.emplace(label_of(node), &node);
      for (Value* output : node.outputs()) {
        if (output) values_.emplace(output->name(), output);
      }
    }
  });
  values_.erase("");
  nodes_.erase("");
}

Value* NameIndex::find_value(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : found->second;
}

Node* NameIndex::find_node(std::string_view name) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? nullptr : found->second;
}

Value& NameIndex::value(std::string_view name) const {
  if (Value* found = find_value(name)) return *found;
  throw Error("", fmt::format("there is no value {}", quote_name(name)), hint_for(name, values_));
}

Node& NameIndex::node(std::string_view name) const {
  if (Node* found = find_node(name)) return *found;
  throw Error("", fmt::format("there is no node {}", quote_name(name)), hint_for(name, nodes_));
}

std::vector<Value*> NameIndex::values(const std::vector<std::string>& parts) const {
  return joined<Value>(
      parts, [this](std::string_view name) { return find_value(name); },
      [this](std::string_view name) -> Value& { return value(name); });
}

std::vector<Node*> NameIndex::nodes(const std::vector<std::string>& parts) const {
  return joined<Node>(
      parts, [this](std::string_view name) { return find_node(name); },
      [this](std::string_view name) -> Node& { return node(name); });
}

std::pair<std::string, std::string> split_pair(const std::string& text, std::string_view form,
                                               const std::function<bool(std::string_view)>& exists) {
  const std::size_t first = text.find('=');
  if (first == std::string::npos || first == 0)
    throw OptionError(fmt::format("{} does not have the form {}", quote_name(text), form));
  for (std::size_t at = first; at != std::string::npos; at = text.find('=', at + 1)) {
    if (exists(std::string_view(text).substr(0, at))) return {text.substr(0, at), text.substr(at + 1)};
  }
  return {text.substr(0, first), text.substr(first + 1)};  // looking it up will fail with a message
}

}  // namespace onnxpress
