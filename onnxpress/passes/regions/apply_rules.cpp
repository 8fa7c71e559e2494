// Finds a pattern, removes its nodes, and inserts copies of the replacement's nodes.
#include "onnxpress/passes/regions/apply_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/passes/regions/node_copier.h"
#include "onnxpress/passes/regions/region_match.h"

namespace onnxpress::passes {

namespace {

constexpr std::size_t kMostPerNode = 4;  // if a rule applies more often than this per node, it never ends

const Value* input_named(const Function& function, std::string_view name) {
  for (const ValueInfo* input : function.body->inputs()) {
    if (input->value->name() == name) return input->value;
  }
  return nullptr;
}

void require_fitting(const Rule& rule) {
  const Function &pattern = *rule.pattern, &replacement = *rule.replacement;
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("rule {}", quote_name(pattern.name)), what,
                "docs/commands/fuse.md shows the form of a rule");
  };
  if (pattern.body->outputs().empty()) fail("the pattern has no output");
  for (const ValueInfo* input : replacement.body->inputs()) {
    if (!input_named(pattern, input->value->name()))
      fail(fmt::format("the replacement reads {}, which the pattern does not have", quote_name(input->value->name())));
  }
  if (replacement.body->outputs().size() != pattern.body->outputs().size())
    fail("pattern and replacement have different numbers of outputs");
  for (const ValueInfo* output : pattern.body->outputs()) {
    if (!output->value->producer()) fail("an output of the pattern is one of its inputs");
  }
}

class RuleApplier {
 public:
  // `kept` are the bodies of functions made from patterns; rules are not applied inside them.
  RuleApplier(Model& model, const Rule& rule, std::unordered_set<const Graph*>& kept)
      : model_(model), rule_(rule), kept_(kept) {
    report_.rule = rule.pattern->name;
  }

  RuleReport run() {
    const std::size_t most = kMostPerNode * model_.context().node_count + 100;
    while (apply_once()) {
      if (report_.count > most)
        throw Error(fmt::format("rule {}", quote_name(report_.rule)),
                    "it matches its own replacement, so it would never end");
    }
    return std::move(report_);
  }

 private:
  bool apply_once() {
    analysis::Facts facts(model_);
    facts.follow();
    RegionMatcher matcher(*rule_.pattern->body, facts);
    const std::string_view root = rule_.pattern->body->outputs().front()->value->producer()->op_type();
    std::vector<Node*> nodes;
    for_each_node(model_, [&](Node& node) {
      const bool is_wanted = !rule_.root || rule_.root == &node;
      if (is_wanted && node.op_type() == root && !kept_.contains(node.graph())) nodes.push_back(&node);
    });
    std::size_t applied = 0;
    for (Node* node : nodes) {
      if (node->erased()) continue;
      if (const auto found = matcher.match(*node)) {
        replace(*node, *found);
        ++applied;
      }
    }
    if (report_.count == 0 && applied == 0) report_.reason = closest(matcher);
    report_.count += applied;
    return applied > 0;
  }

  static std::string closest(const RegionMatcher& matcher) {
    if (matcher.closest() == 0) return "the model has no node with the op that computes the first output";
    return fmt::format("{} {} matched, then: {}", matcher.closest(), matcher.closest() == 1 ? "node" : "nodes",
                       matcher.reason());
  }

  void replace(Node& root, const RegionMatch& match) {
    report_.nodes.emplace_back(root.name().empty() && root.output() ? root.output()->name() : root.name());
    Graph& graph = *root.graph();
    Node* next = match.last()->next();
    while (next && next->erased()) next = next->next();
    NodeCopier copier(model_);
    for (const ValueInfo* input : rule_.replacement->body->inputs())
      copier.map(input->value, match[input_named(*rule_.pattern, input->value->name())]);
    copier.referred = [&match](std::string_view name) -> const Attribute* {
      const auto found = match.settings.find(name);
      return found == match.settings.end() ? nullptr : found->second;
    };
    std::vector<Value*> results;
    for (const ValueInfo* output : rule_.pattern->body->outputs()) results.push_back(match[output->value]);
    std::vector<Node*> old;
    for (const auto& [pattern, node] : match.nodes) old.push_back(node);
    std::ranges::sort(old, [](const Node* a, const Node* b) { return b->comes_before(*a); });
    for (Node* node : old) graph.erase(*node);
    const std::vector<Node*> made = copier.copy_all(*rule_.replacement->body, graph, next, results);
    for (const Node* node : made) import(*node);
    if (made.size() == 1) keep_as_function(*made.front(), match);
  }

