// Copies nodes with NodeCopier and connects them.
#include "onnxpress/passes/regions/body_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/regions/node_copier.h"

namespace onnxpress::passes {

namespace {

// Counts nodes in nested bodies, too, but not Constant nodes.
std::int64_t nodes_in(const Graph& body) {
  std::int64_t count = 0;
  for (const Node& node : body.nodes()) {
    if (!node.is("Constant")) ++count;
    for (const Attribute* attribute : node.attributes())
      for_each_graph_in(*attribute, [&](const Graph& inner) { count += nodes_in(inner); });
  }
  return count;
}

}  // namespace

bool Unroller::can_unroll(std::int64_t count, std::int64_t added) const {
  constexpr std::int64_t kMostNodes = 48;
  if (count < 1 || count > kMostNodes || count * (nodes_in(body_) + added) > kMostNodes) return false;
  const auto is_defined = [](const ValueInfo* output) { return output->value && output->value->is_defined(); };
  return body_.sparse_initializers().empty() && std::ranges::all_of(body_.outputs(), is_defined) &&
         std::ranges::all_of(body_.initializers(), [&](const Value* each) { return rw_.constant(each).has_value(); });
}

bool Unroller::unroll(const Iterations& iterations) {
  std::vector<Value*> results = iterations.states;
  if (std::ranges::find(results, nullptr) != results.end()) return false;  // an operand is omitted
  for (const Value* each : body_.initializers()) constants_.push_back(rw_.constant(*rw_.constant(each)));
  if (std::ranges::find(constants_, nullptr) != constants_.end()) return false;
  const auto states = static_cast<std::ptrdiff_t>(results.size());
  std::vector<std::vector<Value*>> parts(iterations.collected.size());
  for (std::int64_t i = 0; i < iterations.count; ++i) {
    const auto inputs = iterations.inputs(i, std::move(results));
    if (std::ranges::find(inputs, nullptr) != inputs.end()) return false;
    const auto outputs = copy(inputs, iterations.count > 1 ? fmt::format("iteration {} of ", i) : "");
    const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(iterations.first_state);
    results.assign(first, first + states);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::vector<std::int64_t> axes = {iterations.collected[k].axis};
      parts[k].push_back(rw_.make("Unsqueeze", {*(first + states + static_cast<std::ptrdiff_t>(k))}, {{"axes", axes}}));
    }
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (iterations.collected[k].backwards) std::ranges::reverse(parts[k]);
    const Parameter parameters[] = {{"axis", iterations.collected[k].axis}};
    results.push_back(iterations.count == 1 ? parts[k].front() : rw_.make("Concat", parts[k], parameters));
  }
  return finish(results);
}

std::vector<Value*> Unroller::copy(std::span<Value* const> inputs, std::string title) {
  NodeCopier copier(rw_.model());
  copier.name_prefix = std::move(title);
  for (std::size_t i = 0; i < inputs.size(); ++i) copier.map(body_.inputs()[i]->value, inputs[i]);
  for (std::size_t i = 0; i < constants_.size(); ++i) copier.map(body_.initializers()[i], constants_[i]);
  for (const Node& node : body_.nodes()) copier.copy(node, *node_.graph(), &node_);
  std::vector<Value*> outputs;
  for (const ValueInfo* output : body_.outputs()) outputs.push_back(copier.copy_of(output->value));
  return outputs;
}

bool Unroller::finish(std::span<Value* const> results) {
  if (std::ranges::find(results, nullptr) != results.end()) return false;
  for (std::size_t i = 0; i < node_.output_count(); ++i) {
    Value* output = node_.output(i);
    if (!output || !output->is_used()) continue;
    rw_.replace_same(output, output->is_output() ? rw_.make("Identity", {results[i]}) : results[i]);
  }
  if (!node_.erased()) node_.graph()->erase(node_);
  return true;
}

Graph* body_without(const Graph& body, std::optional<std::size_t> input, std::optional<std::size_t> output,
                    Model& model) {
  Graph* made = model.create_body();
  made->set_name(body.name());
  NodeCopier copier(model);
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    if (i == input) continue;
    Value* value = made->create_value({}, body.inputs()[i]->type);
    made->add_input(value, body.inputs()[i]->type);
    copier.map(body.inputs()[i]->value, value);
  }
  for (const Value* each : body.initializers())
    copier.map(each, add_constant(model, *made, nullptr, model.arena().make<Tensor>(*each->initializer())));
  for (const Node& node : body.nodes()) copier.copy(node, *made, nullptr);
  for (std::size_t i = 0; i < body.outputs().size(); ++i) {
    if (i != output) made->add_output(copier.copy_of(body.outputs()[i]->value), body.outputs()[i]->type);
  }
  return made;
}

void rebuild_without(Node& node, std::optional<std::size_t> operand, std::optional<std::size_t> result,
                     std::span<Attribute* const> attributes, Rewriter& rw) {
  std::vector<Value*> inputs, outputs, before;
  for (const Use& use : node.inputs()) {
    if (use.index() != operand) inputs.push_back(use.value());
  }
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (i == result) continue;
    before.push_back(node.output(i));
    outputs.push_back(node.output(i) ? node.graph()->create_value({}) : nullptr);
  }
  node.graph()->insert_before(&node, {.op_type = node.op_type(),
                                      .domain = node.domain(),
                                      .name = node.name(),
                                      .doc = node.doc(),
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .attributes = attributes,
                                      .metadata = node.metadata()});
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] && before[i]->is_used()) rw.replace_same(before[i], outputs[i]);
  }
  if (!node.erased()) node.graph()->erase(node);
}

std::vector<Attribute*> attributes_with(const Node& node, std::string_view name, Graph* body, Model& model) {
  std::vector<Attribute*> attributes;
  for (Attribute* each : node.attributes())
    attributes.push_back(each->name == name ? make_attribute(model.arena(), each->name, body) : each);
  return attributes;
}

}  // namespace onnxpress::passes
