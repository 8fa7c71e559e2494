// Declared types and shapes against those that follow from the operators, and operands that no operator takes together.
#include <fmt/format.h>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

void check_inferred(const Facts& facts, FindingList& found) {
  for (const Contradiction& each : facts.contradictions()) {
    const Node* producer = each.value->producer();
    if (!producer) continue;  // inputs and initializers say themselves what they are: see check_declarations()
    found.add(Severity::kError, "inferred-type", *producer,
              fmt::format("output {} {} is declared as {}, but {} returns {}", each.value->output_index(),
                          quote_name(each.value->name()), each.declared, producer->op_type(), each.inferred));
  }
  for (const BrokenRule& each : facts.broken_rules()) {
    if (each.about_types) continue;  // check_types() says more about these
    found.add(Severity::kError, "broken-rule", *each.node, fmt::format("it cannot be computed: {}", each.why));
  }
}

}  // namespace onnxpress::analysis
