// Copies nodes with NodeCopier and connects them.
#include "onnxpress/passes/regions/body_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/regions/node_copier.h"

namespace onnxpress::passes {

namespace {

// Counts nodes in nested bodies, too, but not Constant nodes.
std::int64_t nodes_in(const Graph& body);

std::int64_t nodes_in_bodies(const Node& node) {
  std::int64_t count = 0;
  for (const Attribute* attribute : node.attributes())
    for_each_graph_in(*attribute, [&](const Graph& inner) { count += nodes_in(inner); });
  return count;
}

std::int64_t nodes_in(const Graph& body) {
  std::int64_t count = 0;
  for (const Node& node : body.nodes()) count += (node.is("Constant") ? 0 : 1) + nodes_in_bodies(node);
  return count;
}

}  // namespace

bool Unroller::can_unroll(std::int64_t count, std::int64_t added) const {
  constexpr std::int64_t kMostNodes = 48;
  if (count < 1) return rw_.refuse("its body runs {} times", count);
  if (count > kMostNodes || count * (nodes_in(body_) + added) > kMostNodes)
    return rw_.refuse("its body runs {} times, which would make more than {} nodes", count, kMostNodes);
  const auto is_defined = [](const ValueInfo* output) { return output->value && output->value->is_defined(); };
  return body_.sparse_initializers().empty() && std::ranges::all_of(body_.outputs(), is_defined) &&
         std::ranges::all_of(body_.initializers(), [&](const Value* each) { return rw_.constant(each).has_value(); });
}

bool Unroller::unroll(const Iterations& iterations) {
  first_new_ = rw_.model().context().node_count;
  const std::vector<Value*> results = copy_all(iterations);
  const bool is_whole = !results.empty() && std::ranges::find(results, nullptr) == results.end();
  if (!is_whole || !is_better(results)) {
    undo();
    return false;
  }
  finish(results);
  return true;
}

// The results of the node; empty, or with null among them, when a value cannot be built.
std::vector<Value*> Unroller::copy_all(const Iterations& iterations) {
  std::vector<Value*> results = iterations.states;
  if (std::ranges::find(results, nullptr) != results.end()) return {};  // an operand is omitted
  for (const Value* each : body_.initializers()) constants_.push_back(rw_.constant(*rw_.constant(each)));
  if (std::ranges::find(constants_, nullptr) != constants_.end()) return {};
  const auto states = static_cast<std::ptrdiff_t>(results.size());
  std::vector<std::vector<Value*>> parts(iterations.collected.size());
  for (std::int64_t i = 0; i < iterations.count; ++i) {
    const auto inputs = iterations.inputs(i, std::move(results));
    if (std::ranges::find(inputs, nullptr) != inputs.end()) return {};
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
  return results;
}

namespace {

// A small constant that is the same as this result of a node; null if it is not known.
Value* known_result(const Node& node, const Value& result, Rewriter& rw) {
  constexpr std::uint64_t kMostBytes = 64;
  const ops::Op* op = node.is("Constant") ? nullptr : rw.op_of(node);
  if (!op || op->has_any(ops::kMarksCodes | ops::kRuntimesDiffer | ops::kHasBodies)) return nullptr;
  const bool all_constant =
      std::ranges::all_of(node.inputs(), [&](const Use& use) { return !use.value() || rw.is_constant(use.value()); });
  const auto array = all_constant ? rw.computed(result, kMostBytes) : std::nullopt;
  return array ? rw.constant(*array) : nullptr;
}

// Whether the shape has another rank or size than the type declares.
bool contradicts(const std::optional<ops::Shape>& shape, const Type* declared) {
  if (!shape || !declared || !declared->has_shape) return false;
  return !std::ranges::equal(*shape, declared->dims, [](Dim a, Dim b) {
    return !a.size() || !b.size() || *b.size() < 0 || *a.size() == *b.size();  // exporters write -1 for "any"
  });
}

}  // namespace

std::vector<Value*> Unroller::copy(std::span<Value* const> inputs, std::string title) {
  NodeCopier copier(rw_.model());
  copier.name_prefix = std::move(title);
  for (std::size_t i = 0; i < inputs.size(); ++i) copier.map(body_.inputs()[i]->value, inputs[i]);
  for (std::size_t i = 0; i < constants_.size(); ++i) copier.map(body_.initializers()[i], constants_[i]);
  for (const Node& node : body_.nodes()) {
    if (node.is("Identity") && node.input(0) && node.output()) {
      copier.map(node.output(), copier.copy_of(node.input(0)));
      continue;
    }
    const Node* made = copier.copy(node, *node_.graph(), &node_);
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      Value* constant = made->output(i) ? known_result(*made, *made->output(i), rw_) : nullptr;
      if (constant) copier.map(node.output(i), constant);
    }
  }
  std::vector<Value*> outputs;
  for (const ValueInfo* output : body_.outputs()) outputs.push_back(copier.copy_of(output->value));
  return outputs;
}

// Also erases the new nodes that nothing reads.
bool Unroller::is_better(std::span<Value* const> results) {
  for (std::size_t i = 0; i < node_.output_count(); ++i) {
    const Value* output = node_.output(i);
    if (output && output->is_output() && contradicts(rw_.shape_of(results[i]), output->type())) return false;
  }
  std::int64_t left = 0;
  for (Node* each = node_.previous(); each && each->id() >= first_new_;) {
    Node* made = std::exchange(each, each->previous());
    const bool is_result =
        std::ranges::any_of(made->outputs(), [&](const Value* output) { return std::ranges::count(results, output); });
    if (made->is("Constant")) continue;
    if (!is_result && made->used_outputs() == 0)
      made->graph()->erase(*made);
    else
      left += 1 + nodes_in_bodies(*made);
  }
  return left <= 1 + nodes_in(body_);
}

// An output of the graph must keep its name, which the result may not be able to take over.
void Unroller::finish(std::span<Value* const> results) {
  for (std::size_t i = 0; i < node_.output_count(); ++i) {
    Value* output = node_.output(i);
    if (!output || !output->is_used()) continue;
    const bool needs_copy = output->is_output() && !rw_.can_carry_name(*results[i], *output);
    rw_.replace_same(output, needs_copy ? rw_.make("Identity", {results[i]}) : results[i]);
  }
  if (!node_.erased()) node_.graph()->erase(node_);
}

void Unroller::undo() {
  for (Node* each = node_.previous(); each && each->id() >= first_new_;) {
    Node* made = std::exchange(each, each->previous());
    if (!made->is("Constant")) made->graph()->erase(*made);  // unused constants are removed with the others
  }
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
