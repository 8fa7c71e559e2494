// Declared types and shapes against those that follow from the operators, and operands that no operator takes together.
#include <fmt/format.h>

#include <unordered_set>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/shape_operands.h"

namespace onnxpress::analysis {

namespace {

// Values whose declared type a runtime finds to be wrong when it loads the model. We follow more shapes than those do:
// what only we see is wrong all the same, but no runtime refuses it.
std::unordered_set<const Value*> seen_by_runtimes(Model& model) {
  std::unordered_set<const Value*> values;
  const Facts facts(model, {.as_runtime = true});
  for (const Contradiction& each : facts.contradictions()) values.insert(each.value);
  return values;
}

// A shape, sizes or axes that other nodes compute: runtimes learn the shape of the result when the model runs.
bool reads_computed_parameters(const Node& node, const Facts& facts) {
  const ops::Op* op = facts.ops().plain_op_of(node);
  for (std::size_t i = 0; op && i < node.input_count(); ++i) {
    if (node.input(i) && !constant_tensor(*node.input(i)) && ops::shapes_depend_on(*op, i)) return true;
  }
  return false;
}

}  // namespace

void check_inferred(Model& model, const Facts& facts, FindingList& found) {
  std::unordered_set<const Value*> refused;
  if (!facts.contradictions().empty()) refused = seen_by_runtimes(model);
  for (const Contradiction& each : facts.contradictions()) {
    const Node* producer = each.value->producer();
    if (!producer) continue;  // inputs and initializers say themselves what they are: see check_declarations()
    const bool is_refused = refused.contains(each.value) && !reads_computed_parameters(*producer, facts);
    found.add(is_refused ? Severity::kError : Severity::kWarning, "inferred-type", *producer,
              fmt::format("output {} {} is declared as {}, but {} returns {}", each.value->output_index(),
                          quote_name(each.value->name()), each.declared, producer->op_type(), each.inferred));
  }
  for (const BrokenRule& each : facts.broken_rules()) {
    if (each.about_types) continue;  // check_types() says more about these
    found.add(Severity::kError, "broken-rule", *each.node, fmt::format("it cannot be computed: {}", each.why));
  }
}

}  // namespace onnxpress::analysis
