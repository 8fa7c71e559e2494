// Turns the example into a function, and applies it like any other rule.
#include "onnxpress/passes/regions/fuse_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/regions/apply_rules.h"
#include "onnxpress/passes/regions/node_copier.h"

namespace onnxpress::passes {

namespace {

[[noreturn]] void fail_unknown(std::string_view what, const std::string& name, const std::vector<std::string>& known) {
  const std::string guess = nearest(name, known);
  throw Error("", fmt::format("the main graph has no {} {}", what, quote_name(name)),
              guess.empty() ? "" : fmt::format("did you mean {}?", quote_name(guess)));
}

Value* value_named(Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const ValueInfo* input : model.graph().inputs()) {
    if (input->value->name() == name) return input->value;
    known.emplace_back(input->value->name());
  }
  for (const Node& node : model.graph().nodes()) {
    for (Value* output : node.outputs()) {
      if (output && output->name() == name) return output;
      if (output) known.emplace_back(output->name());
    }
  }
  fail_unknown("value", name, known);
}

Node* node_named(Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (Node& node : model.graph().nodes()) {
    const bool makes =
        std::ranges::any_of(node.outputs(), [&](const Value* each) { return each && each->name() == name; });
    if (node.name() == name || makes) return &node;
    known.emplace_back(node.name().empty() && node.output() ? node.output()->name() : node.name());
  }
  fail_unknown("node", name, known);
}

std::vector<Node*> in_order(const std::unordered_set<Node*>& nodes) {
  std::vector<Node*> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted, [](const Node* a, const Node* b) { return a->comes_before(*b); });
  return sorted;
}

bool is_single_number(const Value& value) {
  const Tensor* tensor = constant_tensor(value);
  return tensor && tensor->element_count() == 1;
}

// Throws if an operand of the region depends on one of its results: the new node would have to run before itself.
void require_convex(const std::vector<Node*>& region) {
  const std::unordered_set<const Node*> inside(region.begin(), region.end());
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open;
  for (const Node* node : region) {
    for (const Use& use : node->inputs()) {
      const Node* maker = use.value() ? use.value()->producer() : nullptr;
      if (maker && !inside.contains(maker)) open.push_back(maker);
    }
  }
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second || !region.front()->comes_before(*node)) continue;
    for (const Use& use : node->inputs()) {
      const Node* maker = use.value() ? use.value()->producer() : nullptr;
      if (maker && inside.contains(maker))
        throw Error("",
                    fmt::format("the region cannot become one node: {} reads from it and feeds it",
                                quote_name(node->output() ? node->output()->name() : node->name())),
                    "include that node in the region");
      if (maker) open.push_back(maker);
    }
  }
}

// The region as the body of a function that is not listed in the model.
class Example {
 public:
  Example(Model& model, const std::vector<Node*>& region, bool keep_attributes)
      : model_(model), region_(region), keep_attributes_(keep_attributes) {
    inside_.insert(region.begin(), region.end());
  }

  Function* pattern() {
    Function* function = model_.create_function();
    model_.functions.pop_back();
    NodeCopier copier(model_);
    for (const Node* node : region_) {
      for (const Use& use : node->inputs()) add_operand(use.value(), *function->body, copier);
    }
    for (const Node* node : region_) {
      const Node* copied = copier.copy(*node, *function->body, nullptr);
      if (keep_attributes_) make_parameters(*copied);
    }
    for (const Node* node : region_) {
      for (Value* output : node->outputs()) {
        if (output && leads_out(*output)) outputs_.push_back(output);
      }
    }
    if (outputs_.empty()) throw Error("", "nothing reads what the region computes");
    // The last output comes first: the matcher starts there and finds the others on its way.
    std::ranges::reverse(outputs_);
    for (Value* output : outputs_) function->body->add_output(copier.copy_of(output), nullptr);
    return function;
  }

  const std::vector<Value*>& operands() const { return operands_; }
  const std::vector<Value*>& outputs() const { return outputs_; }
  // Attributes of the new op that stand for those of inner nodes: references with the same names.
  const std::vector<Attribute*>& parameters() const { return parameters_; }

 private:
  void make_parameters(const Node& node) {
    const std::size_t number = numbers_[std::string(node.op_type())]++;
    for (Attribute* attribute : node.attributes()) {
      bool has_body = false;
      for_each_graph_in(*attribute, [&has_body](const Graph&) { has_body = true; });
      if (has_body || attribute->is_reference()) continue;
      Arena& arena = model_.arena();
      const std::string_view name = arena.text(fmt::format("{}{}_{}", node.op_type(), number, attribute->name));
      attribute->ref_name = name;
      attribute->value = std::monostate();
      Attribute* parameter = arena.make<Attribute>(*attribute);
      parameter->name = name;
      parameters_.push_back(parameter);
    }
  }

  void add_operand(Value* value, Graph& body, NodeCopier& copier) {
    if (!value || (value->producer() && inside_.contains(value->producer())) || !seen_.insert(value).second) return;
    if (is_single_number(*value)) {
      Tensor* tensor = model_.arena().make<Tensor>(*constant_tensor(*value));
      tensor->name = {};
      tensor->origin = {};
      Value* constant = body.create_value({});
      define_constant(model_, *constant, nullptr, tensor);
      copier.map(value, constant);
      return;
    }
    operands_.push_back(value);
    Value* input = body.create_value(model_.arena().text(fmt::format("x{}", operands_.size())));
    body.add_input(input, nullptr);
    copier.map(value, input);
  }