  // Imports the domain of a new node into the model or the function that contains it.
  void import(const Node& node) {
    const Graph* root = node.graph();
    while (const Graph* parent = root->parent()) root = parent;
    std::vector<OpsetImport>* imports = &model_.opsets;
    for (Function* function : model_.functions) {
      if (function->body != root) continue;
      imports = &function->opsets;
      function->changed = true;
    }
    if (is_standard_domain(node.domain()) || opset_in(*imports, node.domain())) return;
    imports->push_back({node.domain(), opset_in(rule_.replacement->opsets, node.domain()).value_or(1), {}});
    model_.mark_changed();
  }

  // The inputs of the pattern in the order in which the replacement's only node reads them; nullopt unless it reads
  // each of them exactly once, and nothing else.
  std::optional<std::vector<const Value*>> call_operands() const {
    std::vector<const Value*> operands;
    for (const Use& use : rule_.replacement->body->nodes().front()->inputs()) {
      const Value* value = use.value() ? input_named(*rule_.pattern, use.value()->name()) : nullptr;
      if (!value || !use.value()->is_input() || std::ranges::find(operands, value) != operands.end())
        return std::nullopt;
      operands.push_back(value);
    }
    return operands.size() == rule_.pattern->body->inputs().size() ? std::optional(operands) : std::nullopt;
  }

  // Whether the attributes of the replacement's only node are exactly those that the pattern leaves open, under the
  // same names.
  bool passes_settings_on(const RegionMatch& match) const {
    const auto given = rule_.replacement->body->nodes().front()->attributes();
    return match.settings.size() == given.size() && std::ranges::all_of(given, [&](const Attribute* each) {
             return each->ref_name == each->name && match.settings.contains(each->name);
           });
  }

  // If the op of the new node is unknown, adds the pattern to the model as the function that defines it.
  void keep_as_function(const Node& node, const RegionMatch& match) {
    if (is_standard_domain(node.domain()) || (!match.settings.empty() && !passes_settings_on(match))) return;
    const auto version = model_.opset(node.domain());
    if (ops::find_op(node.domain(), node.op_type(), version.value_or(1))) return;
    const bool is_known = std::ranges::any_of(model_.functions, [&](const Function* each) {
      return each->domain == node.domain() && each->name == node.op_type();
    });
    const auto operands = call_operands();
    if (is_known || !operands) return;
    constexpr std::int64_t kHasFunctions = 8;
    if (model_.ir_version && *model_.ir_version < kHasFunctions) model_.ir_version = kHasFunctions;
    model_.mark_changed();
    Function* function = model_.create_function();
    kept_.insert(function->body);
    function->name = node.op_type();
    function->domain = node.domain();
    function->opsets = model_.opsets;
    for (OpsetImport& each : function->opsets) each.origin = {};
    for (const auto& [name, attribute] : match.settings) function->attribute_names.push_back(name);
    NodeCopier copier(model_);
    for (const Value* wildcard : *operands) {
      Value* value = function->body->create_value(wildcard->name());
      function->body->add_input(value, nullptr);
      copier.map(wildcard, value);
    }
    for (const Node& each : rule_.pattern->body->nodes()) {
      if (each.domain() != "where") copier.copy(each, *function->body, nullptr);
    }
    for (const ValueInfo* output : rule_.pattern->body->outputs())
      function->body->add_output(copier.copy_of(output->value), nullptr);
  }

  Model& model_;
  const Rule& rule_;
  std::unordered_set<const Graph*>& kept_;
  RuleReport report_;
};

}  // namespace

std::string full_name(const Function& function) {
  return function.domain.empty() ? std::string(function.name) : fmt::format("{}::{}", function.domain, function.name);
}

std::vector<RuleReport> apply_rules(Model& model, const std::vector<Rule>& rules) {
  std::vector<RuleReport> reports;
  std::unordered_set<const Graph*> kept;
  for (const Rule& rule : rules) {
    require_fitting(rule);
    reports.push_back(RuleApplier(model, rule, kept).run());
  }
  return reports;
}

}  // namespace onnxpress::passes
