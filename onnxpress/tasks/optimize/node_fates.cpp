// `--why NODE`: says what happened to a node, and why other rewrites did not apply.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/ort_rewrites.h"
#include "onnxpress/tasks/optimize/run_rewrites.h"

namespace onnxpress {

namespace {

// Finds a node by its name, or by that of one of its results.
Node* find_node(const Model& model, std::string_view name) {
  Node* found = nullptr;
  for_each_node(model, [&](Node& node) {
    if (found || node.is("Constant")) return;
    const bool makes =
        std::ranges::any_of(node.outputs(), [name](const Value* each) { return each && each->name() == name; });
    if (node.name() == name || makes) found = &node;
  });
  return found;
}

// Steps list nodes as "Conv /layer1/conv".
bool lists(const std::vector<std::string>& titles, std::string_view name) {
  return std::ranges::any_of(titles, [name](const std::string& title) {
    return title.size() > name.size() && title.ends_with(name) && title[title.size() - name.size() - 1] == ' ';
  });
}

std::string step_text(const RewriteLine& step, std::size_t number, std::string_view name) {
  const std::string_view what = lists(step.removed, name) ? "removed by"
                                : lists(step.added, name) ? "made by"
                                                          : "start of";
  return fmt::format("step {}: {} {} at {} {}{}{}", number, what, step.rewrite, step.op, step.node,
                     step.text.empty() ? "" : ": ", step.text);
}

}  // namespace

std::vector<NodeFate> fates_of(Model& model, const Model& original, const OptimizeOptions& options,
                               passes::DriverOptions driver, const std::vector<RewriteLine>& steps) {
  if (options.target == OptimizeTarget::kOrt) driver.rewrites = passes::rewrites_with_ort();
  std::vector<NodeFate> fates;
  for (const std::string& name : options.why) {
    NodeFate& fate = fates.emplace_back(NodeFate{.node = name});
    const Node* before = find_node(original, name);
    Node* node = find_node(model, name);
    fate.found = before || node;
    fate.kept = node != nullptr;
    // Steps name a node by its own name, where it has one.
    const std::string own = before && !before->name().empty() ? std::string(before->name()) : name;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].node == own || lists(steps[i].removed, own) || lists(steps[i].added, own))
        fate.steps.push_back(step_text(steps[i], i + 1, own));
    }
    if (!node) continue;
    analysis::Facts facts(model, settings_of(options.bindings, model));
    facts.follow();
    for (const passes::Refusal& each : passes::refusals_at(model, facts, *node, driver)) {
      if (each.reasons.empty())
        fate.refusals.push_back(fmt::format("{}: does not match", each.rewrite));
      else
        fate.refusals.push_back(fmt::format("{}: {}", each.rewrite, fmt::join(each.reasons, "; ")));
    }
  }
  return fates;
}

}  // namespace onnxpress