  bool leads_out(const Value& value) const {
    if (value.is_output()) return true;
    for (const Use* use = value.first_use(); use; use = use->next()) {
      const Node* user = use->user();
      while (user && user->graph() != &model_.graph()) user = user->graph()->owner();
      if (!user || !inside_.contains(user)) return true;
    }
    return false;
  }

  Model& model_;
  const std::vector<Node*>& region_;
  bool keep_attributes_;
  std::unordered_set<const Node*> inside_;
  std::unordered_set<const Value*> seen_;
  std::vector<Value*> operands_, outputs_;
  std::vector<Attribute*> parameters_;
  std::unordered_map<std::string, std::size_t> numbers_;  // how many nodes of each op there are so far
};

// A body of one node that reads all inputs and makes all outputs of the pattern.
Function* call_of(Model& model, const Function& pattern, std::span<Attribute* const> parameters,
                  std::string_view domain, std::string_view name) {
  Function* function = model.create_function();
  model.functions.pop_back();
  Graph& body = *function->body;
  std::vector<Value*> inputs, outputs;
  for (const ValueInfo* input : pattern.body->inputs()) {
    inputs.push_back(body.create_value(input->value->name()));
    body.add_input(inputs.back(), nullptr);
  }
  for (std::size_t i = 0; i < pattern.body->outputs().size(); ++i) outputs.push_back(body.create_value({}));
  body.append({.op_type = model.arena().text(name),
               .domain = model.arena().text(domain),
               .inputs = inputs,
               .outputs = outputs,
               .attributes = parameters});
  for (Value* output : outputs) body.add_output(output, nullptr);
  return function;
}

}  // namespace

std::vector<Node*> region_between(Model& model, const std::vector<std::string>& from,
                                  const std::vector<std::string>& to) {
  std::unordered_set<const Value*> start;
  for (const std::string& name : from) start.insert(value_named(model, name));
  // Walks backwards from the end to the start.
  std::unordered_set<Node*> behind;
  std::vector<Value*> open;
  open.reserve(to.size());
  for (const std::string& name : to) open.push_back(value_named(model, name));
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    Node* maker = start.contains(value) ? nullptr : value->producer();
    if (!maker || maker->is("Constant") || !behind.insert(maker).second) continue;
    for (const Use& use : maker->inputs()) {
      if (use.value()) open.push_back(use.value());
    }
  }
  if (start.empty()) return in_order(behind);
  // Keeps only the nodes that depend on the start.
  std::unordered_set<const Value*> reached = start;
  std::unordered_set<Node*> between;
  for (Node* node : in_order(behind)) {
    if (std::ranges::none_of(node->inputs(), [&](const Use& use) { return reached.contains(use.value()); })) continue;
    between.insert(node);
    for (const Value* output : node->outputs()) reached.insert(output);
  }
  if (between.empty()) throw Error("", "no path leads from the start to the end of the region");
  return in_order(between);
}

std::vector<Node*> region_of_nodes(Model& model, const std::string& first, const std::string& last) {
  Node *begin = node_named(model, first), *end = node_named(model, last);
  if (end->comes_before(*begin)) std::swap(begin, end);
  std::vector<Node*> region;
  for (Node* node = begin; node; node = node->next()) {
    if (!node->is("Constant")) region.push_back(node);
    if (node == end) break;
  }
  return region;
}

FusedRegions fuse_regions(Model& model, const std::vector<Node*>& region, std::string_view domain,
                          std::string_view name, const FuseSettings& settings) {
  if (region.empty()) throw Error("", "the region has no nodes");
  if (std::ranges::any_of(region, [&](const Node* each) { return each->graph() != &model.graph(); }))
    throw Error("", "only nodes of the main graph can be fused");
  const bool is_taken = std::ranges::any_of(
      model.functions, [&](const Function* each) { return each->domain == domain && each->name == name; });
  if (is_taken || ops::find_op(normal_domain(domain), name, model.opset(domain).value_or(1)) ||
      is_standard_domain(domain))
    throw Error("", fmt::format("there already is an op {}::{}", domain, name), "choose another name for the new op");
  require_convex(region);
  Example example(model, region, settings.keep_attributes);
  const Function* pattern = example.pattern();
  const Function* call = call_of(model, *pattern, example.parameters(), domain, name);
  FusedRegions fused;
  fused.nodes = region.size();
  for (const Value* value : example.operands()) fused.inputs.emplace_back(value->name());
  for (const Value* value : example.outputs()) fused.outputs.emplace_back(value->name());
  const Node* root = settings.once ? example.outputs().front()->producer() : nullptr;
  const auto reports = apply_rules(model, {{pattern, call, root}});
  fused.regions = reports.front().count;
  if (fused.regions == 0) throw Error("", "the region cannot be replaced", reports.front().reason);
  for (Node& node : model.graph().nodes()) {
    if (node.op_type() == name && node.domain() == domain) fused.calls.push_back(&node);
  }
  return fused;
}

}  // namespace onnxpress::passes
